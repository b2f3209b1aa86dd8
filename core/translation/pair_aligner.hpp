// The links of sentence pairs by a model of each direction.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "support/parallel.hpp"
#include "translation/bitext.hpp"
#include "translation/link_model.hpp"
#include "translation/link_posteriors.hpp"
#include "translation/symmetrization.hpp"

namespace hyperbaton {

class PairAligner {
 public:
  // The time of an HMM grows with the cube of the number of words; longer sentences are aligned without
  // regard to positions.
  static constexpr std::size_t max_hmm_words = Bitext::max_words;
  // Pairs with more cells, source words times target words, have no links: they would take minutes.
  static constexpr std::size_t max_cells = 30'000'000;

  // `to_target` gives the probabilities of target words, given source words, and `to_source` the opposite.
  PairAligner(const LinkModel& to_target, const LinkModel& to_source, Symmetrization method, const Stop& stop)
      : to_target_(to_target),
        to_source_(to_source),
        target_jumps_(to_target.jumps(static_cast<int>(max_hmm_words) + 1)),
        source_jumps_(to_source.jumps(static_cast<int>(max_hmm_words) + 1)),
        symmetrizer_(method, stop),
        stop_(stop) {}

  static bool is_too_long(std::size_t sources, std::size_t targets) {
    return sources != 0 && targets > max_cells / sources;
  }

  std::vector<WordLink> links(ModelWords sources, ModelWords targets) {
    if (sources.empty() || targets.empty() || is_too_long(sources.size(), targets.size())) return {};
    if (std::max(sources.size(), targets.size()) > max_hmm_words) {
      choose_source_by_word_.find(to_target_, sources, targets, stop_);
      choose_target_by_word_.find(to_source_, targets, sources, stop_);
      return symmetrizer_.links(choose_source_by_word_, choose_target_by_word_, sources.size(),
                                targets.size());
    }
    choose_source_.find(to_target_, target_jumps_, sources, targets);
    choose_target_.find(to_source_, source_jumps_, targets, sources);
    return symmetrizer_.links(choose_source_, choose_target_, sources.size(), targets.size());
  }

 private:
  const LinkModel& to_target_;
  const LinkModel& to_source_;
  JumpProbabilities target_jumps_, source_jumps_;
  Symmetrizer symmetrizer_;
  const Stop& stop_;
  HmmPosteriors choose_source_, choose_target_;
  WordPosteriors choose_source_by_word_, choose_target_by_word_;
};

}  // namespace hyperbaton
