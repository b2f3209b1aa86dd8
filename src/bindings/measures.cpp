#include "measures.hpp"

#include "batch.hpp"

namespace hyperbaton::bindings {

void bind_measures(nb::module_& m) {
  for_both_widths([&]<class Value>(Value) {
    m.def(
        "measures",
        [](const Array<Value>& values, const Array<std::int64_t>& offsets, int threads) {
          const auto batch = ragged(values, offsets);
          std::array<std::vector<double>, measure_names.size()> out;
          for (auto& column : out) column.resize(batch.size());
          for_each_permutation(batch, threads, [&](Analyzer& analyzer, std::size_t k) {
            const auto row = all_measures(analyzer);
            for (std::size_t i = 0; i < row.size(); ++i) out[i][k] = row[i];
          });
          nb::dict named;
          for (std::size_t i = 0; i < out.size(); ++i)
            named[measure_names[i].data()] = to_numpy(std::move(out[i]));
          return named;
        },
        nb::arg("values").noconvert(), nb::arg("offsets").noconvert(), nb::arg("threads"),
        "Every measure of every permutation, with the default options: a dict from name to array.");
  });
}

}  // namespace hyperbaton::bindings
