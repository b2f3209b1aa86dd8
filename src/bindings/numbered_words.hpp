// Checks of numbered words, which come from Python: a wrong number would read outside of an array.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "bindings/batch.hpp"

namespace hyperbaton::bindings {

// Arrays are indexed by the numbers of words. A larger number is a mistake: it would need gigabytes.
constexpr std::size_t most_words = std::size_t{1} << 28;

inline void check_count(std::size_t count) {
  if (count > most_words)
    throw std::invalid_argument(std::to_string(count) + " words are more than " + std::to_string(most_words));
}

// Returns a copy of the offsets of words, which have so many items altogether. There is one more offset than
// there are words.
inline std::vector<std::int64_t> checked_word_offsets(std::size_t items, const Array<std::int64_t>& offsets) {
  auto bounds = copied(offsets);
  if (bounds.empty() || bounds.front() != 0 || !std::is_sorted(bounds.begin(), bounds.end()) ||
      bounds.back() != static_cast<std::int64_t>(items))
    throw std::invalid_argument("the offsets of words are invalid");
  return bounds;
}

// `words` must be a copy, because they are indices after this check.
inline void check_words(std::span<const std::int32_t> words, std::size_t count) {
  for (const std::int32_t word : words)
    if (word < 0 || static_cast<std::size_t>(word) >= count)
      throw std::invalid_argument("word " + std::to_string(word) + " is not known");
}

}  // namespace hyperbaton::bindings
