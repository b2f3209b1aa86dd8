#include "ngrams/bleu.hpp"

#include "bindings/batch.hpp"
#include "bindings/ngrams/references.hpp"
#include "bindings/numbered_words.hpp"

namespace hyperbaton::bindings {

namespace {

constexpr std::size_t usual_steps = 100;  // for a word

// The n-grams of the references of all segments. It never changes, so threads may share it.
class BleuSegments {
 public:
  BleuSegments(const Array<std::int32_t>& words, const Array<std::int64_t>& offsets,
               const Array<std::int64_t>& starts, std::size_t longest, int threads)
      : longest_(longest) {
    if (longest < 1 || longest > NgramCounter::most) throw std::invalid_argument("no such n-grams");
    const auto references = copied_ragged(words, offsets);
    check_words(references.values, most_words);
    const auto firsts = checked_starts(starts, references.size());
    std::vector<std::span<const Symbol>> sentences;
    for (std::size_t k = 0; k < references.size(); ++k) sentences.push_back(references[k]);
    segments_.resize(firsts.size() - 1);
    run(segments_.size(), usual_steps * references.values.size(), threads, [&](const Stop&) {
      return [&, counter = BleuCounter(longest_)](std::size_t k) mutable {
        segments_[k] = counter.prepare(of_segment(sentences, firsts, k));
      };
    });
  }

  Result<double> statistics(const Array<std::int32_t>& words, const Array<std::int64_t>& offsets,
                            int threads) const {
    const auto hypotheses = copied_ragged(words, offsets);
    check_same_size(hypotheses.size(), segments_.size());
    const std::size_t columns = BleuCounter(longest_).statistics();
    std::vector<double> out(columns * segments_.size());
    run(segments_.size(), usual_steps * hypotheses.values.size(), threads, [&](const Stop& stop) {
      return [&, counter = BleuCounter(longest_)](std::size_t k) mutable {
        counter(segments_[k], hypotheses[k], stop, out.data() + k * columns);
      };
    });
    return to_numpy(std::move(out));
  }

 private:
  std::size_t longest_;
  std::vector<BleuReferences> segments_;
};

}  // namespace

void bind_bleu(nb::module_& m) {
  nb::class_<BleuSegments>(m, "BleuReferences",
                           "The n-grams of references, whose words have numbers. Segment k has those\n"
                           "from starts[k] to starts[k + 1].")
      .def(nb::init<const Array<std::int32_t>&, const Array<std::int64_t>&, const Array<std::int64_t>&,
                    std::size_t, int>(),
           nb::arg("words").noconvert(), nb::arg("offsets").noconvert(), nb::arg("starts").noconvert(),
           nb::arg("longest"), nb::arg("threads"))
      .def("statistics", &BleuSegments::statistics, nb::arg("words").noconvert(),
           nb::arg("offsets").noconvert(), nb::arg("threads"),
           "sacreBLEU's statistics of each segment, one after another.");
}

}  // namespace hyperbaton::bindings
