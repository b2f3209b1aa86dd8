#include "alignment/mutual_links.hpp"

#include "alignment/vector_similarity.hpp"
#include "bindings/batch.hpp"

namespace hyperbaton::bindings {

namespace {

// The words of many sentences with their vectors.
class VectorBatch {
 public:
  VectorBatch(const Array<std::int32_t>& words, const Array<std::int64_t>& offsets,
              const Array<float>& vectors, std::size_t dimensions)
      : sentences_(ragged(words, offsets)), vectors_(view(vectors)), dimensions_(dimensions) {
    // Divided and not multiplied, because a product of such sizes may overflow.
    const std::size_t count = word_count(), numbers = vectors_.size();
    if (count == 0 ? numbers > 0 : numbers % count != 0 || numbers / count != dimensions)
      throw std::invalid_argument("each word must have a vector");
  }

  std::size_t size() const { return sentences_.size(); }
  std::size_t length(std::size_t k) const { return sentences_[k].size(); }
  std::size_t begin(std::size_t k) const { return static_cast<std::size_t>(sentences_.offsets[k]); }
  std::size_t word_count() const { return sentences_.values.size(); }
  WordVectors operator[](std::size_t k) const {
    return {sentences_[k], vectors_.subspan(begin(k) * dimensions_, length(k) * dimensions_)};
  }

 private:
  Ragged<std::int32_t> sentences_;
  std::span<const float> vectors_;
  std::size_t dimensions_;
};

}  // namespace

void bind_mutual_links(nb::module_& m) {
  m.def(
      "vector_links",
      [](const Array<std::int32_t>& hyps, const Array<std::int64_t>& hyp_offsets,
         const Array<float>& hyp_vectors, const Array<std::int32_t>& refs,
         const Array<std::int64_t>& ref_offsets, const Array<float>& ref_vectors, std::size_t dimensions,
         double neighbours, double distance, double threshold, int threads) {
        const VectorBatch from(hyps, hyp_offsets, hyp_vectors, dimensions);
        const VectorBatch to(refs, ref_offsets, ref_vectors, dimensions);
        check_same_size(from.size(), to.size());
        std::vector<std::int32_t> out(from.word_count());
        std::size_t cost = 0;
        for (std::size_t k = 0; k < from.size(); ++k)
          cost += from.length(k) * to.length(k) * (dimensions / 8 + 1) + 1;
        run(from.size(), cost, threads, [&](const Stop& stop) {
          return [&, linker = MutualLinker({neighbours, distance, threshold}),
                  similarity = VectorSimilarity(dimensions)](std::size_t k) mutable {
            similarity.load(from[k], to[k]);
            linker(
                from.length(k), to.length(k),
                [&](std::size_t i, std::span<double> row) { similarity.fill_row(i, row); },
                std::span(out).subspan(from.begin(k), from.length(k)), stop);
          };
        });
        return to_numpy(std::move(out));
      },
      nb::arg("hyps").noconvert(), nb::arg("hyp_offsets").noconvert(), nb::arg("hyp_vectors").noconvert(),
      nb::arg("refs").noconvert(), nb::arg("ref_offsets").noconvert(), nb::arg("ref_vectors").noconvert(),
      nb::arg("dimensions"), nb::arg("neighbours"), nb::arg("distance"), nb::arg("threshold"),
      nb::arg("threads"),
      "For each word of the hypotheses, the word of the reference linked by the vectors of both, or -1.");
}

}  // namespace hyperbaton::bindings
