// Many permutations in one flat array, and the check that each of them is one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace hyperbaton {

// Permutation k is values[offsets[k]] .. values[offsets[k + 1] - 1], 1-based as in the papers.
// The values belong to the caller; the offsets are our own copy, so that a caller who changes
// them from another thread cannot lead us out of bounds.
template <class Value>
struct Ragged {
  std::span<const Value> values;
  std::vector<std::int64_t> offsets;

  Ragged(std::span<const Value> flat, std::vector<std::int64_t> bounds)
      : values(flat), offsets(std::move(bounds)) {
    const auto total = static_cast<std::int64_t>(values.size());
    if (offsets.empty())
      throw std::invalid_argument("offsets are empty: they need n + 1 entries for n permutations");
    if (offsets.front() != 0)
      throw std::invalid_argument("offsets[0] is " + std::to_string(offsets.front()) + ", not 0");
    for (std::size_t k = 1; k < offsets.size(); ++k) {
      if (offsets[k] < offsets[k - 1])
        throw std::invalid_argument("offsets[" + std::to_string(k) + "] is " + std::to_string(offsets[k]) +
                                    ", less than the " + std::to_string(offsets[k - 1]) + " before it");
    }
    if (offsets.back() != total)
      throw std::invalid_argument("offsets end at " + std::to_string(offsets.back()) + ", but there are " +
                                  std::to_string(total) + " values");
  }

  std::size_t size() const { return offsets.size() - 1; }
  std::span<const Value> operator[](std::size_t k) const {
    return values.subspan(static_cast<std::size_t>(offsets[k]),
                          static_cast<std::size_t>(offsets[k + 1] - offsets[k]));
  }
};

// Says which value is wrong and where; positions count from 1, as in the papers.
class NotAPermutation : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// So that twice a length, as in the children of a tree, is still an int32.
inline constexpr std::size_t longest_permutation = (std::size_t{1} << 30) - 1;

// One permutation, from 0.
struct Permutation {
  std::vector<std::int32_t> value;

  std::int32_t size() const { return static_cast<std::int32_t>(value.size()); }

  template <class Value>
  void load(std::span<const Value> from) {
    if (from.size() > longest_permutation) throw NotAPermutation("longer than 2^30 - 1");
    const auto n = static_cast<std::int32_t>(from.size());
    value.resize(from.size());
    seen_.assign(from.size(), false);
    for (std::int32_t i = 0; i < n; ++i) {
      const Value v = from[i];  // read once: the caller may be writing
      if (v < 1 || v > n) fail(v, i, " is outside 1.." + std::to_string(n));
      value[i] = static_cast<std::int32_t>(v) - 1;
      if (seen_[value[i]]) {
        const auto first = std::find(value.begin(), value.begin() + i, value[i]) - value.begin();
        fail(v, i, " stands at position " + std::to_string(first + 1) + " already");
      }
      seen_[value[i]] = true;
    }
  }

 private:
  std::vector<bool> seen_;

  [[noreturn]] static void fail(std::int64_t v, std::int32_t i, std::string what) {
    if (v == 0) what += " (permutations count from 1, not from 0)";
    throw NotAPermutation("value " + std::to_string(v) + " at position " + std::to_string(i + 1) + what);
  }
};

}  // namespace hyperbaton
