// The Levenshtein distance of two sentences, with bit vectors (Myers 1999, Hyyrö 2003).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "support/parallel.hpp"

namespace hyperbaton {

// Neighbouring cells of the table of distances differ by −1, 0 or 1. A block is 64 rows of the table: two bit
// vectors have the vertical differences of a column. The table is computed block by block, from left to
// right, so that the words of only one block have to be looked up. What a block passes down to the next one
// are the horizontal differences of its last row.
class Levenshtein {
 public:
  std::int64_t operator()(std::span<const std::int32_t> s, std::span<const std::int32_t> t,
                          const Stop& stop) {
    strip_common_ends(s, t);
    number_words(s, t);
    steps_.assign(t.size(), 1);  // row 0 counts the words of t
    for (std::size_t first = 0; first < s.size(); first += block_rows) {
      if (stop.load(std::memory_order_relaxed)) throw Interrupted();
      const std::size_t rows = std::min(block_rows, s.size() - first);
      for (std::size_t k = 0; k < rows; ++k) positions_[s_[first + k]] |= std::uint64_t{1} << k;
      run_block(std::uint64_t{1} << (rows - 1));
      for (std::size_t k = 0; k < rows; ++k) positions_[s_[first + k]] = 0;
    }
    std::int64_t distance = static_cast<std::int64_t>(s.size());
    for (const std::int8_t step : steps_) distance += step;
    return distance;
  }

 private:
  static constexpr std::size_t block_rows = 64;
  std::vector<std::int32_t> words_;       // the different words of s, sorted
  std::vector<std::uint32_t> s_, t_;      // the numbers of words; those that s does not have get the last
  std::vector<std::uint64_t> positions_;  // by word: the rows of the block that have it
  std::vector<std::int8_t> steps_;        // by word of t: the horizontal difference below the last block

  static void strip_common_ends(std::span<const std::int32_t>& s, std::span<const std::int32_t>& t) {
    const auto begin = std::mismatch(s.begin(), s.end(), t.begin(), t.end());
    s = s.subspan(static_cast<std::size_t>(begin.first - s.begin()));
    t = t.subspan(static_cast<std::size_t>(begin.second - t.begin()));
    const auto end = std::mismatch(s.rbegin(), s.rend(), t.rbegin(), t.rend());
    s = s.first(s.size() - static_cast<std::size_t>(end.first - s.rbegin()));
    t = t.first(t.size() - static_cast<std::size_t>(end.second - t.rbegin()));
  }

  void number_words(std::span<const std::int32_t> s, std::span<const std::int32_t> t) {
    words_.assign(s.begin(), s.end());
    std::sort(words_.begin(), words_.end());
    words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
    const auto number = [this](std::int32_t word) {
      const auto found = std::lower_bound(words_.begin(), words_.end(), word);
      const bool is_known = found != words_.end() && *found == word;
      return static_cast<std::uint32_t>(is_known ? found - words_.begin() : std::ssize(words_));
    };
    s_.resize(s.size());
    t_.resize(t.size());
    std::transform(s.begin(), s.end(), s_.begin(), number);
    std::transform(t.begin(), t.end(), t_.begin(), number);
    positions_.assign(words_.size() + 1, 0);
  }

  // `last` is the bit of the last row.
  void run_block(std::uint64_t last) {
    std::uint64_t plus = ~std::uint64_t{0}, minus = 0;  // vertical differences of 1 and of −1
    for (std::size_t j = 0; j < t_.size(); ++j) {
      const bool rises = steps_[j] > 0, falls = steps_[j] < 0;  // in the row above the block
      std::uint64_t equal = positions_[t_[j]];
      const std::uint64_t vertical = equal | minus;
      equal |= falls;
      const std::uint64_t horizontal = (((equal & plus) + plus) ^ plus) | equal;
      std::uint64_t right = minus | ~(horizontal | plus);  // horizontal differences of 1
      std::uint64_t left = plus & horizontal;              // and of −1
      steps_[j] = static_cast<std::int8_t>(((right & last) != 0) - ((left & last) != 0));
      right = right << 1 | rises;
      left = left << 1 | falls;
      plus = left | ~(vertical | right);
      minus = right & vertical;
    }
  }
};

}  // namespace hyperbaton
