// Fuzz target: UTF-8, white space, the tokeniser 13a and tables of words, against plain versions that work on
// code points.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "input.hpp"
#include "text/digest.hpp"
#include "text/string_numbers.hpp"
#include "text/utf8.hpp"
#include "text/word_table.hpp"

using namespace hyperbaton;
using fuzz::require;

namespace {

using Tokens = std::vector<std::string>;

// UTF-8 by its definition: the code point of the shortest form at the beginning of the text, or nothing.
std::optional<char32_t> decode(std::string_view text, std::size_t& size) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  char32_t code = byte(0);
  size = 1;
  if (code < 0x80) return code;
  constexpr std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  for (size = 2; size <= 4; ++size) {
    // The first byte has as many leading ones as there are bytes.
    const unsigned mask = 0xFFu << (7 - size) & 0xFF, ones = mask << 1 & 0xFF;
    if ((byte(0) & mask) == ones) break;
  }
  if (size > 4 || text.size() < size) return {};
  code = byte(0) & (0x7Fu >> size);
  for (std::size_t k = 1; k < size; ++k) {
    if (byte(k) >> 6 != 2) return {};
    code = code << 6 | (byte(k) & 0x3Fu);
  }
  if (code < least[size] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return code;
}

std::string encode(std::u32string_view codes) {
  std::string text;
  for (const char32_t code : codes) {
    const auto rest = [&](int shift) { text += static_cast<char>(0x80 | (code >> shift & 0x3F)); };
    if (code < 0x80) {
      text += static_cast<char>(code);
    } else if (code < 0x800) {
      text += static_cast<char>(0xC0 | code >> 6), rest(0);
    } else if (code < 0x10000) {
      text += static_cast<char>(0xE0 | code >> 12), rest(6), rest(0);
    } else {
      text += static_cast<char>(0xF0 | code >> 18), rest(12), rest(6), rest(0);
    }
  }
  return text;
}

// The code points of the text; what is not UTF-8 is a question mark.
std::u32string decode_all(std::string_view text, bool& is_valid) {
  std::u32string codes;
  is_valid = true;
  for (std::size_t k = 0, size = 0; k < text.size(); k += size) {
    const auto code = decode(text.substr(k), size);
    if (!code) is_valid = false, size = 1;
    codes += code.value_or(U'?');
  }
  return codes;
}

// What Python's str.split() splits at.
bool is_space(char32_t c) {
  constexpr std::u32string_view others = U"\u0020\u0085\u00A0\u1680\u2028\u2029\u202F\u205F\u3000";
  return (c >= 9 && c <= 13) || (c >= 28 && c <= 31) || (c >= 0x2000 && c <= 0x200A) ||
         others.find(c) != others.npos;
}

Tokens plain_words(std::u32string_view codes) {
  Tokens words;
  std::u32string word;
  for (const char32_t c : codes) {
    if (!is_space(c)) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(encode(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(encode(word));
  return words;
}

// The regular expressions of sacreBLEU's tokenizer_13a.py and tokenizer_re.py, one after another.

void replace(std::u32string& text, std::u32string_view from, std::u32string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
}

bool is_digit(char32_t c) {
  return c >= U'0' && c <= U'9';
}

std::u32string plain_13a(std::u32string text) {
  replace(text, U"<skipped>", U"");
  replace(text, U"-\n", U"");
  replace(text, U"\n", U" ");
  replace(text, U"&quot;", U"\"");
  replace(text, U"&amp;", U"&");
  replace(text, U"&lt;", U"<");
  replace(text, U"&gt;", U">");
  text = U" " + text + U" ";
  // ([\{-\~\[-\` -\&\(-\+\:-\@\/])  ->  " \1 "
  constexpr std::u32string_view symbols = U"{|}~[\\]^_` !\"#$%&()*+:;<=>?@/";
  std::u32string result;
  for (const char32_t c : text)
    result += symbols.find(c) == symbols.npos ? std::u32string(1, c) : std::u32string{U' ', c, U' '};
  const auto substitute = [&](const auto& matches, const auto& replacement) {
    text.swap(result);
    result.clear();
    for (std::size_t k = 0; k < text.size(); ++k) {
      if (k + 1 < text.size() && matches(text[k], text[k + 1])) {
        result += replacement(text[k], text[k + 1]);
        ++k;
      } else {
        result += text[k];
      }
    }
  };
  const auto is_point = [](char32_t c) { return c == U'.' || c == U','; };
  // ([^0-9])([\.,])  ->  "\1 \2 "
  substitute([&](char32_t a, char32_t b) { return !is_digit(a) && is_point(b); },
             [](char32_t a, char32_t b) { return std::u32string{a, U' ', b, U' '}; });
  // ([\.,])([^0-9])  ->  " \1 \2"
  substitute([&](char32_t a, char32_t b) { return is_point(a) && !is_digit(b); },
             [](char32_t a, char32_t b) { return std::u32string{U' ', a, U' ', b}; });
  // ([0-9])(-)  ->  "\1 \2 "
  substitute([&](char32_t a, char32_t b) { return is_digit(a) && b == U'-'; },
             [](char32_t a, char32_t b) { return std::u32string{a, U' ', b, U' '}; });
  return result;
}

Tokens words_of(std::string_view text) {
  Tokens words;
  for_each_word(text, [&](std::string_view word, std::size_t begin) {
    require(text.substr(begin, word.size()) == word, "a word stands where it is said to stand");
    words.emplace_back(word);
  });
  return words;
}

void check_utf8(std::string_view text, bool is_valid) {
  require(is_utf8(text) == is_valid, "valid UTF-8 is told from other bytes");
  require(is_ascii(text) ==
              std::all_of(text.begin(), text.end(), [](char c) { return static_cast<signed char>(c) >= 0; }),
          "ASCII is told from other bytes");
}

void check_tokens(const std::string& text, const std::u32string& codes) {
  require(words_of(text) == plain_words(codes), "words are those of str.split()");
  static Tokenizer13a tokenize;
  require(tokenize(text) == encode(plain_13a(codes)), "13a is that of the regular expressions");
  for (const std::string& word : words_of(text)) {
    bool is_valid = true;
    const Tokens tokens = plain_words(plain_13a(decode_all(word, is_valid)));
    if (Tokenizer13a::is_plain(word)) require(tokens == Tokens{word}, "a plain word is one token");
    if (Tokenizer13a::is_plain_with_point(word))
      require(tokens == Tokens{word.substr(0, word.size() - 1), word.substr(word.size() - 1)},
              "a plain word with a point is two tokens");
  }
}

std::u32string without_end(std::u32string codes, std::u32string_view removed) {
  while (!codes.empty() && (is_space(codes.back()) || removed.find(codes.back()) != removed.npos))
    codes.pop_back();
  return codes;
}

std::u32string lowered(std::u32string codes) {
  for (char32_t& c : codes)
    if (c >= U'A' && c <= U'Z') c += U'a' - U'A';
  return codes;
}

// Tokens unit by unit must be those of the whole line. Only ASCII is normalised in C++.
void check_units(fuzz::Input& input, const std::string& text, const std::u32string& codes) {
  TokenRules rules;
  const auto options = input.byte();
  rules.unit = static_cast<Unit>(options % 3);
  rules.is_13a = options & 4;
  rules.lowercase = options & 8;
  rules.dotless_i = options & 16;
  rules.native = options & 32;
  std::u32string removed;
  if (options & 64) removed = U"\u00AD\u200B", rules.removed = {encode(U"\u00AD"), encode(U"\u200B")};
  TokenSplitter splitter(rules);
  const std::u32string stripped = without_end(codes, removed);
  require(strip_end(text, rules.removed) == encode(stripped), "white space at the end is stripped");

  Tokens units, tokens;
  std::string scratch;
  WordTable table;
  std::map<std::string, std::vector<std::int32_t>> known;
  std::map<std::string, std::int32_t> numbers;
  for_each_unit(rules, text, scratch, [&](std::string_view unit) {
    units.emplace_back(unit);
    require(splitter.needs_python(unit) == (!rules.native || !is_ascii(unit) ||
                                            (rules.dotless_i && unit.find('I') != std::string_view::npos)),
            "Python normalises what is not ASCII");
    Tokens own;
    splitter.split(splitter.normalize(unit), [&](std::string_view token) { own.emplace_back(token); });
    tokens.insert(tokens.end(), own.begin(), own.end());
    const auto number = table.add(unit, own);
    auto& expected = known[std::string(unit)];
    if (numbers.emplace(unit, numbers.size()).second) {
      for (const std::string& token : own) {
        std::size_t at = 0;
        while (at < table.token_count() && table.token(at) != token) ++at;
        expected.push_back(static_cast<std::int32_t>(at));
      }
    }
    require(number == numbers.at(std::string(unit)) && table.find(unit) == number, "a unit has one number");
  });
  for (const auto& [unit, expected] : known) {
    const auto found = table.tokens_of(table.find(unit));
    require(std::equal(found.begin(), found.end(), expected.begin(), expected.end()),
            "a unit keeps its tokens");
  }

  const std::u32string normalized = rules.lowercase ? lowered(codes) : codes;
  if (rules.unit == Unit::text) {
    require(units == Tokens{text} && tokens == Tokens{encode(normalized)}, "a text is one token");
  } else if (rules.is_13a) {
    const auto line = without_end(normalized, removed);
    // Characters that are removed may be words of their own at the end, until Python removes them.
    if (removed.empty() || line == without_end(normalized, U""))
      require(tokens == plain_words(plain_13a(line)), "tokens of units are those of the whole line");
  } else if (rules.unit == Unit::word) {
    require(tokens == plain_words(normalized), "tokens of units are the words of the line");
  } else {
    require(tokens == plain_words(without_end(normalized, removed)), "tokens in spaces are words");
    std::string joined;
    for (const std::string& unit : units) joined += unit;
    require(joined.size() <= 3 * text.size(), "units are words with a space on either side");
  }
}

void check_numbers(fuzz::Input& input, std::string_view text) {
  StringNumbers numbers;
  std::map<std::string, std::int32_t> expected;
  const std::size_t count = input.byte() == 255 ? 1500 : input.size(60);  // so many that the table grows
  const bool has_long = input.byte() == 255;
  for (std::size_t k = 0; k < count; ++k) {
    std::string string;
    if (count < 100) {
      const std::size_t start = input.size(text.size()), length = input.size(text.size() - start);
      string = text.substr(start, length);
      if (has_long && k % 16 == 0) string.append(20'000, 'x');  // in a block of its own
    } else {
      string = std::to_string(k * 2'654'435'761u % 1000);
    }
    require(numbers.find(string) == (expected.count(string) ? expected[string] : -1),
            "what is known is found");
    const auto next = static_cast<std::int32_t>(expected.size());
    const std::int32_t number = expected.emplace(string, next).first->second;
    require(numbers.add(string) == number, "strings are numbered in their order");
  }
  require(numbers.size() == expected.size(), "each string is there once");
  for (const auto& [string, number] : expected)
    require(numbers[static_cast<std::size_t>(number)] == string && numbers.find(string) == number,
            "a string keeps its number");
}

std::uint64_t plain_mix(std::uint64_t x) {
  x ^= x >> 30, x *= 0xBF58476D1CE4E5B9u;
  x ^= x >> 27, x *= 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

std::uint64_t plain_hash(std::string line, std::uint64_t number, std::uint64_t multiplier) {
  std::uint64_t state = plain_mix(number * multiplier + line.size());
  line.resize((line.size() + 7) / 8 * 8);  // with zeros
  for (std::size_t k = 0; k < line.size(); k += 8) {
    std::uint64_t word = 0;
    for (std::size_t j = 8; j-- > 0;) word = word << 8 | static_cast<unsigned char>(line[k + j]);
    state = (state ^ word) * multiplier;
    state ^= state >> 32;
  }
  return plain_mix(state);
}

void check_digest(fuzz::Input& input, const std::string& text) {
  const std::size_t cut = input.size(text.size());
  const std::array<std::string, 2> lines{text.substr(0, cut), text.substr(cut)};
  Digest forward, backward, other;
  for (std::size_t k = 0; k < 2; ++k) {
    forward.add(lines[k], k);
    backward.add(lines[1 - k], 1 - k);
    other.add(lines[k], 1 - k);
  }
  require(forward.low == plain_hash(lines[0], 0, 0x9E3779B97F4A7C15u) +
                             plain_hash(lines[1], 1, 0x9E3779B97F4A7C15u) &&
              forward.high ==
                  plain_hash(lines[0], 0, 0xD6E8FEB86659FD93u) + plain_hash(lines[1], 1, 0xD6E8FEB86659FD93u),
          "the digest is the sum of those of the lines");
  require(forward.low == backward.low && forward.high == backward.high,
          "the order of adding does not matter");
  require((forward.low == other.low && forward.high == other.high) == (lines[0] == lines[1]),
          "the numbers of lines matter");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  std::string bytes;
  // Half of all inputs consist of what the rules are about.
  constexpr std::array<std::string_view, 32> pieces{"<skipped>",
                                                    "-\n",
                                                    "\n",
                                                    "&quot;",
                                                    "&amp;",
                                                    "&lt;",
                                                    "&gt;",
                                                    ".",
                                                    ",",
                                                    "-",
                                                    "1",
                                                    "23",
                                                    "a",
                                                    "B",
                                                    "I",
                                                    " ",
                                                    "\t",
                                                    "\r",
                                                    "\x1C",
                                                    "\xC2\x85",
                                                    "\xC2\xA0",
                                                    "\xE2\x80\xA8",
                                                    "\xE3\x80\x80",
                                                    "\xE2\x80\x8B",
                                                    "\xC2\xAD",
                                                    "\xC3\xA9",
                                                    "\xF0\x9F\x99\x82",
                                                    "'",
                                                    "/",
                                                    "<",
                                                    "skipped>",
                                                    "&"};
  // At the limits of UTF-8: the first and last of each length, surrogates, and one beyond.
  constexpr std::array<std::string_view, 16> limits{"\x7F",
                                                    "\x80",
                                                    "\xC1\xBF",
                                                    "\xC2\x80",
                                                    "\xDF\xBF",
                                                    "\xE0\x9F\xBF",
                                                    "\xE0\xA0\x80",
                                                    "\xED\x9F\xBF",
                                                    "\xED\xA0\x80",
                                                    "\xED\xBF\xBF",
                                                    "\xEE\x80\x80",
                                                    "\xEF\xBF\xBF",
                                                    "\xF0\x8F\xBF\xBF",
                                                    "\xF0\x90\x80\x80",
                                                    "\xF4\x8F\xBF\xBF",
                                                    "\xF4\x90\x80\x80"};
  const auto kind = input.byte();
  const std::size_t count = input.size(40);
  for (std::size_t k = 0; k < count; ++k) {
    const auto byte = input.byte();
    if (!(kind & 1))
      bytes += static_cast<char>(byte);
    else
      bytes += byte < 192 ? pieces[byte % pieces.size()] : limits[byte % limits.size()];
  }
  bool is_valid = true;
  const std::u32string codes = decode_all(bytes, is_valid);
  check_utf8(bytes, is_valid);
  const std::string text = encode(codes);  // only valid UTF-8 gets any further
  std::u32string decoded;
  for (std::size_t k = 0; k < text.size(); k += code_point_size(text[k]))
    decoded += static_cast<char32_t>(code_point(std::string_view(text).substr(k, code_point_size(text[k]))));
  require(decoded == codes, "UTF-8 is decoded");
  switch (kind / 2 % 4) {
    case 0:
      check_tokens(text, codes);
      break;
    case 1:
      check_units(input, text, codes);
      break;
    case 2:
      check_numbers(input, text);
      break;
    case 3:
      check_digest(input, text);
      break;
  }
  return 0;
}
