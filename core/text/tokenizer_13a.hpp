// The tokeniser 13a of mteval-v13a.pl, as sacreBLEU implements it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace hyperbaton {

// Returns the text with spaces between its tokens. All rules concern ASCII characters only, and none of them
// looks at more than one neighbour, so that they may act on the bytes of UTF-8.
class Tokenizer13a {
 public:
  // Whether a word without white space is one token, because no rule applies to it. Other words may be one,
  // too.
  static bool is_plain(std::string_view word) {
    return std::none_of(word.begin(), word.end(),
                        [](char c) { return is_symbol(c) || is_point(c) || c == '-'; });
  }

  // Whether a word without white space is two tokens: a plain word, and a full stop or comma.
  static bool is_plain_with_point(std::string_view word) {
    return word.size() > 1 && is_point(word.back()) && is_plain(word.substr(0, word.size() - 1));
  }

  const std::string& operator()(std::string_view text) {
    text_ = text;
    replace_all("<skipped>", "");
    replace_all("-\n", "");
    replace_all("\n", " ");
    if (text_.find('&') != std::string::npos) {
      replace_all("&quot;", "\"");
      replace_all("&amp;", "&");
      replace_all("&lt;", "<");
      replace_all("&gt;", ">");
    }
    text_.insert(text_.begin(), ' ');
    text_.push_back(' ');
    separate_symbols();
    // A full stop or comma is separated unless there is a digit before it and after it.
    replace_pairs([](char a, char b) { return !is_digit(a) && is_point(b); }, "", " ", " ");
    replace_pairs([](char a, char b) { return is_point(a) && !is_digit(b); }, " ", " ", "");
    // A dash is separated after a digit.
    replace_pairs([](char a, char b) { return is_digit(a) && b == '-'; }, "", " ", " ");
    return text_;
  }

 private:
  std::string text_, result_;

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_point(char c) { return c == '.' || c == ','; }
  // [\{-\~\[-\` -\&\(-\+\:-\@\/]
  static bool is_symbol(char c) {
    return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') ||
           (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
  }

  void replace_all(std::string_view from, std::string_view to) {
    std::size_t at = text_.find(from);
    if (at == std::string::npos) return;
    result_.clear();
    std::size_t begin = 0;
    for (; at != std::string::npos; at = text_.find(from, begin)) {
      result_.append(text_, begin, at - begin).append(to);
      begin = at + from.size();
    }
    result_.append(text_, begin);
    text_.swap(result_);
  }

  void separate_symbols() {
    result_.clear();
    for (const char c : text_) {
      if (is_symbol(c)) {
        result_ += ' ';
        result_ += c;
        result_ += ' ';
      } else {
        result_ += c;
      }
    }
    text_.swap(result_);
  }

  // Replaces pairs of characters from left to right, as a regular expression does: characters of a pair are
  // not part of the next pair.
  template <class Matches>
  void replace_pairs(Matches matches, std::string_view before, std::string_view between,
                     std::string_view after) {
    result_.clear();
    std::size_t k = 0;
    while (k < text_.size()) {
      if (k + 1 < text_.size() && matches(text_[k], text_[k + 1])) {
        result_.append(before).append(1, text_[k]).append(between).append(1, text_[k + 1]).append(after);
        k += 2;
      } else {
        result_ += text_[k++];
      }
    }
    text_.swap(result_);
  }
};

}  // namespace hyperbaton
