#include "support/resampling.hpp"

#include "bindings/batch.hpp"

namespace hyperbaton::bindings {

void bind_resampling(nb::module_& m) {
  m.def(
      "draw",
      [](bool coins, std::size_t length, std::size_t first, std::size_t samples, std::uint64_t seed,
         int threads) {
        constexpr std::size_t most_counts = std::size_t{1} << 28;  // a gigabyte
        if (length == 0 || length > most_counts || samples > most_counts / length)
          throw std::invalid_argument("there are no rows to draw from, or too many samples");
        std::vector<std::int32_t> counts(samples * length);
        run(samples, counts.size(), threads, [&](const Stop&) {
          return [&](std::size_t k) {
            const auto row = std::span(counts).subspan(k * length, length);
            coins ? draw_coins(seed, first + k, row) : draw_with_replacement(seed, first + k, row);
          };
        });
        return to_numpy(std::move(counts));
      },
      nb::arg("coins"), nb::arg("length"), nb::arg("first"), nb::arg("samples"), nb::arg("seed"),
      nb::arg("threads"),
      "The counts of samples `first` to `first + samples - 1` of a seed, `length` numbers each.");

  m.def(
      "weighted_sums",
      [](const Array<std::int32_t>& counts, const Array<double>& rows, std::size_t length, int threads) {
        const auto all = view(counts);
        const auto table = view(rows);
        if (length == 0 || all.size() % length != 0 || table.size() % length != 0) {
          throw std::invalid_argument("the sizes of counts and rows must be multiples of the length");
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
      nb::arg("counts").noconvert(), nb::arg("rows").noconvert(), nb::arg("length"), nb::arg("threads"),
      "The sums of the rows (of `length` numbers each) weighted by each sample's counts.");
}

}  // namespace hyperbaton::bindings
