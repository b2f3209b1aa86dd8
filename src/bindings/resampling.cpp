#include "resampling.hpp"

#include "batch.hpp"

namespace hyperbaton::bindings {

void bind_resampling(nb::module_& m) {
  m.def(
      "weighted_sums",
      [](const Array<std::int32_t>& counts, const Array<double>& rows, std::size_t length, int threads) {
        const auto all_counts = view(counts);
        const auto table = view(rows);
        if (length == 0 || all_counts.size() % length != 0 || table.size() % length != 0) {
          throw std::invalid_argument("counts and rows are as many as there are segments");
        }
        const std::size_t samples = all_counts.size() / length, columns = table.size() / length;
        std::vector<double> out(samples * columns);
        run(samples, samples * length * columns, threads, [&](const Stop&) {
          return [&](std::size_t k) {
            weighted_sums(all_counts.subspan(k * length, length), table,
                          std::span(out).subspan(k * columns, columns));
          };
        });
        return to_numpy(std::move(out));
      },
      nb::arg("counts").noconvert(), nb::arg("rows").noconvert(), nb::arg("length"), nb::arg("threads"));
}

}  // namespace hyperbaton::bindings
