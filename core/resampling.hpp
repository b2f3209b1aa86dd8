// Samples of the rows of a table: how often each is drawn, and the sums of what is drawn.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

namespace hyperbaton {

// counts[i]: how often i is among the draws.
inline void count_draws(std::span<const std::int32_t> draws, std::span<std::int32_t> counts) {
  std::fill(counts.begin(), counts.end(), 0);
  for (const std::int32_t i : draws) {
    if (i < 0 || static_cast<std::size_t>(i) >= counts.size()) {
      throw std::invalid_argument("a draw is outside the table");
    }
    ++counts[static_cast<std::size_t>(i)];
  }
}

// Samples whose sums are made together: a row is fetched once for all of them.
inline constexpr std::size_t samples_together = 4;

// out[s][c] = Σ_i counts[s][i] · rows[i][c] for a few samples s, row after row. Always in this
// order: a sum of rounded numbers depends on it, and a sample must have the same sums on any number
// of threads. (What is not drawn adds 0, which changes nothing.)
template <std::size_t Samples>
void weighted_sums(std::span<const std::int32_t> counts, std::span<const double> rows, std::size_t length,
                   std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  const std::size_t columns = out.size() / Samples;
  for (std::size_t i = 0; i < length; ++i) {
    std::array<double, Samples> weights;
    bool any = false;
    for (std::size_t s = 0; s < Samples; ++s) {
      weights[s] = counts[s * length + i];
      any = any || weights[s] != 0;
    }
    if (!any) continue;
    const double* row = rows.data() + i * columns;
    double* sums = out.data();
    for (std::size_t c = 0; c < columns; ++c) {
      const double value = row[c];
      for (std::size_t s = 0; s < Samples; ++s) sums[s * columns + c] += weights[s] * value;
    }
  }
}

}  // namespace hyperbaton
