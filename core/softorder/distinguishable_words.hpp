// How many words of a sentence can be told apart: equal words far from each other can, close ones cannot.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace hyperbaton {

// Computes D(t) = Σ a_ik²/(Z_i·Z_k) over pairs i, k of equal words, where a_ik = exp(−rate·|i − k|/|t|) and
// Z_i = Σ_k a_ik. A word that occurs once counts 1. This is what the words of t match of t itself, if they
// have no other neighbours than by chance and different words have nothing in common.
//
// a_ik is e_i/e_k for i < k, where e_i = exp(rate·(i/|t| − ½)), so that sums over all places before another
// one, and behind it, follow from those of its neighbour: the time does not grow with the square of how often
// a word occurs. The sums are compensated, so that their errors do not grow with it, either. Each thread
// needs its own.
class DistinguishableWords {
 public:
  double operator()(std::span<const std::int32_t> sentence, double rate) {
    places_.resize(sentence.size());
    for (std::size_t i = 0; i < sentence.size(); ++i)
      places_[i] = static_cast<std::uint64_t>(static_cast<std::uint32_t>(sentence[i])) << 32 | i;
    std::sort(places_.begin(), places_.end());
    rate_ = rate;
    length_ = static_cast<double>(sentence.size());
    std::size_t once = 0;
    repeated_.clear();
    for (std::size_t begin = 0, end = 0; begin < places_.size(); begin = end) {
      while (end < places_.size() && places_[end] >> 32 == places_[begin] >> 32) ++end;
      if (end - begin == 1)
        ++once;
      else
        repeated_.emplace_back(places_[begin] & 0xFFFFFFFF,
                               repeated(std::span(places_).subspan(begin, end - begin)));
    }
    // In the order of the sentence: the sum must not depend on the numbers of words.
    std::sort(repeated_.begin(), repeated_.end());
    double sum = static_cast<double>(once);
    for (const auto& [place, value] : repeated_) sum += value;
    return sum;
  }

 private:
  // Adds numbers that are not negative (Kahan).
  class Sum {
   public:
    void add(double value) {
      const double corrected = value - error_, next = sum_ + corrected;
      error_ = (next - sum_) - corrected;
      sum_ = next;
    }
    double value() const { return sum_; }

   private:
    double sum_ = 0, error_ = 0;
  };

  double rate_ = 0, length_ = 0;
  std::vector<std::uint64_t> places_;  // of each word, sorted; the upper half is the word
  std::vector<std::pair<std::uint64_t, double>>
      repeated_;                 // the first place of each repeated word, and its sum
  std::vector<double> factors_;  // e
  std::vector<double> weights_;  // Z

  // The sum over the places of one word. Z is at least 1, and e between exp(−250) and exp(250).
  double repeated(std::span<const std::uint64_t> places) {
    const std::size_t count = places.size();
    factors_.resize(count);
    weights_.resize(count);
    Sum before, behind;
    for (std::size_t i = 0; i < count; ++i) {
      const double place = static_cast<double>(places[i] & 0xFFFFFFFF) / length_;
      factors_[i] = std::exp(rate_ * (place - 0.5));
      weights_[i] = 1 + before.value() / factors_[i];
      before.add(factors_[i]);
    }
    for (std::size_t i = count; i-- > 0;) {
      weights_[i] += behind.value() * factors_[i];
      behind.add(1 / factors_[i]);
    }
    Sum all, others;  // others: Σ e²/Z over the places before. Pairs i < k count twice, for k > i.
    for (std::size_t i = 0; i < count; ++i) {
      const double square = factors_[i] * factors_[i];
      all.add((1 / weights_[i] + 2 * others.value() / square) / weights_[i]);
      others.add(square / weights_[i]);
    }
    return all.value();
  }
};

}  // namespace hyperbaton
