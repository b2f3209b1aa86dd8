// Values of pairs of integers that were computed lately.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hyperbaton {

// A pair has one place, which a later pair may take. Each thread needs its own cache.
class PairCache {
 public:
  // Forgets everything if the values are those of another function than before.
  void prepare(std::uint64_t function, double parameter = 0) {
    if (function == function_ && parameter == parameter_ && !entries_.empty()) return;
    entries_.assign(std::size_t{1} << size_bits, {});  // first, because it may throw
    function_ = function;
    parameter_ = parameter;
  }

  // Returns the value of a pair; compute() is called if it is not there.
  template <class Compute>
  double get(std::int32_t first, std::int32_t second, Compute compute) {
    const auto key = static_cast<std::uint64_t>(first) << 32 | static_cast<std::uint32_t>(second);
    Entry& entry = entries_[static_cast<std::size_t>(key * 0x9E3779B97F4A7C15u >> (64 - size_bits))];
    if (entry.first != first || entry.second != second) entry = {first, second, compute()};
    return entry.value;
  }

 private:
  static constexpr int size_bits = 15;  // more would not fit into the processor's cache
  struct Entry {
    std::int32_t first = -1, second = -1;  // no pair has them
    double value = 0;
  };
  std::uint64_t function_ = 0;
  double parameter_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace hyperbaton
