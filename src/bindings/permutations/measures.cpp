#include "permutations/measures.hpp"

#include "bindings/permutations/permutation_batch.hpp"

namespace hyperbaton::bindings {

void bind_measures(nb::module_& m) {
  for (const Measure& measure : measures) {
    if (measure.has_options) continue;
    m.def(
        measure.name,
        [score = measure.score](const Integers& values, const Array<std::int64_t>& offsets, int threads) {
          const IntegerBatch batch(values, offsets);
          std::vector<double> out(batch.size());
          for_each_permutation(batch, threads, [&](const Stop& stop) {
            return [&, analysis = PermutationAnalysis(stop)](const Permutation& pi, std::size_t k) mutable {
              analysis.load(pi);
              out[k] = score(analysis);
            };
          });
          return to_numpy(std::move(out));
        },
        nb::arg("values").noconvert(), nb::arg("offsets").noconvert(), nb::arg("threads"));
  }

  m.def(
      "measures",
      [](const Integers& values, const Array<std::int64_t>& offsets, int threads) {
        const IntegerBatch batch(values, offsets);
        std::array<std::vector<double>, measures.size()> columns;
        for (auto& column : columns) column.resize(batch.size());
        for_each_permutation(batch, threads, [&](const Stop& stop) {
          return [&, analysis = PermutationAnalysis(stop)](const Permutation& pi, std::size_t k) mutable {
            analysis.load(pi);
            for (std::size_t i = 0; i < measures.size(); ++i) columns[i][k] = measures[i].score(analysis);
          };
        });
        nb::typed<nb::dict, nb::str, Result<double>> scores;
        for (std::size_t i = 0; i < measures.size(); ++i)
          scores[measures[i].name] = to_numpy(std::move(columns[i]));
        return scores;
      },
      nb::arg("values").noconvert(), nb::arg("offsets").noconvert(), nb::arg("threads"),
      "Every measure of every permutation, with default options: a dict from name to array.");
}

}  // namespace hyperbaton::bindings
