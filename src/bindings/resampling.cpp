#include "resampling.hpp"

#include "batch.hpp"

namespace hyperbaton::bindings {

void bind_resampling(nb::module_& m) {
  m.def(
      "count_draws",
      [](const Array<std::int32_t>& draws, std::size_t length, int threads) {
        const auto all = view(draws);
        if (length == 0 || all.size() % length != 0) {
          throw std::invalid_argument("a sample has as many draws as there are rows");
        }
        const std::size_t samples = all.size() / length;
        std::vector<std::int32_t> counts(all.size());
        run(samples, all.size(), threads, [&](const Stop&) {
          return [&](std::size_t k) {
            count_draws(all.subspan(k * length, length), std::span(counts).subspan(k * length, length));
          };
        });
        return to_numpy(std::move(counts));
      },
      nb::arg("draws").noconvert(), nb::arg("length"), nb::arg("threads"));

  m.def(
      "weighted_sums",
      [](const Array<std::int32_t>& counts, const Array<double>& rows, std::size_t length, int threads) {
        const auto all = view(counts);
        const auto table = view(rows);
        if (length == 0 || all.size() % length != 0 || table.size() % length != 0) {
          throw std::invalid_argument("counts and columns are as long as there are rows");
        }
        const std::size_t samples = all.size() / length, columns = table.size() / length;
        const std::size_t groups = (samples + samples_together - 1) / samples_together;
        std::vector<double> out(samples * columns);
        run(groups, samples * table.size(), threads, [&](const Stop&) {
          return [&](std::size_t group) {
            const std::size_t begin = group * samples_together;
            const std::size_t end = std::min(begin + samples_together, samples);
            if (end - begin == samples_together) {
              weighted_sums<samples_together>(
                  all.subspan(begin * length, samples_together * length), table, length,
                  std::span(out).subspan(begin * columns, samples_together * columns));
              return;
            }
            for (std::size_t k = begin; k < end; ++k) {
              weighted_sums<1>(all.subspan(k * length, length), table, length,
                               std::span(out).subspan(k * columns, columns));
            }
          };
        });
        return to_numpy(std::move(out));
      },
      nb::arg("counts").noconvert(), nb::arg("rows").noconvert(), nb::arg("length"), nb::arg("threads"));
}

}  // namespace hyperbaton::bindings
