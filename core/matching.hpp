// Which words of two sentences match, by what is known of the words: equal, of one stem, synonyms.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "matches.hpp"
#include "multimap.hpp"

namespace hyperbaton {

enum Matcher : std::int32_t { exact_match, stem_match, synonym_match, paraphrase_match, matcher_count };

// What is known of each word, by number. Words without a stem of their own have their number; with no stems
// (or no synonyms) at all, that matcher is not asked for.
class Vocabulary {
 public:
  Vocabulary(std::size_t size, bool exact, std::span<const std::int32_t> stems,
             std::span<const std::int32_t> synsets, std::span<const std::int64_t> synset_offsets)
      : size_(size), exact_(exact), stems_(stems), synsets_(synsets), offsets_(synset_offsets) {}

  std::size_t size() const { return size_; }
  bool has_exact() const { return exact_; }
  bool has_stems() const { return !stems_.empty(); }
  bool has_synonyms() const { return !offsets_.empty(); }
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

// Finds the matches of one pair after another. One for each thread.
class MatchFinder {
 public:
  explicit MatchFinder(const Vocabulary& vocabulary)
      : vocabulary_(&vocabulary),
        list_(vocabulary.size(), none),
        place_(vocabulary.size(), none),
        stemmed_(vocabulary.has_stems() ? vocabulary.size() : 0, none) {}

  Matches matches;

  // `phrases` are matches of their own, by h.
  void run(std::span<const std::int32_t> hypothesis, std::span<const std::int32_t> reference,
           std::span<const Match> phrases) {
    matches.clear(hypothesis.size(), reference.size());
    read(reference);
    for (std::size_t h = 0; h < hypothesis.size(); ++h) {
      std::uint32_t& list = list_[hypothesis[h]];
      if (list == none) {
        list = static_cast<std::uint32_t>(matches.begin.size() - 1);
        find(hypothesis[h]);
        matches.begin.push_back(static_cast<std::uint32_t>(matches.singles.size()));
      }
      matches.list_of[h] = list;
    }
    for (const std::int32_t word : hypothesis) list_[word] = none;
    for (const Type& type : types_) {
      place_[type.word] = none;
      if (vocabulary_->has_stems()) stemmed_[vocabulary_->stem(type.word)] = none;
    }
    matches.phrases.assign(phrases.begin(), phrases.end());
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::int32_t nothing = -1;
  // A word of the reference, however often it stands there.
  struct Type {
    std::int32_t word;
    std::uint32_t first, last;  // positions; next_ leads from one to the next
    std::uint32_t of_stem;      // another type of the same stem
    std::int32_t found_for;     // the last word of the hypothesis that it matched
  };
  const Vocabulary* vocabulary_;
  std::vector<std::uint32_t> list_, place_;  // by word: its list, its place in types_
  std::vector<std::uint32_t> stemmed_;       // by stem: the last type that has it
  std::vector<Type> types_;
  std::vector<std::uint32_t> next_;
  Multimap by_synset_;  // types

  void read(std::span<const std::int32_t> reference) {
    types_.clear();
    next_.resize(reference.size());
    for (std::uint32_t r = 0; r < reference.size(); ++r) {
      const std::int32_t word = reference[r];
      next_[r] = none;
      if (place_[word] != none) {
        Type& type = types_[place_[word]];
        next_[type.last] = r;
        type.last = r;
        continue;
      }
      const auto place = static_cast<std::uint32_t>(types_.size());
      place_[word] = place;
      types_.push_back({word, r, r, none, nothing});
      if (vocabulary_->has_stems())
        types_.back().of_stem = std::exchange(stemmed_[vocabulary_->stem(word)], place);
    }
    if (!vocabulary_->has_synonyms()) return;
    std::size_t count = 0;
    for (const Type& type : types_) count += vocabulary_->synsets(type.word).size();
    by_synset_.clear(count);
    for (std::uint32_t k = 0; k < types_.size(); ++k)
      for (const std::int32_t synset : vocabulary_->synsets(types_[k].word)) by_synset_.add(synset, k);
  }

  // Adds all matches of a word of the hypothesis, by r.
  void find(std::int32_t word) {
    const std::size_t begin = matches.singles.size();
    int kinds = 0;
    // The first matcher that takes both for the same is the one that counts.
    auto add = [&](Type& type, std::int32_t matcher) {
      if (type.found_for == word) return;
      type.found_for = word;
      ++kinds;
      for (std::uint32_t r = type.first; r != none; r = next_[r])
        matches.singles.push_back({static_cast<std::int32_t>(r), matcher});
    };
    if (vocabulary_->has_exact() && place_[word] != none) add(types_[place_[word]], exact_match);
    if (vocabulary_->has_stems())
      for (std::uint32_t k = stemmed_[vocabulary_->stem(word)]; k != none; k = types_[k].of_stem)
        add(types_[k], stem_match);
    if (vocabulary_->has_synonyms())
      for (const std::int32_t synset : vocabulary_->synsets(word))
        by_synset_.each(synset, [&](std::uint32_t k) { add(types_[k], synonym_match); });
    if (kinds > 1)
      std::sort(matches.singles.begin() + static_cast<std::ptrdiff_t>(begin), matches.singles.end(),
                [](const auto& a, const auto& b) { return a.r < b.r; });
  }
};

}  // namespace hyperbaton
