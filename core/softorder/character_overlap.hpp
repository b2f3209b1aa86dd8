// The overlap of two sentences as bags of character n-grams of their words.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace hyperbaton {

// The n-grams of words: four times the n-gram's number, plus n − 1. Words and n-grams are numbered from 0.
struct WordNgrams {
  std::span<const std::int32_t> ngrams;
  std::span<const std::int64_t> offsets;

  std::span<const std::int32_t> operator[](std::int32_t word) const {
    const auto begin = static_cast<std::size_t>(offsets[static_cast<std::size_t>(word)]);
    const auto end = static_cast<std::size_t>(offsets[static_cast<std::size_t>(word) + 1]);
    return ngrams.subspan(begin, end - begin);
  }
};

// Compares sentences one after another. Each thread needs its own.
class CharacterOverlap {
 public:
  static constexpr std::size_t longest = 4;

  CharacterOverlap(const WordNgrams& words, double beta) : words_(words), beta_(beta) {}

  // The mean, over the lengths of n-grams that a side has, of F_β of the n-grams in common. 0 if a side is
  // empty.
  double operator()(std::span<const std::int32_t> hyp, std::span<const std::int32_t> ref) {
    if (hyp.empty() || ref.empty()) return 0;
    std::array<std::int64_t, longest> hyp_counts{}, ref_counts{}, common{};
    ref_ngrams_.clear();  // a copy, because another thread may change the n-grams
    for (const std::int32_t word : ref) {
      const auto ngrams = words_[word];
      ref_ngrams_.insert(ref_ngrams_.end(), ngrams.begin(), ngrams.end());
    }
    for (const std::int32_t ngram : ref_ngrams_) {
      if (ngram < 0) throw std::invalid_argument("an n-gram has a negative number");
      const auto at = static_cast<std::size_t>(ngram);
      if (at >= left_.size()) left_.resize(std::max(at + 1, 2 * left_.size()));
      ++left_[at];
      ++ref_counts[at % longest];
    }
    for (const std::int32_t word : hyp)
      for (const std::int32_t ngram : words_[word]) {
        const auto at = static_cast<std::size_t>(ngram);
        ++hyp_counts[at % longest];
        if (at < left_.size() && left_[at] > 0) {
          --left_[at];
          ++common[at % longest];
        }
      }
    for (const std::int32_t ngram : ref_ngrams_) left_[static_cast<std::size_t>(ngram)] = 0;
    double sum = 0;
    int lengths = 0;
    for (std::size_t n = 0; n < longest; ++n) {
      if (hyp_counts[n] + ref_counts[n] == 0) continue;
      ++lengths;
      const double square = beta_ * beta_;
      sum += (1 + square) * static_cast<double>(common[n]) /
             (square * static_cast<double>(ref_counts[n]) + static_cast<double>(hyp_counts[n]));
    }
    return sum / lengths;
  }

 private:
  const WordNgrams words_;
  double beta_;
  std::vector<std::int32_t> ref_ngrams_;
  std::vector<std::int32_t> left_;  // of each n-gram of the reference, how many are not matched yet
};

}  // namespace hyperbaton
