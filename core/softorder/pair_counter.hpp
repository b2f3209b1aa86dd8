// Counts of words and of pairs of words in sentences that differ from each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "support/errors.hpp"
#include "text/digest.hpp"
#include "text/string_numbers.hpp"

namespace hyperbaton {

// Counts of integers, in a hash table of twelve bytes for each slot. At most three of four slots are used.
class IntegerCounts {
 public:
  void add(std::uint64_t key) {
    if (4 * (used_ + 1) > 3 * keys_.size()) grow();
    const std::size_t at = find(key);
    if (keys_[at] == none) {
      keys_[at] = key;
      ++used_;
    }
    if (counts_[at] == std::numeric_limits<std::uint32_t>::max())
      throw InputError("the corpus is too large: a pair of words occurs more than 4,294,967,295 times");
    ++counts_[at];
  }

  // Calls body(key, count) for each integer, in no particular order.
  template <class Body>
  void each(Body body) const {
    for (std::size_t k = 0; k < keys_.size(); ++k)
      if (keys_[k] != none) body(keys_[k], counts_[k]);
  }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  std::vector<std::uint64_t> keys_ = std::vector<std::uint64_t>(1024, none);
  std::vector<std::uint32_t> counts_ = std::vector<std::uint32_t>(1024);
  std::size_t used_ = 0;

  std::size_t find(std::uint64_t key) const {
    const std::uint64_t product = (key ^ hash_seed) * 0x9E3779B97F4A7C15u;
    const std::uint64_t hash = (product ^ product >> 29) * 0xBF58476D1CE4E5B9u >> 32;
    std::size_t at = static_cast<std::size_t>(hash * keys_.size() >> 32);
    while (keys_[at] != none && keys_[at] != key) at = at + 1 < keys_.size() ? at + 1 : 0;
    return at;
  }

  void grow() {
    if (keys_.size() >= std::size_t{1} << 31)
      throw InputError("the corpus is too large: it has more than a billion different pairs of words");
    // The table stays as it was if there is no memory for a larger one.
    std::vector<std::uint64_t> old_keys(keys_.size() + keys_.size() / 2, none);  // twice would waste memory
    std::vector<std::uint32_t> old_counts(old_keys.size());
    std::swap(keys_, old_keys);
    std::swap(counts_, old_counts);
    for (std::size_t k = 0; k < old_keys.size(); ++k)
      if (old_keys[k] != none) {
        const std::size_t at = find(old_keys[k]);
        keys_[at] = old_keys[k];
        counts_[at] = old_counts[k];
      }
  }
};

// Lines without repetitions, known by digests of 128 bits. Of several parts of a corpus, each has the lines
// whose digests belong to it, so that no line is in two parts.
class DistinctLines {
 public:
  DistinctLines(std::uint64_t part, std::uint64_t parts) : part_(part), parts_(parts) {}

  // Whether the line belongs to the part and is new.
  bool add(std::string_view line) {
    Digest digest;
    digest.add(line, 1);  // with 0, the digest of an empty line would be 0
    if (digest.high % parts_ != part_) return false;
    if (2 * (count_ + 1) > slots_.size()) grow();
    Digest& slot = slots_[find(slots_, digest)];
    if (is_used(slot)) return false;
    slot = digest;
    ++count_;
    sum_.low += digest.low;
    sum_.high += digest.high;
    return true;
  }

  std::size_t count() const { return count_; }
  // The sum of the lines' digests: it does not depend on their order, and sums of parts add up.
  const Digest& digest() const { return sum_; }

 private:
  std::uint64_t part_, parts_;
  std::vector<Digest> slots_ = std::vector<Digest>(1024);  // at most half of them are used
  std::size_t count_ = 0;
  Digest sum_;

