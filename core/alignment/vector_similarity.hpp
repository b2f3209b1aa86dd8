// Cosines of word vectors, in an order of additions that is the same on every machine.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace hyperbaton {

// The words of a sentence with their vectors, one after another.
struct WordVectors {
  std::span<const std::int32_t> words;
  std::span<const float> vectors;
};

// The similarity of two words is the cosine of their vectors. A word whose vector is 0 has none: it is like
// an equal word (1) and unlike all others (0).
class VectorSimilarity {
 public:
  explicit VectorSimilarity(std::size_t dimensions)
      : dimensions_(dimensions), padded_((dimensions + lanes - 1) / lanes * lanes) {}

  void load(const WordVectors& hyp, const WordVectors& ref) {
    hyp_.load(hyp, dimensions_, padded_);
    ref_.load(ref, dimensions_, padded_);
  }

  // Writes the similarities of word i of the hypothesis with the words of the reference.
  void fill_row(std::size_t i, std::span<double> row) const {
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (hyp_.has_vector[i] && ref_.has_vector[j])
        row[j] = dot(hyp_.at(i, padded_), ref_.at(j, padded_));
      else
        row[j] = hyp_.words[i] == ref_.words[j] ? 1 : 0;
    }
  }

 private:
  static constexpr std::size_t lanes = 16;

  // The vectors of one sentence with length 1, filled up with zeros to a multiple of the lanes.
  struct Side {
    std::vector<std::int32_t> words;
    std::vector<float> vectors;
    std::vector<unsigned char> has_vector;

    void load(const WordVectors& given, std::size_t dimensions, std::size_t padded) {
      words.assign(given.words.begin(), given.words.end());
      vectors.assign(words.size() * padded, 0.0f);
      has_vector.assign(words.size(), 0);
      for (std::size_t i = 0; i < words.size(); ++i)
        has_vector[i] = normalize(given.vectors.subspan(i * dimensions, dimensions), &vectors[i * padded]);
    }

    const float* at(std::size_t i, std::size_t padded) const { return &vectors[i * padded]; }
  };

  // Returns whether the vector is not 0.
  static bool normalize(std::span<const float> vector, float* out) {
    double sums[lanes] = {};
    std::size_t k = 0;
    for (const float x : vector) sums[k++ % lanes] += static_cast<double>(x) * x;
    const double length = std::sqrt(total(sums));
    if (!std::isfinite(length)) throw std::invalid_argument("a vector is not finite");
    if (length == 0) return false;
    for (const float x : vector) *out++ = static_cast<float>(x / length);
    return true;
  }

  // Compilers keep the order of additions, so that each lane has to be a sum of its own to be quick.
  double dot(const float* a, const float* b) const {
    float sums[lanes] = {};
    for (std::size_t k = 0; k < padded_; k += lanes)
      for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += a[k + lane] * b[k + lane];
    return total(sums);
  }

  template <class Number>
  static double total(Number (&sums)[lanes]) {
    for (std::size_t width = lanes / 2; width > 0; width /= 2)
      for (std::size_t lane = 0; lane < width; ++lane) sums[lane] += sums[lane + width];
    return static_cast<double>(sums[0]);
  }

  std::size_t dimensions_, padded_;
  Side hyp_, ref_;
};

}  // namespace hyperbaton
