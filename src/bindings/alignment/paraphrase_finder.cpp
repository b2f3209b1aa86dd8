#include "alignment/paraphrase_finder.hpp"

#include "bindings/batch.hpp"

namespace hyperbaton::bindings {

void bind_paraphrase_finder(nb::module_& m) {
  m.def(
      "paraphrases",
      [](const Array<std::int32_t>& hyps, const Array<std::int64_t>& hyp_offsets,
         const Array<std::int32_t>& refs, const Array<std::int64_t>& ref_offsets, std::int32_t words,
         const Array<std::int64_t>& edges, const Array<std::int32_t>& first, const Array<std::int32_t>& other,
         int threads) {
        // Views suffice: words are only compared with edges, and the core checks what it reads from the
        // index, which is too large to be copied for each batch.
        const auto hypotheses = ragged(hyps, hyp_offsets), references = ragged(refs, ref_offsets);
        const std::size_t count = hypotheses.size();
        check_same_size(count, references.size());
        if (first.size() != edges.size() + 2 || edges.size() >= (std::size_t{1} << 31) - 2)
          throw std::invalid_argument("the paraphrase index is damaged");
        for (const auto values : {hypotheses.values, references.values})
          for (const std::int32_t word : values)
            if (word >= words) throw std::invalid_argument("a word is not in the vocabulary");
        const ParaphraseIndex index{words, view(edges), view(first), view(other)};
        std::vector<std::vector<Paraphrase>> found(count);
        std::vector<std::uint8_t> truncated(count);
        run(count, 2000 * (hyps.size() + refs.size()), threads, [&](const Stop& stop) {
          return [&, finder = std::make_shared<ParaphraseFinder>(index)](std::size_t k) {
            finder->run(hypotheses[k], references[k], stop);
            found[k] = finder->found;
            truncated[k] = finder->truncated;
          };
        });
        std::vector<std::int32_t> flat;
        std::vector<std::int64_t> offsets{0};
        for (const auto& paraphrases : found) {
          for (const Paraphrase& x : paraphrases)
            flat.insert(flat.end(), {x.h, x.h_length, x.r, x.r_length, x.pair});
          offsets.push_back(offsets.back() + static_cast<std::int64_t>(paraphrases.size()));
        }
        return to_tuple(std::move(flat), std::move(offsets), std::move(truncated));
      },
      nb::arg("hyps").noconvert(), nb::arg("hyp_offsets").noconvert(), nb::arg("refs").noconvert(),
      nb::arg("ref_offsets").noconvert(), nb::arg("words"), nb::arg("edges").noconvert(),
      nb::arg("first").noconvert(), nb::arg("other").noconvert(), nb::arg("threads"),
      "The paraphrases of all pairs of sentences (five numbers each, see Paraphrase), the offsets of each\n"
      "pair, and whether some paraphrases were left out.");
}

}  // namespace hyperbaton::bindings
