// The links of sentence pairs, and their order, by a model of each direction.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "support/parallel.hpp"
#include "translation/bitext.hpp"
#include "translation/expected_kendall.hpp"
#include "translation/link_model.hpp"
#include "translation/link_posteriors.hpp"
#include "translation/symmetrization.hpp"

namespace hyperbaton {

// The powers of jump probabilities with which links are best, and with which the order of words is.
constexpr JumpPower link_power = JumpPower::half, order_power = JumpPower::three_quarters;

class PairAligner {
 public:
  // The time of an HMM grows with the cube of the number of words; longer sentences are aligned without
  // regard to positions.
  static constexpr std::size_t max_hmm_words = Bitext::max_words;
  // Pairs with more cells, source words times target words, have no links: they would take minutes.
  static constexpr std::size_t max_cells = 30'000'000;

  // `to_target` gives the probabilities of target words, given source words, and `to_source` the opposite.
  PairAligner(const LinkModel& to_target, const LinkModel& to_source, JumpPower power, const Stop& stop)
      : to_target_(to_target),
        to_source_(to_source),
        target_jumps_(to_target.jumps(power, static_cast<int>(max_hmm_words) + 1)),
        source_jumps_(to_source.jumps(power, static_cast<int>(max_hmm_words) + 1)),
        stop_(stop) {}

  static bool is_too_long(std::size_t sources, std::size_t targets) {
    return sources != 0 && targets > max_cells / sources;
  }

  std::vector<WordLink> links(ModelWords sources, ModelWords targets, const Symmetrizer& symmetrizer) {
    std::vector<WordLink> found;
    find_posteriors(sources, targets, [&](const auto& choose_source, const auto& choose_target) {
      found = symmetrizer.links(choose_source, choose_target, sources.size(), targets.size());
    });
    return found;
  }

  // The order of the target words in source order; 0 without any posterior.
  double expected_kendall(ModelWords sources, ModelWords targets) {
    ExpectedKendall order;
    find_posteriors(sources, targets, [&](const auto& choose_source, const auto& choose_target) {
      for (std::size_t i = 0; i < sources.size(); ++i) {
        if (stop_.load(std::memory_order_relaxed)) throw Interrupted();
        row_.resize(targets.size());
        for (std::size_t j = 0; j < targets.size(); ++j)
          row_[j] = (choose_source(j, i) + choose_target(i, j)) / 2;
        order.add(row_);
      }
    });
    return order.value();
  }

 private:
  const LinkModel& to_target_;
  const LinkModel& to_source_;
  JumpProbabilities target_jumps_, source_jumps_;
  const Stop& stop_;
  HmmPosteriors choose_source_, choose_target_;
  WordPosteriors choose_source_by_word_, choose_target_by_word_;
  std::vector<double> row_;

  // Calls body(choose_source, choose_target) with the posteriors of both directions, unless the pair has
  // none.
  template <class Body>
  void find_posteriors(ModelWords sources, ModelWords targets, Body body) {
    if (sources.empty() || targets.empty() || is_too_long(sources.size(), targets.size())) return;
    if (std::max(sources.size(), targets.size()) > max_hmm_words) {
      choose_source_by_word_.find(to_target_, sources, targets, stop_);
      choose_target_by_word_.find(to_source_, targets, sources, stop_);
      body(choose_source_by_word_, choose_target_by_word_);
      return;
    }
    choose_source_.find(to_target_, target_jumps_, sources, targets);
    choose_target_.find(to_source_, source_jumps_, targets, sources);
    body(choose_source_, choose_target_);
  }
};

}  // namespace hyperbaton
