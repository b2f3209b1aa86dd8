// Finds the words of two sentences that match: equal words, words with the same stem, synonyms.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "alignment/candidate_links.hpp"
#include "support/integer_multimap.hpp"

namespace hyperbaton {

enum Matcher : std::int32_t { exact_match, stem_match, synonym_match, paraphrase_match, matcher_count };

// The stem and the synsets of each word, by the number of the word. A word without a stem of its own has its
// own number as its stem. If there are no stems (or synsets) at all, that matcher is off.
class Vocabulary {
 public:
  Vocabulary(std::size_t size, bool exact, std::span<const std::int32_t> stems,
             std::span<const std::int32_t> synsets, std::span<const std::int64_t> synset_offsets)
      : size_(size), exact_(exact), stems_(stems), synsets_(synsets), offsets_(synset_offsets) {}

  std::size_t size() const { return size_; }
  bool uses_exact() const { return exact_; }
  bool uses_stems() const { return !stems_.empty(); }
  bool uses_synonyms() const { return !offsets_.empty(); }
  std::int32_t stem(std::int32_t word) const { return stems_[word]; }
  std::span<const std::int32_t> synsets(std::int32_t word) const {
    return synsets_.subspan(offsets_[word], offsets_[word + 1] - offsets_[word]);
  }

 private:
  std::size_t size_;
  bool exact_;
  std::span<const std::int32_t> stems_, synsets_;
  std::span<const std::int64_t> offsets_;
};

// Finds the candidate links of one pair after another. Each thread needs its own.
class WordMatcher {
 public:
  explicit WordMatcher(const Vocabulary& vocabulary)
      : vocabulary_(&vocabulary),
        list_(vocabulary.size(), none),
        type_of_(vocabulary.size(), none),
        last_of_stem_(vocabulary.uses_stems() ? vocabulary.size() : 0, none) {}

  CandidateLinks links;

  // `phrases` are additional links between phrases, sorted by h.
  void run(std::span<const std::int32_t> hypothesis, std::span<const std::int32_t> reference,
           std::span<const Link> phrases) {
    links.clear(hypothesis.size(), reference.size());
    read_reference(reference);
    for (std::size_t h = 0; h < hypothesis.size(); ++h) {
      std::uint32_t& list = list_[hypothesis[h]];
      if (list == none) {
        list = static_cast<std::uint32_t>(links.begin.size() - 1);
        add_links(hypothesis[h]);
        links.begin.push_back(static_cast<std::uint32_t>(links.word_links.size()));
      }
      links.list_of[h] = list;
    }
    for (const std::int32_t word : hypothesis) list_[word] = none;
    for (const WordType& type : types_) {
      type_of_[type.word] = none;
      if (vocabulary_->uses_stems()) last_of_stem_[vocabulary_->stem(type.word)] = none;
    }
    links.phrases.assign(phrases.begin(), phrases.end());
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::int32_t nothing = -1;
  // A distinct word of the reference.
  struct WordType {
    std::int32_t word;
    std::uint32_t first, last;  // positions of its occurrences; next_ links them
    std::uint32_t same_stem;    // another type with the same stem
    std::int32_t last_match;    // the last word of the hypothesis that matched
  };
  const Vocabulary* vocabulary_;
  std::vector<std::uint32_t> list_, type_of_;  // by word: its list, its index in types_
  std::vector<std::uint32_t> last_of_stem_;    // by stem: the last type that has it
  std::vector<WordType> types_;
  std::vector<std::uint32_t> next_;
  IntegerMultimap by_synset_;  // from a synset to types

  void read_reference(std::span<const std::int32_t> reference) {
    types_.clear();
    next_.resize(reference.size());
    for (std::uint32_t r = 0; r < reference.size(); ++r) {
      const std::int32_t word = reference[r];
      next_[r] = none;
      if (type_of_[word] != none) {
        WordType& type = types_[type_of_[word]];
        next_[type.last] = r;
        type.last = r;
        continue;
      }
      const auto index = static_cast<std::uint32_t>(types_.size());
      type_of_[word] = index;
      types_.push_back({word, r, r, none, nothing});
      if (vocabulary_->uses_stems())
        types_.back().same_stem = std::exchange(last_of_stem_[vocabulary_->stem(word)], index);
    }
    if (!vocabulary_->uses_synonyms()) return;
    std::size_t count = 0;
    for (const WordType& type : types_) count += vocabulary_->synsets(type.word).size();
    by_synset_.clear(count);
    for (std::uint32_t k = 0; k < types_.size(); ++k)
      for (const std::int32_t synset : vocabulary_->synsets(types_[k].word)) by_synset_.add(synset, k);
  }

  // Adds all links of a word of the hypothesis, sorted by r.
  void add_links(std::int32_t word) {
    const std::size_t begin = links.word_links.size();
    int matched_types = 0;
    // A link belongs to the first matcher that finds it.
    auto add = [&](WordType& type, std::int32_t matcher) {
      if (type.last_match == word) return;
      type.last_match = word;
      ++matched_types;
      for (std::uint32_t r = type.first; r != none; r = next_[r])
        links.word_links.push_back({static_cast<std::int32_t>(r), matcher});
    };
    if (vocabulary_->uses_exact() && type_of_[word] != none) add(types_[type_of_[word]], exact_match);
    if (vocabulary_->uses_stems())
      for (std::uint32_t k = last_of_stem_[vocabulary_->stem(word)]; k != none; k = types_[k].same_stem)
        add(types_[k], stem_match);
    if (vocabulary_->uses_synonyms())
      for (const std::int32_t synset : vocabulary_->synsets(word))
        by_synset_.each(synset, [&](std::uint32_t k) { add(types_[k], synonym_match); });
    if (matched_types > 1)
      std::sort(links.word_links.begin() + static_cast<std::ptrdiff_t>(begin), links.word_links.end(),
                [](const auto& a, const auto& b) { return a.r < b.r; });
  }
};

}  // namespace hyperbaton