  // No line has the digest 0: the chance is 1 in 2^128.
  static bool is_used(const Digest& slot) { return slot.low != 0 || slot.high != 0; }
  static std::size_t find(const std::vector<Digest>& slots, const Digest& digest) {
    std::size_t at = digest.low & (slots.size() - 1);
    while (is_used(slots[at]) && (slots[at].low != digest.low || slots[at].high != digest.high))
      at = (at + 1) & (slots.size() - 1);
    return at;
  }
  void grow() {
    std::vector<Digest> larger(2 * slots_.size());
    for (const Digest& slot : slots_)
      if (is_used(slot)) larger[find(larger, slot)] = slot;
    slots_ = std::move(larger);
  }
};

// The memory of a PairTable.
struct CountedPairs {
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> followers;
  std::vector<std::uint32_t> counts;
};

// Counts words, neighbours and words two apart, in sentences between two marks. Words are numbered from 0.
class PairCounter {
 public:
  void add(std::span<const std::int32_t> sentence) {
    std::uint64_t before = begin_mark, last = begin_mark;
    const auto follow = [&](std::uint64_t word, bool first) {
      next_.add(last << 32 | word);
      if (!first) after_next_.add(before << 32 | word);
      before = last;
      last = word;
    };
    for (std::size_t k = 0; k < sentence.size(); ++k) {
      const auto word = static_cast<std::size_t>(sentence[k]);
      if (word >= word_counts_.size()) word_counts_.resize(word + 1);
      ++word_counts_[word];
      follow(word, k == 0);
    }
    follow(end_mark, sentence.empty());
  }

  // The counts of words by number, without the marks.
  const std::vector<std::int64_t>& word_counts() const { return word_counts_; }

  // The table of pairs at a distance. `ranks` has the new number, less than `words`, of each word that
  // occurs; the marks come after them. The counts are forgotten, to make room.
  CountedPairs take_table(std::size_t distance, std::span<const std::int32_t> ranks, std::size_t words) {
    const IntegerCounts counts = std::exchange(distance == 1 ? next_ : after_next_, {});
    const auto rank = [&](std::uint64_t word) -> std::uint64_t {
      if (word == begin_mark) return words;
      if (word == end_mark) return words + 1;
      return static_cast<std::uint64_t>(ranks[static_cast<std::size_t>(word)]);
    };
    CountedPairs table;
    table.offsets.assign(words + 3, 0);
    counts.each([&](std::uint64_t key, std::uint32_t) {
      ++table.offsets[static_cast<std::size_t>(rank(key >> 32)) + 1];
    });
    for (std::size_t x = 1; x < table.offsets.size(); ++x) table.offsets[x] += table.offsets[x - 1];
    table.followers.resize(static_cast<std::size_t>(table.offsets.back()));
    table.counts.resize(table.followers.size());
    std::vector<std::int64_t> ends(table.offsets.begin(),
                                   table.offsets.end() - 1);  // of what a row has so far
    counts.each([&](std::uint64_t key, std::uint32_t count) {
      const auto at = static_cast<std::size_t>(ends[static_cast<std::size_t>(rank(key >> 32))]++);
      table.followers[at] = static_cast<std::int32_t>(rank(key & low_half));
      table.counts[at] = count;
    });
    for (std::size_t x = 0; x + 1 < table.offsets.size(); ++x)
      sort_row(table, static_cast<std::size_t>(table.offsets[x]),
               static_cast<std::size_t>(table.offsets[x + 1]));
    return table;
  }

 private:
  static constexpr std::uint64_t low_half = 0xFFFFFFFF;
  static constexpr std::uint64_t begin_mark = low_half - 1, end_mark = low_half - 2;
  std::vector<std::int64_t> word_counts_;
  IntegerCounts next_, after_next_;
  std::vector<std::pair<std::int32_t, std::uint32_t>> row_;

  void sort_row(CountedPairs& table, std::size_t begin, std::size_t end) {
    row_.clear();
    for (std::size_t k = begin; k < end; ++k) row_.emplace_back(table.followers[k], table.counts[k]);
    std::sort(row_.begin(), row_.end());
    for (std::size_t k = begin; k < end; ++k) std::tie(table.followers[k], table.counts[k]) = row_[k - begin];
  }
};

}  // namespace hyperbaton
