#include "softorder/character_overlap.hpp"

#include "bindings/batch.hpp"
#include "bindings/numbered_words.hpp"

namespace hyperbaton::bindings {

void bind_character_overlap(nb::module_& m) {
  m.def(
      "character_overlap",
      [](const Array<std::int32_t>& hyps, const Array<std::int64_t>& hyp_offsets,
         const Array<std::int32_t>& refs, const Array<std::int64_t>& ref_offsets,
         const Array<std::int32_t>& ngrams, const Array<std::int64_t>& ngram_offsets, double beta,
         int threads) {
        const auto from = copied_ragged(hyps, hyp_offsets), to = copied_ragged(refs, ref_offsets);
        check_same_size(from.size(), to.size());
        const auto bounds = checked_word_offsets(ngrams.size(), ngram_offsets);
        check_words(from.values, bounds.size() - 1);
        check_words(to.values, bounds.size() - 1);
        // The core checks them once more: all n-grams of a vocabulary are too many to be copied.
        check_words(view(ngrams), most_words);
        const WordNgrams words{view(ngrams), bounds};
        std::vector<double> out(from.size());
        const std::size_t cost = 40 * (from.values.size() + to.values.size());
        run(from.size(), cost, threads, [&](const Stop&) {
          return [&, overlap = CharacterOverlap(words, beta)](std::size_t k) mutable {
            out[k] = overlap(from[k], to[k]);
          };
        });
        return to_numpy(std::move(out));
      },
      nb::arg("hyps").noconvert(), nb::arg("hyp_offsets").noconvert(), nb::arg("refs").noconvert(),
      nb::arg("ref_offsets").noconvert(), nb::arg("ngrams").noconvert(), nb::arg("ngram_offsets").noconvert(),
      nb::arg("beta"), nb::arg("threads"));
}

}  // namespace hyperbaton::bindings
