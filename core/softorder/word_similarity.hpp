// How similar two words look: by Levenshtein distance, or by a common beginning.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace hyperbaton {

using CodePoints = std::span<const std::int32_t>;

// The Levenshtein distance of a pattern to other texts, 64 cells at a time (Myers 1999; Hyyrö 2003 for
// patterns of several blocks). Each thread needs its own.
class BitParallelLevenshtein {
 public:
  void set_pattern(CodePoints pattern) {
    for (const std::int32_t c : pattern_)
      if (is_ascii(c))
        for (auto& block : ascii_) block[static_cast<std::size_t>(c)] = 0;
    others_.clear();
    pattern_.assign(pattern.begin(), pattern.end());
    ascii_.resize(std::max<std::size_t>(1, (pattern_.size() + 63) / 64));
    // Of the copy, because another thread may change the original.
    for (std::size_t k = 0; k < pattern_.size(); ++k) mark(pattern_[k], k);
  }

  std::size_t distance(CodePoints text) {
    if (pattern_.empty()) return text.size();
    return ascii_.size() == 1 ? run_block(text) : run_blocks(text);
  }

 private:
  // Where a character occurs in the pattern: a bit for each place, in blocks of 64.
  struct Occurrence {
    std::int32_t character;
    std::size_t block;
    std::uint64_t bits;
  };
  // Cells of a column that are by 1 greater, and by 1 less, than the cell above.
  struct Block {
    std::uint64_t greater = ~std::uint64_t{0}, less = 0;
  };
  std::vector<std::int32_t> pattern_;
  std::vector<std::array<std::uint64_t, 128>> ascii_;
  std::vector<Occurrence> others_;  // sorted by character and block
  std::vector<Block> column_;

  static bool is_ascii(std::int32_t c) { return static_cast<std::uint32_t>(c) < 128; }
  static bool before(const Occurrence& a, const Occurrence& b) {
    return std::pair(a.character, a.block) < std::pair(b.character, b.block);
  }

  void mark(std::int32_t c, std::size_t place) {
    const std::size_t block = place / 64;
    const std::uint64_t bit = std::uint64_t{1} << place % 64;
    if (is_ascii(c)) {
      ascii_[block][static_cast<std::size_t>(c)] |= bit;
      return;
    }
    const Occurrence wanted{c, block, bit};
    const auto at = std::lower_bound(others_.begin(), others_.end(), wanted, before);
    if (at != others_.end() && !before(wanted, *at))
      at->bits |= bit;
    else
      others_.insert(at, wanted);
  }

  std::uint64_t places(std::int32_t c, std::size_t block) const {
    if (is_ascii(c)) return ascii_[block][static_cast<std::size_t>(c)];
    const Occurrence wanted{c, block, 0};
    const auto at = std::lower_bound(others_.begin(), others_.end(), wanted, before);
    return at != others_.end() && !before(wanted, *at) ? at->bits : 0;
  }

  std::uint64_t last_place() const { return std::uint64_t{1} << (pattern_.size() - 1) % 64; }

  // Most words have fewer than 64 characters.
  std::size_t run_block(CodePoints text) const {
    const std::uint64_t last = last_place();
    Block block;
    std::size_t distance = pattern_.size();
    for (const std::int32_t c : text) {
      const std::uint64_t equal = places(c, 0);
      const std::uint64_t vertical = equal | block.less;
      const std::uint64_t diagonal = (((equal & block.greater) + block.greater) ^ block.greater) | equal;
      std::uint64_t greater = block.less | ~(diagonal | block.greater);
      const std::uint64_t less = block.greater & diagonal;
      distance += (greater & last) != 0;
      distance -= (less & last) != 0;
      greater = greater << 1 | 1;  // the row above the pattern grows by 1 with each character
      block.greater = less << 1 | ~(vertical | greater);
      block.less = greater & vertical;
    }
    return distance;
  }

  std::size_t run_blocks(CodePoints text) {
    column_.assign(ascii_.size(), {});
    const std::uint64_t last = last_place();
    std::size_t distance = pattern_.size();
    for (const std::int32_t c : text) {
      std::uint64_t greater_in = 1, less_in = 0;
      for (std::size_t b = 0; b < column_.size(); ++b) {
        Block& block = column_[b];
        const std::uint64_t equal = places(c, b);
        const std::uint64_t vertical = equal | block.less;
        const std::uint64_t reach = equal | less_in;
        const std::uint64_t diagonal = (((reach & block.greater) + block.greater) ^ block.greater) | reach;
        std::uint64_t greater = block.less | ~(diagonal | block.greater);
        std::uint64_t less = block.greater & diagonal;
        if (b + 1 == column_.size()) {
          distance += (greater & last) != 0;
          distance -= (less & last) != 0;
        }
        const std::uint64_t greater_out = greater >> 63, less_out = less >> 63;
        greater = greater << 1 | greater_in;
        less = less << 1 | less_in;
        greater_in = greater_out;
        less_in = less_out;
        block.greater = less | ~(vertical | greater);
        block.less = greater & vertical;
      }
    }
    return distance;
  }
};

// What the similarity of two words follows from: max(1 − edits/longer, 2·prefix/both).
struct Likeness {
  std::size_t edits, prefix;  // Levenshtein distance and length of the common prefix
  std::size_t longer, both;   // characters of the longer word, and of both words
};

// Compares one word with many others.
class WordSimilarity {
 public:
  void set_word(CodePoints word) {
    word_ = word;
    levenshtein_.set_pattern(word);
  }

  // The word of set_word must still be there. The words differ.
  Likeness compare(CodePoints other) {
    const std::size_t longer = std::max(word_.size(), other.size()), both = word_.size() + other.size();
    std::size_t prefix = 0;
    while (prefix < both - longer && word_[prefix] == other[prefix]) ++prefix;
    return {levenshtein_.distance(other), prefix, longer, both};
  }

 private:
  CodePoints word_;
  BitParallelLevenshtein levenshtein_;
};

// A bit for each character of a word. Words without a common bit have no character in common.
inline std::uint64_t character_bits(CodePoints word) {
  std::uint64_t bits = 0;
  for (const std::int32_t c : word) bits |= std::uint64_t{1} << (static_cast<std::uint32_t>(c) & 63);
  return bits;
}

}  // namespace hyperbaton
