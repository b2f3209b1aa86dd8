// From the links of two directions to the links of a sentence pair.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "support/parallel.hpp"

namespace hyperbaton {

enum class Symmetrization {
  mean,          // the mean of both posterior probabilities is above a threshold
  geometric,     // their geometric mean is above it
  intersection,  // it is the most probable link of both words
  grow_diag_final_and
};

struct WordLink {
  std::int32_t source, target;
  double posterior = 0;  // the mean of both directions
  auto operator<=>(const WordLink&) const = default;
};

// Finds the links of one pair at a time, until it is stopped.
class Symmetrizer {
 public:
  // The threshold is that of `mean` and `geometric`.
  Symmetrizer(Symmetrization method, double threshold, const Stop& stop)
      : method_(method), threshold_(threshold), stop_(stop) {}

  // `choose_source(j, i)` is the probability that target word j chooses source word i,
  // `choose_source.none(j)` that it has no link; `choose_target(i, j)` is the other direction. Links are in
  // the order of source words.
  template <class ChooseSource, class ChooseTarget>
  std::vector<WordLink> links(const ChooseSource& choose_source, const ChooseTarget& choose_target,
                              std::size_t sources, std::size_t targets) const {
    if (method_ == Symmetrization::mean || method_ == Symmetrization::geometric)
      return probable_links(choose_source, choose_target, sources, targets);
    const std::vector<std::int32_t> best_source = best_links(choose_source, targets, sources);
    const std::vector<std::int32_t> best_target = best_links(choose_target, sources, targets);
    std::vector<WordLink> found;
    if (method_ == Symmetrization::grow_diag_final_and) {
      found = grow(best_source, best_target);
    } else {
      for (std::size_t i = 0; i < sources; ++i) {
        const std::int32_t j = best_target[i];
        if (j >= 0 && best_source[static_cast<std::size_t>(j)] == static_cast<std::int32_t>(i))
          found.push_back({static_cast<std::int32_t>(i), j});
      }
    }
    for (WordLink& link : found) {
      const auto i = static_cast<std::size_t>(link.source), j = static_cast<std::size_t>(link.target);
      link.posterior = (choose_source(j, i) + choose_target(i, j)) / 2;
    }
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  Symmetrization method_;
  double threshold_;
  const Stop& stop_;

  void check_stop() const {
    if (stop_.load(std::memory_order_relaxed)) throw Interrupted();
  }

  template <class ChooseSource, class ChooseTarget>
  std::vector<WordLink> probable_links(const ChooseSource& choose_source, const ChooseTarget& choose_target,
                                       std::size_t sources, std::size_t targets) const {
    std::vector<WordLink> found;
    for (std::size_t i = 0; i < sources; ++i) {
      check_stop();
      for (std::size_t j = 0; j < targets; ++j) {
        const double p = choose_source(j, i), r = choose_target(i, j);
        const bool is_link =
            method_ == Symmetrization::mean ? p + r > 2 * threshold_ : p * r > threshold_ * threshold_;
        if (is_link)
          found.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), (p + r) / 2});
      }
    }
    return found;
  }

  // The most probable link of each word; -1 if none is at least as probable as that.
  template <class Choose>
  std::vector<std::int32_t> best_links(const Choose& choose, std::size_t words, std::size_t others) const {
    std::vector<std::int32_t> best(words, -1);
    for (std::size_t word = 0; word < words; ++word) {
      check_stop();
      double highest = choose.none(word);
      for (std::size_t other = 0; other < others; ++other)
        if (const double p = choose(word, other); p > highest) {
          highest = p;
          best[word] = static_cast<std::int32_t>(other);
        }
    }
    return best;
  }

  // The heuristic of Koehn et al. 2005: links of both directions, then their neighbours that have a link in
  // one direction and a word without a link, then links of one direction between words without a link.
  std::vector<WordLink> grow(const std::vector<std::int32_t>& best_source,
                             const std::vector<std::int32_t>& best_target) const {
    struct Candidate {
      std::int32_t target, source;
      bool is_link;
      bool operator<(const Candidate& other) const {
        return std::pair(target, source) < std::pair(other.target, other.source);
      }
    };
    std::vector<Candidate> candidates;
    for (std::size_t j = 0; j < best_source.size(); ++j)
      if (best_source[j] >= 0) candidates.push_back({static_cast<std::int32_t>(j), best_source[j], false});
    for (std::size_t i = 0; i < best_target.size(); ++i) {
      const auto source = static_cast<std::int32_t>(i), target = best_target[i];
      if (target < 0) continue;
      if (best_source[static_cast<std::size_t>(target)] != source)
        candidates.push_back({target, source, false});
    }
    std::sort(candidates.begin(), candidates.end());
    std::vector<char> source_linked(best_target.size()), target_linked(best_source.size());
    const auto link = [&](Candidate& candidate) {
      candidate.is_link = true;
      source_linked[static_cast<std::size_t>(candidate.source)] = true;
      target_linked[static_cast<std::size_t>(candidate.target)] = true;
    };
    const auto is_chosen_by_target = [&](const Candidate& candidate) {
      return best_source[static_cast<std::size_t>(candidate.target)] == candidate.source;
    };
    const auto is_chosen_by_source = [&](const Candidate& candidate) {
      return best_target[static_cast<std::size_t>(candidate.source)] == candidate.target;
    };
    for (Candidate& candidate : candidates)
      if (is_chosen_by_target(candidate) && is_chosen_by_source(candidate)) link(candidate);

    constexpr std::array<std::pair<int, int>, 8> neighbours = {
        {{-1, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}}};
    // The heuristic goes through all links in passes until none is added. A neighbour that was refused once
    // would be refused again, so that each link is visited only once: in this pass if it lies ahead, else in
    // the next.
    using Queue = std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>>;
    Queue ahead, next_pass;
    for (std::size_t k = 0; k < candidates.size(); ++k)
      if (candidates[k].is_link) ahead.push(k);
    for (; !ahead.empty() || !next_pass.empty(); check_stop()) {
      if (ahead.empty()) std::swap(ahead, next_pass);
      const std::size_t here = ahead.top();
      ahead.pop();
      for (const auto& [down, right] : neighbours) {
        const Candidate wanted{candidates[here].target + down, candidates[here].source + right, false};
        const auto at = std::lower_bound(candidates.begin(), candidates.end(), wanted);
        if (at == candidates.end() || wanted < *at || at->is_link) continue;
        if (source_linked[static_cast<std::size_t>(at->source)] &&
            target_linked[static_cast<std::size_t>(at->target)])
          continue;
        link(*at);
        const auto added = static_cast<std::size_t>(at - candidates.begin());
        (added > here ? ahead : next_pass).push(added);
      }
    }
    const auto add_isolated = [&](const auto& is_chosen) {
      for (Candidate& candidate : candidates)
        if (is_chosen(candidate) && !source_linked[static_cast<std::size_t>(candidate.source)] &&
            !target_linked[static_cast<std::size_t>(candidate.target)])
          link(candidate);
    };
    add_isolated(is_chosen_by_target);
    add_isolated(is_chosen_by_source);

    std::vector<WordLink> found;
    for (const Candidate& candidate : candidates)
      if (candidate.is_link) found.push_back({candidate.source, candidate.target});
    return found;
  }
};

}  // namespace hyperbaton
