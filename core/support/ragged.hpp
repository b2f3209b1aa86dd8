// A batch of sequences of different lengths, stored one after another in one array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/errors.hpp"

namespace hyperbaton {

// Sequence k is values[offsets[k]] .. values[offsets[k + 1] - 1].
// The offsets are a copy, so that a caller who changes them from another thread cannot cause an access
// out of bounds. The values belong to the caller, unless they are given as a vector.
template <class Value>
class Ragged {
  std::vector<Value> owned_;

 public:
  std::span<const Value> values;
  std::vector<std::int64_t> offsets;

  Ragged(std::span<const Value> flat, std::vector<std::int64_t> bounds)
      : values(flat), offsets(std::move(bounds)) {
    check();
  }
  Ragged(std::vector<Value>&& flat, std::vector<std::int64_t> bounds)
      : owned_(std::move(flat)), values(owned_), offsets(std::move(bounds)) {
    check();
  }
  // A copy would refer to the values of the original.
  Ragged(const Ragged&) = delete;
  Ragged& operator=(const Ragged&) = delete;

  std::size_t size() const { return offsets.size() - 1; }
  std::span<const Value> operator[](std::size_t k) const {
    return values.subspan(static_cast<std::size_t>(offsets[k]),
                          static_cast<std::size_t>(offsets[k + 1] - offsets[k]));
  }

 private:
  void check() const {
    const auto total = static_cast<std::int64_t>(values.size());
    if (offsets.empty()) throw InputError("offsets are empty: n permutations need n + 1 offsets");
    if (offsets.front() != 0)
      throw InputError("offsets[0] is " + std::to_string(offsets.front()) + ", not 0");
    for (std::size_t k = 1; k < offsets.size(); ++k) {
      if (offsets[k] < offsets[k - 1])
        throw InputError("offsets[" + std::to_string(k) + "] is " + std::to_string(offsets[k]) +
                         ", less than the " + std::to_string(offsets[k - 1]) + " before it");
    }
    if (offsets.back() != total)
      throw InputError("offsets end at " + std::to_string(offsets.back()) + ", but there are " +
                       std::to_string(total) + " values");
  }
};

}  // namespace hyperbaton
