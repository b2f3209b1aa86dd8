// The inversion edit distance as its paper computes it: every box of the table and every split of it.
// Benchmarks compare the fast code with it, and so do tests for which the reference implementation in
// tests/reference/ is too slow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cyk {

struct Costs {
  std::int64_t inversion = 1, substitution = 1, deletion = 1, insertion = 1;
};

// O(I³J³) time, O(I²J²) memory. Boxes are half-open: s[i0:i1] against t[j0:j1]. Large costs need a wide Cell.
template <class Cell = int, class Token>
std::int64_t inversion_distance(const std::vector<Token>& s, const std::vector<Token>& t, const Costs& cost) {
  const std::size_t I = s.size(), J = t.size();
  std::vector<Cell> table((I + 1) * (I + 1) * (J + 1) * (J + 1));
  auto Q = [&](std::size_t i0, std::size_t i1, std::size_t j0) {
    return table.data() + ((i0 * (I + 1) + i1) * (J + 1) + j0) * (J + 1);
  };
  for (std::size_t i0 = I + 1; i0-- > 0;) {
    for (std::size_t i1 = i0; i1 <= I; ++i1) {
      for (std::size_t j0 = J + 1; j0-- > 0;) {
        for (std::size_t j1 = j0; j1 <= J; ++j1) {
          Cell best = static_cast<Cell>(cost.deletion * (i1 - i0) + cost.insertion * (j1 - j0));
          if (i1 == i0 + 1 && j1 == j0 + 1)
            best = std::min(best, s[i0] == t[j0] ? Cell{0} : static_cast<Cell>(cost.substitution));
          Q(i0, i1, j0)[j1] = best;  // so that the split into everything and nothing has no effect
          for (std::size_t i = i0; i <= i1; ++i) {
            for (std::size_t j = j0; j <= j1; ++j) {
              const Cell straight = Q(i0, i, j0)[j] + Q(i, i1, j)[j1];
              const Cell inverted = static_cast<Cell>(cost.inversion) + Q(i0, i, j)[j1] + Q(i, i1, j0)[j];
              best = std::min({best, straight, inverted});
            }
          }
          Q(i0, i1, j0)[j1] = best;
        }
      }
    }
  }
  return Q(0, I, 0)[J];
}

}  // namespace cyk
