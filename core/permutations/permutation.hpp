// One permutation, and the check that a sequence of integers is one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "support/errors.hpp"

namespace hyperbaton {

// The message says which value is wrong and where. Positions count from 1, as in the papers.
class NotAPermutation : public InputError {
 public:
  using InputError::InputError;
};

// Twice this length, as for the children of a tree, still fits an int32.
inline constexpr std::size_t longest_permutation = (std::size_t{1} << 30) - 1;

// Values count from 0 here. Callers use values from 1, as in the papers.
struct Permutation {
  std::vector<std::int32_t> value;

  std::int32_t size() const { return static_cast<std::int32_t>(value.size()); }

  // Copies values from 1 to n, after checking them.
  template <class Value>
  void load(std::span<const Value> from) {
    if (from.size() > longest_permutation) throw NotAPermutation("longer than 2^30 - 1");
    const auto n = static_cast<std::int32_t>(from.size());
    value.resize(from.size());
    seen_.assign(from.size(), false);
    for (std::int32_t i = 0; i < n; ++i) {
      const Value v = from[i];  // read once, because another thread may change it
      if (v < 1 || v > n) fail(v, i, " is outside 1.." + std::to_string(n));
      value[i] = static_cast<std::int32_t>(v) - 1;
      if (seen_[value[i]]) {
        const auto first = std::find(value.begin(), value.begin() + i, value[i]) - value.begin();
        fail(v, i, " already occurs at position " + std::to_string(first + 1));
      }
      seen_[value[i]] = true;
    }
  }

 private:
  std::vector<bool> seen_;

  [[noreturn]] static void fail(std::int64_t v, std::int32_t i, std::string problem) {
    if (v == 0) problem += " (permutations count from 1, not from 0)";
    throw NotAPermutation("value " + std::to_string(v) + " at position " + std::to_string(i + 1) + problem);
  }
};

}  // namespace hyperbaton
