// How far apart the source positions of successive target words are.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hyperbaton {

// Counts of jumps. Longer ones count as jumps of the greatest distance.
class JumpCounts {
 public:
  static constexpr int greatest = 100;
  static constexpr double prior = 0.5;
  using Counts = std::array<std::uint64_t, 2 * greatest + 1>;

  JumpCounts() = default;
  explicit JumpCounts(const Counts& counts) : counts_(counts) {}
  void add(int jump) { ++counts_[index(jump)]; }
  void add(const JumpCounts& other) {
    for (std::size_t k = 0; k < counts_.size(); ++k) counts_[k] += other.counts_[k];
  }
  const Counts& counts() const { return counts_; }

 private:
  Counts counts_{};
  friend class JumpProbabilities;
  static std::size_t index(int jump) {
    return static_cast<std::size_t>(std::clamp(jump, -greatest, greatest) + greatest);
  }
};

// Probabilities of jumps in sentences of limited length. They can be read in either direction without a gap.
class JumpProbabilities {
 public:
  // The counts are sums over this many samples.
  JumpProbabilities(const JumpCounts& jumps, double samples, int longest)
      : longest_(longest), forward_(static_cast<std::size_t>(2 * longest + 1)), backward_(forward_.size()) {
    double total = 0;
    for (const std::uint64_t count : jumps.counts_)
      total += static_cast<double>(count) / samples + JumpCounts::prior;
    for (int jump = -longest; jump <= longest; ++jump) {
      const double count = static_cast<double>(jumps.counts_[JumpCounts::index(jump)]) / samples;
      const double probability = (count + JumpCounts::prior) / total;
      forward_[static_cast<std::size_t>(longest + jump)] = probability;
      backward_[static_cast<std::size_t>(longest - jump)] = probability;
    }
  }

  double operator()(int jump) const { return forward_[static_cast<std::size_t>(longest_ + jump)]; }
  // Element k is the probability of the jump from `position` to k.
  const double* from(int position) const { return forward_.data() + longest_ - position; }
  // Element k is the probability of the jump from k to `position`.
  const double* to(int position) const { return backward_.data() + longest_ - position; }

 private:
  int longest_;
  std::vector<double> forward_, backward_;
};

}  // namespace hyperbaton
