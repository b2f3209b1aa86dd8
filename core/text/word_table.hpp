// The tokens of words: each distinct word is analysed once and remembered.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/string_numbers.hpp"
#include "text/tokenizer_13a.hpp"
#include "text/utf8.hpp"

namespace hyperbaton {

// Which pieces of a text are looked up in the table.
enum class Unit {
  word,            // what stands between white space
  word_in_spaces,  // a word with a space where white space precedes or another word follows
  text,            // the whole text
};

struct TokenRules {
  Unit unit = Unit::word;
  bool is_13a = false;               // tokens by 13a; otherwise they are the words of the normalised text
  bool lowercase = false;            // ASCII is normalised here; Python normalises the rest
  bool dotless_i = false;            // the lower case of I is not ASCII
  bool native = true;                // false: Python normalises ASCII, too
  bool drop_punctuation = false;     // tokens without letter or digit are left out
  std::vector<std::string> removed;  // characters that normalisation removes
};

// Returns the text without white space at its end, also if characters that are removed stand there.
inline std::string_view strip_end(std::string_view text, const std::vector<std::string>& removed) {
  while (!text.empty()) {
    std::size_t last = text.size() - 1;
    while (last > 0 && (static_cast<unsigned char>(text[last]) & 0xC0) == 0x80) --last;
    const std::string_view character = text.substr(last);
    if (white_space_at(text, last) == 0 &&
        std::find(removed.begin(), removed.end(), character) == removed.end())
      break;
    text = text.substr(0, last);
  }
  return text;
}

// Calls body(unit) for each unit of a line. The view is valid only during the call.
template <class Body>
void for_each_unit(const TokenRules& rules, std::string_view line, std::string& scratch, Body body) {
  if (rules.unit == Unit::text) return body(line);
  // 13a joins lines at a hyphen, so that it has to see the whole text.
  if (rules.is_13a && line.find('\n') != std::string_view::npos) return body(strip_end(line, rules.removed));
  if (rules.unit == Unit::word)
    return for_each_word(line, [&](std::string_view word, std::size_t) { body(word); });
  line = strip_end(line, rules.removed);
  for_each_word(line, [&](std::string_view word, std::size_t begin) {
    scratch.assign(begin > 0 ? 1 : 0, ' ');
    scratch.append(word);
    if (begin + word.size() < line.size()) scratch.push_back(' ');
    body(std::string_view(scratch));
  });
}

// Splits normalised units into tokens.
class TokenSplitter {
 public:
  explicit TokenSplitter(const TokenRules& rules) : rules_(rules) {}

  // Whether Python has to normalise the unit.
  bool needs_python(std::string_view unit) const {
    return !rules_.native || !is_ascii(unit) ||
           (rules_.dotless_i && unit.find('I') != std::string_view::npos);
  }

  // Returns an ASCII unit as it is compared.
  const std::string& normalize(std::string_view unit) {
    normalized_ = unit;
    if (rules_.lowercase)
      for (char& c : normalized_)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return normalized_;
  }

  // Calls body(token) for each token of a normalised unit.
  template <class Body>
  void split(std::string_view normalized, Body body) {
    if (rules_.unit == Unit::text) return body(normalized);
    const auto each_word = [&](std::string_view text) {
      for_each_word(text, [&](std::string_view token, std::size_t) { body(token); });
    };
    if (!rules_.is_13a || Tokenizer13a::is_plain(normalized)) return each_word(normalized);
    // Most other words are at the end of a clause.
    if (Tokenizer13a::is_plain_with_point(normalized)) {
      each_word(normalized.substr(0, normalized.size() - 1));
      return body(normalized.substr(normalized.size() - 1));
    }
    each_word(tokenize_(normalized));
  }

 private:
  const TokenRules& rules_;
  Tokenizer13a tokenize_;
  std::string normalized_;
};

inline bool has_ascii_letter_or_digit(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

// Units and their tokens, both with numbers from 0. Nothing is ever removed.
class WordTable {
 public:
  std::int32_t find(std::string_view unit) const { return units_.find(unit); }
  std::span<const std::int32_t> tokens_of(std::int32_t unit) const {
    const Tokens& tokens = tokens_of_units_[static_cast<std::size_t>(unit)];
    if (tokens.count == 1) return {&tokens.first, 1};
    return std::span(several_tokens_).subspan(static_cast<std::size_t>(tokens.first), tokens.count);
  }
  std::string_view token(std::size_t number) const { return tokens_[number]; }
  std::size_t token_count() const { return tokens_.size(); }
  std::size_t bytes() const {
    return units_.bytes() + tokens_.bytes() + tokens_of_units_.capacity() * sizeof(Tokens) +
           several_tokens_.capacity() * sizeof(several_tokens_[0]);
  }

  // Adds a unit with its tokens, unless it is known already. Returns its number.
  std::int32_t add(std::string_view unit, std::span<const std::string> tokens) {
    const std::size_t known = units_.size();
    const std::int32_t number = units_.add(unit);
    if (units_.size() == known) return number;
    const auto count = static_cast<std::uint32_t>(tokens.size());
    if (count == 1) {
      tokens_of_units_.push_back({tokens_.add(tokens[0]), count});
    } else {
      tokens_of_units_.push_back({static_cast<std::int32_t>(several_tokens_.size()), count});
      for (const std::string& token : tokens) several_tokens_.push_back(tokens_.add(token));
    }
    return number;
  }

 private:
  // The number of a single token, or where several begin in several_tokens_.
  struct Tokens {
    std::int32_t first;
    std::uint32_t count;
  };
  StringNumbers units_, tokens_;
  std::vector<Tokens> tokens_of_units_;
  std::vector<std::int32_t> several_tokens_;
};

}  // namespace hyperbaton
