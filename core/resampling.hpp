// Sums over samples of rows: each row of a table as often as a sample has it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hyperbaton {

// out[c] = Σ_i counts[i] · rows[i][c], the rows one after another. Always in this order: a sum of
// rounded numbers depends on it, and a sample must have the same sums on any number of threads.
inline void weighted_sums(std::span<const std::int32_t> counts, std::span<const double> rows,
                          std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  const std::size_t columns = out.size();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const double weight = counts[i];
    const double* row = rows.data() + i * columns;
    for (std::size_t c = 0; c < columns; ++c) out[c] += weight * row[c];
  }
}

}  // namespace hyperbaton
