// How often pairs of words are linked.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "support/prefetch.hpp"

namespace hyperbaton {

// Counts of pairs, in a hash table. Most pairs that it is asked for have no link. So that they are found out
// quickly, eight slots share a word of tags, which has eight bits of the hash of each slot. At most three of
// four slots are used.
class LinkCounts {
 public:
  struct Entry {
    std::int32_t from = 0, to = 0;
    std::uint32_t count = 0;
  };

  std::uint32_t count(std::int32_t from, std::int32_t to) const {
    const Entry* const entry = find(from, to, hash(from, to));
    return entry == nullptr ? 0 : entry->count;
  }
  // Loads the tags of a pair into the cache, since it will be asked for soon.
  void prefetch(std::int32_t from, std::int32_t to) const {
    hyperbaton::prefetch(&tags_[home(hash(from, to))]);
  }

  void add(std::int32_t from, std::int32_t to, std::uint32_t count = 1) {
    const std::uint64_t hashed = hash(from, to);
    auto* entry = const_cast<Entry*>(find(from, to, hashed));
    if (entry == nullptr) {
      if (4 * (used_ + 1) > 3 * slots_.size()) rebuild();
      entry = &insert({from, to, 0}, hashed);
    }
    if (entry->count > std::numeric_limits<std::uint32_t>::max() - count)
      throw std::overflow_error("too many links of one pair of words");
    entry->count += count;
  }
  // The pair must have a link.
  void remove(std::int32_t from, std::int32_t to) {
    --const_cast<Entry*>(find(from, to, hash(from, to)))->count;
  }

  // Calls body(entry) for all pairs with a link.
  template <class Body>
  void each(Body body) const {
    for (const Entry& entry : slots_)
      if (entry.count > 0) body(entry);
  }
  std::size_t pairs() const {
    std::size_t pairs = 0;
    each([&](const Entry&) { ++pairs; });
    return pairs;
  }

 private:
  static constexpr std::size_t group = 8;
  static constexpr std::uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
  std::vector<Entry> slots_ = std::vector<Entry>(128 * group);
  std::vector<std::uint64_t> tags_ = std::vector<std::uint64_t>(128);  // the tag of a free slot is 0
  std::size_t used_ = 0;

  static std::uint64_t hash(std::int32_t from, std::int32_t to) {
    const std::uint64_t pair = static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
    const std::uint64_t product = (pair ^ pair >> 32) * 0x9E3779B97F4A7C15u;
    return (product ^ product >> 29) * 0xBF58476D1CE4E5B9u;
  }
  std::size_t home(std::uint64_t hash) const {
    return static_cast<std::size_t>((hash >> 32) * tags_.size() >> 32);
  }
  static std::uint64_t tag(std::uint64_t hash) { return 0x80u | (hash & 0x7Fu); }

  const Entry* find(std::int32_t from, std::int32_t to, std::uint64_t hashed) const {
    const std::uint64_t wanted = tag(hashed) * ones;
    for (std::size_t at = home(hashed);;) {
      const std::uint64_t difference = tags_[at] ^ wanted;
      // The top bit of each byte that is 0; sometimes of another one, so that words are compared, too.
      for (std::uint64_t equal = (difference - ones) & ~difference & tops; equal != 0; equal &= equal - 1) {
        const Entry& entry = slots_[at * group + static_cast<std::size_t>(std::countr_zero(equal)) / 8];
        if (entry.from == from && entry.to == to) return &entry;
      }
      if ((~tags_[at] & tops) != 0) return nullptr;
      if (++at == tags_.size()) at = 0;
    }
  }

  Entry& insert(const Entry& entry, std::uint64_t hashed) {
    std::size_t at = home(hashed);
    while ((~tags_[at] & tops) == 0)
      if (++at == tags_.size()) at = 0;
    const auto slot = static_cast<std::size_t>(std::countr_zero(~tags_[at] & tops)) / 8;
    tags_[at] |= tag(hashed) << 8 * slot;
    ++used_;
    return slots_[at * group + slot] = entry;
  }

  // Drops pairs that have no link any more, and makes room for more.
  void rebuild() {
    const std::size_t groups = pairs() / group * 9 / 4 + 128;  // it is half full at most
    if (std::uint64_t{groups} >= std::uint64_t{1} << 32) throw std::length_error("too many pairs of words");
    used_ = 0;
    tags_ = {};
    tags_.resize(groups);
    const auto before = std::exchange(slots_, std::vector<Entry>(groups * group));
    for (const Entry& entry : before)
      if (entry.count > 0) insert(entry, hash(entry.from, entry.to));
  }
};

}  // namespace hyperbaton
