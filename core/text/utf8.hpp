// UTF-8: validation, and white space as Python's str.split() sees it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace hyperbaton {

inline bool is_ascii(std::string_view text) {
  std::size_t k = 0;
  for (; k + 8 <= text.size(); k += 8) {
    std::uint64_t bytes;
    std::memcpy(&bytes, text.data() + k, 8);
    if (bytes & 0x8080808080808080u) return false;
  }
  for (; k < text.size(); ++k)
    if (static_cast<unsigned char>(text[k]) & 0x80) return false;
  return true;
}

// Whether the text is valid UTF-8: no surrogates, no overlong forms, nothing above U+10FFFF.
inline bool is_utf8(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const auto is_continuation = [&](std::size_t k) { return k < text.size() && (byte(k) & 0xC0) == 0x80; };
  for (std::size_t k = 0; k < text.size();) {
    const unsigned char first = byte(k);
    if (first < 0x80) {
      ++k;
    } else if (first >= 0xC2 && first < 0xE0) {
      if (!is_continuation(k + 1)) return false;
      k += 2;
    } else if ((first & 0xF0) == 0xE0) {
      if (!is_continuation(k + 1) || !is_continuation(k + 2)) return false;
      if ((first == 0xE0 && byte(k + 1) < 0xA0) || (first == 0xED && byte(k + 1) >= 0xA0)) return false;
      k += 3;
    } else if (first >= 0xF0 && first < 0xF5) {
      if (!is_continuation(k + 1) || !is_continuation(k + 2) || !is_continuation(k + 3)) return false;
      if ((first == 0xF0 && byte(k + 1) < 0x90) || (first == 0xF4 && byte(k + 1) >= 0x90)) return false;
      k += 4;
    } else {
      return false;
    }
  }
  return true;
}

// The number of bytes of the character that begins with this one, in valid UTF-8.
inline std::size_t code_point_size(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// The code point of a character, whose bytes are given.
inline std::int32_t code_point(std::string_view character) {
  constexpr std::array<unsigned, 5> first_bits{0, 0x7F, 0x1F, 0x0F, 0x07};
  unsigned code = static_cast<unsigned char>(character[0]) & first_bits[character.size()];
  for (std::size_t k = 1; k < character.size(); ++k)
    code = code << 6 | (static_cast<unsigned char>(character[k]) & 0x3F);
  return static_cast<std::int32_t>(code);
}

// The number of bytes of the white space character at position k of valid UTF-8; 0 if it is none.
// White space is what Python's str.split() splits at.
inline std::size_t white_space_at(std::string_view text, std::size_t k) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char first = byte(k);
  if (first < 0x80)
    return first == ' ' || (first >= 0x09 && first <= 0x0D) || (first >= 0x1C && first <= 0x1F);
  if (first == 0xC2) return byte(k + 1) == 0x85 || byte(k + 1) == 0xA0 ? 2 : 0;  // NEL, no-break space
  if (first == 0xE1) return byte(k + 1) == 0x9A && byte(k + 2) == 0x80 ? 3 : 0;  // U+1680
  if (first == 0xE3) return byte(k + 1) == 0x80 && byte(k + 2) == 0x80 ? 3 : 0;  // U+3000
  if (first != 0xE2) return 0;
  const unsigned char second = byte(k + 1), third = byte(k + 2);
  if (second == 0x81) return third == 0x9F ? 3 : 0;  // U+205F
  if (second != 0x80) return 0;
  // U+2000 to U+200A, U+2028, U+2029, U+202F
  return third <= 0x8A || third == 0xA8 || third == 0xA9 || third == 0xAF ? 3 : 0;
}

// Bytes with which white space begins; some of them begin other characters, too.
inline constexpr auto begins_white_space = [] {
  std::array<bool, 256> begins{};
  for (const unsigned char byte :
       {0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1C, 0x1D, 0x1E, 0x1F, 0x20, 0xC2, 0xE1, 0xE2, 0xE3})
    begins[byte] = true;
  return begins;
}();

// Calls body(word, begin) for each word between white space, with its position in the text.
template <class Body>
void for_each_word(std::string_view text, Body body) {
  std::size_t begin = 0;
  for (std::size_t k = 0; k < text.size();) {
    if (!begins_white_space[static_cast<unsigned char>(text[k])]) {
      ++k;
      continue;
    }
    const std::size_t space = white_space_at(text, k);
    if (space == 0) {
      ++k;
      continue;
    }
    if (begin < k) body(text.substr(begin, k - begin), begin);
    k += space;
    begin = k;
  }
  if (begin < text.size()) body(text.substr(begin), begin);
}

}  // namespace hyperbaton
