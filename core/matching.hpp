// Which words of two sentences match, by what is known of the words: equal, of one stem, synonyms.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "matches.hpp"

namespace hyperbaton {

enum Matcher : std::int32_t { exact_match, stem_match, synonym_match, paraphrase_match, matcher_count };

// What is known of each word, by number. Words without a stem of their own have their number; with no stems
// (or no synonyms) at all, that matcher is not asked for.
class Vocabulary {
 public:
  Vocabulary(std::size_t size, bool exact, std::span<const std::int32_t> stems,
             std::span<const std::int32_t> synsets, std::span<const std::int64_t> synset_offsets)
      : size_(size), exact_(exact), stems_(stems), synsets_(synsets), offsets_(synset_offsets) {
    if (offsets_.empty()) return;
    sketches_.resize(size);
    for (std::size_t word = 0; word < size; ++word)
      for (const std::int32_t synset : synsets_of(word)) {
        const std::uint32_t hash = static_cast<std::uint32_t>(synset) * 0x9E3779B1u >> 24;
        sketches_[word][hash / 64] |= std::uint64_t{1} << (hash % 64);
      }
  }

  std::size_t size() const { return size_; }

  // The first matcher that takes both for the same, or −1.
  std::int32_t match(std::int32_t a, std::int32_t b) const {
    if (exact_ && a == b) return exact_match;
    if (!stems_.empty() && stems_[a] == stems_[b]) return stem_match;
    if (!offsets_.empty() && share_synset(a, b)) return synonym_match;
    return -1;
  }

 private:
  using Sketch = std::array<std::uint64_t, 4>;
  std::size_t size_;
  bool exact_;
  std::span<const std::int32_t> stems_, synsets_;
  std::span<const std::int64_t> offsets_;
  std::vector<Sketch> sketches_;  // a bit for each synset, which others may share

  std::span<const std::int32_t> synsets_of(std::size_t word) const {
    return synsets_.subspan(offsets_[word], offsets_[word + 1] - offsets_[word]);
  }

  bool share_synset(std::int32_t a, std::int32_t b) const {
    std::uint64_t shared = 0;
    for (std::size_t w = 0; w < 4; ++w) shared |= sketches_[a][w] & sketches_[b][w];
    if (shared == 0) return false;
    const auto x = synsets_of(a), y = synsets_of(b);  // both in order
    for (std::size_t i = 0, j = 0; i < x.size() && j < y.size();) {
      if (x[i] == y[j]) return true;
      (x[i] < y[j] ? i : j)++;
    }
    return false;
  }
};

// Finds the matches of one pair after another. One for each thread.
class MatchFinder {
 public:
  explicit MatchFinder(const Vocabulary& vocabulary)
      : vocabulary_(&vocabulary), list_(vocabulary.size(), none), place_(vocabulary.size(), none) {}

  Matches matches;

  // `phrases` are matches of their own, by h.
  void run(std::span<const std::int32_t> hypothesis, std::span<const std::int32_t> reference,
           std::span<const Match> phrases) {
    matches.clear(hypothesis.size(), reference.size());
    // The words of the reference, each once, and where they are.
    types_.clear();
    counts_.assign(1, 0);
    for (const std::int32_t word : reference) {
      if (place_[word] == none) {
        place_[word] = static_cast<std::uint32_t>(types_.size());
        types_.push_back(word);
        counts_.push_back(0);
      }
      ++counts_[place_[word] + 1];
    }
    for (std::size_t k = 1; k < counts_.size(); ++k) counts_[k] += counts_[k - 1];
    positions_.resize(reference.size());
    next_.assign(counts_.begin(), counts_.end());
    for (std::size_t r = 0; r < reference.size(); ++r)
      positions_[next_[place_[reference[r]]]++] = static_cast<std::int32_t>(r);

    for (std::size_t h = 0; h < hypothesis.size(); ++h) {
      std::uint32_t& list = list_[hypothesis[h]];
      if (list == none) {
        list = static_cast<std::uint32_t>(matches.begin.size() - 1);
        const std::size_t begin = matches.singles.size();
        std::size_t kinds = 0;
        for (std::size_t k = 0; k < types_.size(); ++k) {
          const std::int32_t matcher = vocabulary_->match(hypothesis[h], types_[k]);
          if (matcher < 0) continue;
          ++kinds;
          for (std::uint32_t p = counts_[k]; p < counts_[k + 1]; ++p)
            matches.singles.push_back({positions_[p], matcher});
        }
        if (kinds > 1)
          std::sort(matches.singles.begin() + begin, matches.singles.end(),
                    [](const auto& a, const auto& b) { return a.r < b.r; });
        matches.begin.push_back(static_cast<std::uint32_t>(matches.singles.size()));
      }
      matches.list_of[h] = list;
    }
    for (const std::int32_t word : hypothesis) list_[word] = none;
    for (const std::int32_t word : reference) place_[word] = none;
    matches.phrases.assign(phrases.begin(), phrases.end());
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  const Vocabulary* vocabulary_;
  std::vector<std::uint32_t> list_, place_;  // by word: its list, its place in types_
  std::vector<std::int32_t> types_, positions_;
  std::vector<std::uint32_t> counts_, next_;
};

}  // namespace hyperbaton
