// The costs of edit operations, and a pair of sentences to edit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace hyperbaton {

// Costs are integers. Callers scale fractions: 0.5 and 1 become 1 and 2.
struct EditCosts {
  std::uint64_t inversion, substitution, deletion, insertion;

  // The cheapest way to replace one token by another.
  std::uint64_t replacement() const { return std::min(substitution, deletion + insertion); }

  // The bag distance: the cheapest edit of n tokens into m, if `common` of them match regardless of order.
  std::uint64_t bag(std::uint64_t n, std::uint64_t m, std::uint64_t common) const {
    return replacement() * (std::min(n, m) - common) + deletion * (n > m ? n - m : 0) +
           insertion * (m > n ? m - n : 0);
  }
};

// Two sentences as numbers below `types`. Equal tokens have equal numbers.
struct TokenPair {
  std::vector<std::int32_t> s, t;
  std::int32_t types = 0;
};

// A budget of elementary steps, about one for each block of a row.
struct StepBudget {
  std::uint64_t left;

  // Returns false, and leaves nothing, if there are not enough steps left.
  bool spend(std::uint64_t steps) {
    const bool enough = steps <= left;
    left -= enough ? steps : left;
    return enough;
  }
};

}  // namespace hyperbaton
