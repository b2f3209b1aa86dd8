// CDER (Leusch, Ueffing & Ney 2006): an edit distance with jumps within the hypothesis.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "support/parallel.hpp"

namespace hyperbaton {

// For a hypothesis prefix of i and a reference prefix of l tokens, D(0,0) = 0, D(i>0,0) = 1 and
// D(i,l) = min(D(i−1,l−1) + [h ≠ r], D(i−1,l) + 1, D(i,l−1) + 1). A jump to any position then limits
// D(i,l) to 1 + min over i′ of D(i′,l). D(i−1,l) + 1 is not needed, because it is no less than a jump.
class Cder {
 public:
  std::int64_t operator()(std::span<const std::int32_t> hypothesis, std::span<const std::int32_t> reference,
                          const Stop& stop) {
    const std::size_t n = hypothesis.size();
    row_.assign(n + 1, 1);
    row_[0] = 0;
    for (const std::int32_t word : reference) {
      if (stop.load(std::memory_order_relaxed)) throw Interrupted();
      std::int64_t diagonal = row_[0], least = ++row_[0];
      for (std::size_t i = 1; i <= n; ++i) {
        const std::int64_t value = std::min(diagonal + (hypothesis[i - 1] != word), row_[i] + 1);
        diagonal = row_[i];
        row_[i] = value;
        least = std::min(least, value);
      }
      for (std::int64_t& value : row_) value = std::min(value, least + 1);
    }
    return row_[n];
  }

 private:
  std::vector<std::int64_t> row_;
};

}  // namespace hyperbaton
