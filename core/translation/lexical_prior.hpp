// What is known about translations before any sentence is seen: a word is rarely translated by many words,
// and words that are spelt alike in both languages (names, numbers, cognates) tend to be translations.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hyperbaton {

// How a word is spelt. Words of both languages with equal numbers are alike.
struct Spelling {
  std::int32_t text;    // number of the whole word
  std::int32_t prefix;  // number of its first four letters; -1 if it has fewer, or characters of another kind
};

// The spellings of all words of a language.
struct Spellings {
  std::span<const std::int32_t> text, prefix;
  std::size_t size() const { return text.size(); }
  Spelling operator[](std::size_t word) const { return {text[word], prefix[word]}; }
};

// The Dirichlet prior of the translations of words, into a language whose words are spelt like this.
class LexicalPrior {
 public:
  static constexpr double any_word = 0.001, same_text = 0.2, same_prefix = 0.02, null_word = 0.01;

  explicit LexicalPrior(Spellings targets) : vocabulary_(static_cast<double>(targets.size())) {
    for (std::size_t word = 0; word < targets.size(); ++word) {
      count(texts_, targets.text[word]);
      if (targets.prefix[word] >= 0) count(prefixes_, targets.prefix[word]);
    }
  }

  static double alpha(Spelling source, Spelling target) {
    if (source.text == target.text) return any_word + same_text;
    return source.prefix == target.prefix && source.prefix >= 0 ? any_word + same_prefix : any_word;
  }
  // The sum of alpha over the vocabulary of the target language.
  double total(Spelling source) const {
    const double equal = look_up(texts_, source.text);
    const double alike = source.prefix < 0 ? 0 : look_up(prefixes_, source.prefix) - equal;
    return any_word * vocabulary_ + same_text * equal + same_prefix * alike;
  }
  double null_total() const { return null_word * vocabulary_; }

 private:
  double vocabulary_;
  std::vector<std::int32_t> texts_, prefixes_;  // number of target words

  static void count(std::vector<std::int32_t>& counts, std::int32_t spelling) {
    const auto at = static_cast<std::size_t>(spelling);
    if (at >= counts.size()) counts.resize(std::max(at + 1, 2 * counts.size()));
    ++counts[at];
  }
  static double look_up(const std::vector<std::int32_t>& counts, std::int32_t spelling) {
    const auto at = static_cast<std::size_t>(spelling);
    return at < counts.size() ? counts[at] : 0;
  }
};

}  // namespace hyperbaton
