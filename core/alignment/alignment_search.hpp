// Selects links among the candidate links of two sentences.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "alignment/beam_search.hpp"
#include "alignment/candidate_graph.hpp"
#include "alignment/candidate_links.hpp"
#include "alignment/lagrangian_relaxation.hpp"
#include "alignment/local_improvement.hpp"
#include "alignment/maximum_matching.hpp"
#include "support/parallel.hpp"

namespace hyperbaton {

// Works on one pair after another and keeps its memory. Each thread needs its own.
class AlignmentSearch {
 public:
  // `weights`: the reward for a covered word, by matcher. `budget`: the number of search steps per word. More
  // steps never give worse links of long lines.
  AlignmentSearch(std::vector<std::int64_t> weights, std::uint64_t budget, const Stop& stop)
      : weights_(std::move(weights)), budget_(budget), search_(stop), improvement_(stop) {
    equal_weights_ =
        std::adjacent_find(weights_.begin(), weights_.end(), std::not_equal_to<>()) == weights_.end();
  }

  std::vector<Link> links;  // the selection, sorted by h
  bool exact = true;        // whether it is proven that no selection is better

  void run(const CandidateLinks& candidate_links) {
    graph_.load(candidate_links, weights_);
    links.clear();
    relaxation_.price.assign(candidate_links.m, 0);
    use_matching_ = equal_weights_ && candidate_links.phrases.empty();
    if (use_matching_) set_initial_prices();
    // Most pairs are solved at once.
    const bool solved = relaxation_.start(graph_, links) || solve();
    exact = solved && graph_.complete;
  }

  // How many candidates per word the rounds of the relaxation may go through. Long lines of very few distinct
  // words have hundreds of candidates per word, and would take minutes per megabyte. Words of real texts have
  // some tens at most, even if a line is a document, and then all rounds are within this limit.
  static constexpr std::uint64_t visits_per_word = 20'000;

  // The candidates that the relaxation went through for all pairs so far.
  std::uint64_t visits() const { return relaxation_.visits; }

 private:
  static constexpr std::uint64_t most_steps = std::uint64_t{1} << 40;
  std::vector<std::int64_t> weights_;
  bool equal_weights_ = true;
  bool use_matching_ = true;  // whether all weights are equal and all candidates are single words
  std::uint64_t budget_;
  CandidateGraph graph_;
  MaximumMatching matching_;
  LagrangianRelaxation relaxation_;
  BeamSearch search_;
  LocalImprovement improvement_;
  Cost best_known_ = 0;  // the cost of `links`
  std::uint64_t visits_left_ = 0;
  std::vector<char> taken_;  // by r

  // Words of the reference with more candidates than can be linked start at almost the reward for a link.
  void set_initial_prices() {
    matching_.run(graph_);
    for (std::size_t r = 0; r < graph_.m; ++r)
      if (matching_.required_r[r]) relaxation_.price[r] = 2 * weights_.front() * graph_.cover - graph_.chunk;
  }

  // Links of longer lines are improved by exchanges. A search like that of sentences would take a hundred
  // times as long for 300 words, and leave more chunks.
  static constexpr std::size_t sentence_words = 60;

  // Alternates between bounds and searches, with increasing effort. Better links tighten the bounds, and
  // removed candidates make the search cheaper.
  bool solve() {
    repair_path();
    visits_left_ = visits_per_word * graph_.n;
    if (std::max(graph_.n, graph_.m) > sentence_words && !graph_.has_phrases) return solve_long();
    for (const auto& [rounds, beam_width] :
         {std::pair<int, std::size_t>{25, 4}, {25, 16}, {60, 64}, {100, 256}, {100, 1 << 15}})
      if (tighten_bound(rounds) || reduce() || search(beam_width, budget_)) return true;
    return false;
  }

  // Each budget begins with all that a smaller one does, so that its links are never worse.
  bool solve_long() {
    improvement_.run(graph_, links, best_known_);
    if (improve_and_search(25, 4, 1) || improve_and_search(50, 4, 1) || improve_and_search(50, 16, 10))
      return true;
    for (std::uint64_t steps = 100; steps <= budget_ / 40; steps *= 4)
      if (improve_and_search(60, 64, steps)) return true;
    return false;
  }

  // Exchanges the links of every better selection that is found. Until candidates are removed, the graph has
  // all of them.
  bool improve_and_search(int rounds, std::size_t beam_width, std::uint64_t budget) {
    Cost before = best_known_;
    if (tighten_bound(rounds)) return true;
    if (best_known_ < before) improvement_.run(graph_, links, best_known_);
    if (reduce()) return true;
    before = best_known_;
    if (search(beam_width, budget)) return true;
    if (best_known_ < before) improvement_.run(graph_, links, best_known_);
    return false;
  }

  bool tighten_bound(int most_rounds) {
    const std::uint64_t candidates = graph_.candidates.size();
    const int rounds =
        static_cast<int>(std::min(static_cast<std::uint64_t>(most_rounds), visits_left_ / (candidates + 1)));
    visits_left_ -= rounds * candidates;
    return relaxation_.improve(rounds, best_known_, links);
  }

  // Makes a selection of the relaxation's path, in which words may be linked twice. The first link of a word
  // is kept. If a maximum matching can be used, the other words are linked to what is left.
  void repair_path() {
    relaxation_.take_path(links);
    if (use_matching_) {
      matching_.run(graph_, links);
      links.clear();
      for (std::size_t h = 0; h < graph_.n; ++h)
        for (const Candidate& candidate : graph_.candidates_of(h))
          if (candidate.link.r == matching_.mate_of_h[h]) links.push_back(candidate.link);
    } else {
      taken_.assign(graph_.m, 0);
      std::erase_if(links, [&](const Link& link) {
        const auto first = taken_.begin() + link.r;
        if (std::find(first, first + link.r_length, 1) != first + link.r_length) return true;
        std::fill_n(first, link.r_length, 1);
        return false;
      });
    }
    best_known_ = graph_.cost(links, weights_);
  }

  bool search(std::size_t beam_width, std::uint64_t budget) {
    const std::uint64_t steps = budget > most_steps / graph_.n ? most_steps : budget * graph_.n;
    return search_.run(graph_, relaxation_, use_matching_ ? &matching_ : nullptr, beam_width, steps,
                       best_known_, links);
  }

  // Removes candidates. Returns true if the rest is not enough for a better selection.
  bool reduce() {
    if (!relaxation_.reduce(graph_, best_known_) || !use_matching_) return false;
    const std::size_t before = matching_.size;
    matching_.run(graph_);
    return matching_.size < before;
  }
};

}  // namespace hyperbaton
