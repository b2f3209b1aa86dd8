// The statistics of BLEU (Papineni et al. 2002) exactly as sacreBLEU counts them, in its metrics/bleu.py.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ngrams/ngram_table.hpp"

namespace hyperbaton {

// The n-grams of the references of a segment, and their lengths in words.
struct BleuReferences {
  NgramTable ngrams;
  std::vector<std::size_t> lengths;
};

// Counts segments one after another. Each thread needs its own.
class BleuCounter {
 public:
  explicit BleuCounter(std::size_t longest) : longest_(longest), count_(longest) {}

  std::size_t statistics() const { return 2 + 2 * longest_; }  // of a segment

  BleuReferences prepare(std::span<const std::span<const Symbol>> references) {
    BleuReferences prepared{count_.make_table(references), {}};
    for (const auto reference : references) prepared.lengths.push_back(reference.size());
    return prepared;
  }

  // Writes both lengths, the n-grams in common with a reference, and all n-grams of the hypothesis.
  void operator()(const BleuReferences& references, std::span<const Symbol> hypothesis, const Stop& stop,
                  double* out) {
    const std::size_t length = hypothesis.size();
    *out++ = static_cast<double>(length);
    *out++ = static_cast<double>(closest_length(references.lengths, length));
    for (const std::int64_t matches : count_(references.ngrams, hypothesis, stop))
      *out++ = static_cast<double>(matches);
    for (std::size_t n = 1; n <= longest_; ++n) *out++ = static_cast<double>(length < n ? 0 : length - n + 1);
  }

 private:
  std::size_t longest_;
  NgramCounter count_;

  // Of two equally close lengths, the shorter one.
  static std::size_t closest_length(std::span<const std::size_t> lengths, std::size_t length) {
    const auto distance = [&](std::size_t other) {
      return std::pair(other < length ? length - other : other - length, other);
    };
    return *std::min_element(lengths.begin(), lengths.end(),
                             [&](std::size_t a, std::size_t b) { return distance(a) < distance(b); });
  }
};

}  // namespace hyperbaton
