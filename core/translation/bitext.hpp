// Sentence pairs of two languages, as numbers of words.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

namespace hyperbaton {

using WordNumbers = std::span<const std::int32_t>;

// Many sentences of one language, one after another in memory.
class Sentences {
 public:
  void add(WordNumbers sentence) {
    words_.insert(words_.end(), sentence.begin(), sentence.end());
    ends_.push_back(words_.size());
  }
  std::size_t start(std::size_t k) const { return k == 0 ? 0 : ends_[k - 1]; }
  WordNumbers operator[](std::size_t k) const { return {words_.data() + start(k), ends_[k] - start(k)}; }
  std::size_t size() const { return ends_.size(); }
  std::size_t words() const { return words_.size(); }

  // Replaces each number by that of a table.
  void renumber(WordNumbers table) {
    for (std::int32_t& word : words_) word = table[static_cast<std::size_t>(word)];
  }

 private:
  std::vector<std::int32_t> words_;
  std::vector<std::size_t> ends_;
};

class Bitext {
 public:
  // Longer sentences take too long to train on, and are mostly not sentences.
  static constexpr std::size_t max_words = 400;

  // Pairs with an empty side, or with a side that is too long, are counted but not kept.
  void add(WordNumbers source, WordNumbers target) {
    if (source.empty() || target.empty()) {
      ++empty_;
    } else if (std::max(source.size(), target.size()) > max_words) {
      ++long_;
    } else {
      sides_[0].add(source);
      sides_[1].add(target);
    }
  }

  std::size_t size() const { return sides_[0].size(); }
  std::size_t empty_pairs() const { return empty_; }
  std::size_t long_pairs() const { return long_; }
  // The source sentences (0) or the target sentences (1).
  const Sentences& side(std::size_t side) const { return sides_[side]; }
  // The pairs in the order in which they are trained on.
  std::span<const std::uint32_t> order() const { return order_; }

  // How many source sentences differ from each other, or at least their hashes do.
  std::size_t distinct_sources() const {
    std::vector<std::uint64_t> hashes(size());
    for (std::size_t k = 0; k < size(); ++k) hashes[k] = hash(0, sides_[0][k]);
    std::sort(hashes.begin(), hashes.end());
    return static_cast<std::size_t>(std::unique(hashes.begin(), hashes.end()) - hashes.begin());
  }

  // Gives words their final numbers, and puts the pairs into an order that depends on nothing but their
  // words: neither on the order in which they were added nor on the machine.
  void arrange(WordNumbers source_table, WordNumbers target_table) {
    if (size() >= UINT32_MAX) throw std::length_error("too many sentence pairs");
    sides_[0].renumber(source_table);
    sides_[1].renumber(target_table);
    std::vector<std::uint64_t> hashes(size());
    for (std::size_t k = 0; k < size(); ++k) hashes[k] = hash(hash(0, sides_[0][k]), sides_[1][k]);
    order_.resize(size());
    std::iota(order_.begin(), order_.end(), 0u);
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      if (hashes[a] != hashes[b]) return hashes[a] < hashes[b];
      for (const Sentences& side : sides_) {
        const WordNumbers x = side[a], y = side[b];
        if (!std::equal(x.begin(), x.end(), y.begin(), y.end()))
          return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
      }
      return false;
    });
  }

 private:
  std::array<Sentences, 2> sides_;
  std::vector<std::uint32_t> order_;
  std::size_t empty_ = 0, long_ = 0;

  static std::uint64_t hash(std::uint64_t state, WordNumbers words) {
    for (const std::int32_t word : words) {
      state = (state ^ static_cast<std::uint32_t>(word)) * 0x9E3779B97F4A7C15u;
      state ^= state >> 29;
    }
    return (state ^ words.size()) * 0xBF58476D1CE4E5B9u;
  }
};

}  // namespace hyperbaton
