// How far apart the source positions of successive target words are.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
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

// The power to which probabilities of jumps are raised. Most jumps go to the next word, and a model that
// counts them is so sure of it that it misses the words that moved; a power below 1 tempers it.
enum class JumpPower { half, three_quarters };

// Square roots are the only powers that IEEE 754 rounds correctly, so that all machines agree.
inline double raised(double probability, JumpPower power) {
  const double root = std::sqrt(probability);
  return power == JumpPower::half ? root : root * std::sqrt(root);
}

// Probabilities of jumps in sentences of limited length. They can be read in either direction without a gap.
class JumpProbabilities {
 public:
  // The counts are sums over this many samples. The powers of all jumps add up to 1.
  JumpProbabilities(const JumpCounts& jumps, double samples, JumpPower power, int longest)
      : longest_(longest), forward_(static_cast<std::size_t>(2 * longest + 1)), backward_(forward_.size()) {
    std::array<double, std::tuple_size_v<JumpCounts::Counts>> powers;
    double count_total = 0, power_total = 0;
    for (const std::uint64_t count : jumps.counts_)
      count_total += static_cast<double>(count) / samples + JumpCounts::prior;
    for (std::size_t k = 0; k < powers.size(); ++k) {
      const double count = static_cast<double>(jumps.counts_[k]) / samples + JumpCounts::prior;
      power_total += powers[k] = raised(count / count_total, power);
    }
    for (int jump = -longest; jump <= longest; ++jump) {
      const double probability = powers[JumpCounts::index(jump)] / power_total;
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
