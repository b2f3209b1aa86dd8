// The words that two sentences have in common, and how far these have other neighbours.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "softorder/distinguishable_words.hpp"
#include "softorder/soft_adjacency.hpp"
#include "support/parallel.hpp"

namespace hyperbaton {

struct OrderStatistics {
  double matched = 0;          // M: the words that have a counterpart on the other side
  double lost = 0;             // λ: those of them that have other neighbours there; at most M
  double distinguishable = 0;  // N: the words of which it could be told
};

// Computes pairs of sentences one after another. Each thread needs its own.
class OrderComparison {
 public:
  OrderComparison(const WordCharacters& words, const SoftLinkOptions& options, WordWeights& weights)
      : rate_(options.distance / options.temperature), adjacency_(words, options, weights) {}

  // Equal sides lose nothing, by rule. Sides without words have nothing in common. What is lost takes time,
  // and remains 0 if it is not asked for.
  OrderStatistics operator()(std::span<const std::int32_t> hyp, std::span<const std::int32_t> ref,
                             bool count_lost, const Stop& stop) {
    OrderStatistics found;
    found.distinguishable = 0.5 * (count_distinguishable_(hyp, rate_) + count_distinguishable_(ref, rate_));
    if (hyp.empty() || ref.empty()) return found;
    count_lost = count_lost && !std::equal(hyp.begin(), hyp.end(), ref.begin(), ref.end());
    if (count_lost)
      adjacency_.link(hyp, ref, stop);
    else
      adjacency_.match_words(hyp, ref, stop);
    const Counterparts& counterparts = adjacency_.counterparts();
    for (const double match : counterparts.hyp) found.matched += match;
    if (!count_lost) return found;
    const StepLosses& losses = adjacency_.steps();
    const double lost = 0.25 * (weigh(counterparts.hyp, losses.hyp) + weigh(counterparts.ref, losses.ref));
    found.lost = std::min(lost, found.matched);  // it can be greater by a rounding error
    return found;
  }

 private:
  double rate_;
  SoftAdjacency adjacency_;
  DistinguishableWords count_distinguishable_;

  // Σ c_i·(ℓ_i + ℓ_{i+1}): the losses of the steps into each word and out of it.
  static double weigh(const std::vector<double>& counterparts, const std::vector<double>& losses) {
    double sum = 0;
    for (std::size_t i = 0; i < counterparts.size(); ++i)
      sum += counterparts[i] * (losses[i] + losses[i + 1]);
    return sum;
  }
};

}  // namespace hyperbaton
