// A hash multimap from integers to integers that is cheap to refill: old entries need not be erased.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hyperbaton {

class IntegerMultimap {
 public:
  // Removes all entries and makes room for `count` new ones.
  void clear(std::size_t count) {
    if (entries_.size() < 2 * count) entries_.assign(std::bit_ceil(2 * count), {});
    ++filling_;
  }

  void add(std::int32_t key, std::uint32_t value) {
    std::size_t at = first(key);
    while (entries_[at].filling == filling_) at = next(at);
    entries_[at] = {filling_, key, value};
  }

  // Calls body(value) for every value of the key.
  template <class Body>
  void each(std::int32_t key, Body body) const {
    for (std::size_t at = first(key); entries_[at].filling == filling_; at = next(at))
      if (entries_[at].key == key) body(entries_[at].value);
  }

 private:
  struct Entry {
    std::uint64_t filling = 0;  // entries of earlier fillings count as free
    std::int32_t key = 0;
    std::uint32_t value = 0;
  };
  std::vector<Entry> entries_ = std::vector<Entry>(1024);  // at least half of them are free
  std::uint64_t filling_ = 0;

  std::size_t first(std::int32_t key) const {
    return (static_cast<std::uint32_t>(key) * 0x9E3779B97F4A7C15u >> 32) & (entries_.size() - 1);
  }
  std::size_t next(std::size_t at) const { return (at + 1) & (entries_.size() - 1); }
};

}  // namespace hyperbaton
