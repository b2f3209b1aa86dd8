// A lower bound of the cost of all selections, by a Lagrangian relaxation. It often finds the best selection.
//
// Allow words of the reference to be linked any number of times, at a price. Then the best selection is a
// shortest path through the hypothesis. Its cost minus all prices is a lower bound for every real selection:
//
//   bound = min over paths of (cost + Σ price of the words linked) − Σ price of all words.
//
// Prices rise for words that are linked more than once and fall for words that are not linked. If the path
// links every word at most once, and every word that has a price, it is the best selection. A candidate can
// be removed if every path through it costs at least as much as the best known selection.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "alignment/candidate_graph.hpp"

namespace hyperbaton {

class LagrangianRelaxation {
 public:
  std::vector<Cost> price;                    // by r
  std::vector<Cost> cost_from, cost_through;  // see find_shortest_paths()
  Cost bound = 0, price_sum = 0;
  std::uint64_t visits = 0;  // candidates that were gone through so far, once for each path

  // Solves the relaxation with the current prices. Returns true, and the links, if the path is the best
  // selection.
  bool start(const CandidateGraph& graph, std::vector<Link>& links) {
    graph_ = &graph;
    best_bound_ = -unknown_cost;
    sum_prices();
    find_path();
    if (conflicts_ != 0) return false;
    take_path(links);
    return true;
  }

  // Adjusts the prices up to `rounds` times. Updates the best known links if it finds better ones. Returns
  // true if they are proven to be the best. The prices with the highest bound remain.
  bool improve(int rounds, Cost& best_known, std::vector<Link>& links) {
    int halvings = 0, idle_rounds = 0;  // steps get shorter if they overshoot because `best_known` is far off
    for (int round = 0;; ++round) {
      if (bound > best_bound_) {
        best_bound_ = bound, best_price_ = price;
        idle_rounds = 0;
      } else if (++idle_rounds == patience) {
        ++halvings;
        idle_rounds = 0;
      }
      if (path_is_valid_) {
        if (const Cost cost = path_cost(); cost < best_known) {
          best_known = cost;
          take_path(links);
        }
      }
      if (best_bound_ >= best_known) return true;
      if (round == rounds || halvings == 60) break;
      const Cost step = std::max<Cost>(1, ((best_known - bound) >> halvings) / conflicts_);
      for (const std::uint32_t r : conflicting_words_) {
        const Cost before = price[r];
        price[r] = std::clamp<Cost>(before + step * (times_linked_[r] - 1), 0, graph_->highest_price);
        price_sum += price[r] - before;
      }
      find_path();
    }
    if (bound != best_bound_) {
      price = best_price_;
      sum_prices();
      find_path();
    }
    return false;
  }

  // Removes the candidates that no selection cheaper than `best_known` can contain.
  bool reduce(CandidateGraph& graph, Cost best_known) {
    const std::size_t n = graph.n;
    const Cost limit = best_known + price_sum;
    // The shortest path to each word, and to each candidate if it continues a chunk.
    cost_to_.assign(n + 1, unknown_cost);
    cost_to_[0] = 0;
    cost_until_.assign(graph.candidates.size(), unknown_cost);
    for (std::size_t h = 0; h < n; ++h) {
      cost_to_[h + 1] = std::min(cost_to_[h + 1], cost_to_[h]);
      for (std::size_t index = graph.begin[h]; index < graph.begin[h + 1]; ++index) {
        const Candidate& here = graph.candidates[index];
        const Cost reached = std::min(cost_to_[h], cost_until_[index]) + here.cost + price_of(here.link);
        Cost& end = cost_to_[h + static_cast<std::size_t>(here.link.h_length)];
        end = std::min(end, reached);
        for (std::uint32_t successor = here.next_begin; successor < here.next_end; ++successor)
          cost_until_[successor] = std::min(cost_until_[successor], reached - graph.chunk);
        cost_until_[index] = std::min(cost_to_[h], cost_until_[index]) +
                             cost_through[index];  // from here on the cost of the whole path
      }
    }
    if (!graph.remove_unwanted([&](std::size_t index) { return cost_until_[index] < limit; })) return false;
    // Words without candidates have no price.
    has_candidate_.assign(graph.m, 0);
    for (const Candidate& candidate : graph.candidates)
      for (std::int32_t k = 0; k < candidate.link.r_length; ++k) has_candidate_[candidate.link.r + k] = 1;
    for (std::size_t r = 0; r < price.size(); ++r)
      if (!has_candidate_[r]) price[r] = 0;
    sum_prices();
    find_path();
    return true;
  }

  // Copies the links of the shortest path, which may link a word of the reference more than once.
  void take_path(std::vector<Link>& links) const {
    links.clear();
    for (std::uint32_t index = first_candidate_[0]; index != none; index = next_candidate_[index])
      links.push_back(graph_->candidates[index].link);
  }

  Cost price_of(const Link& link) const {
    Cost sum = price[link.r];
    for (std::int32_t k = 1; k < link.r_length; ++k) sum += price[link.r + k];
    return sum;
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  static constexpr int patience = 3;
  const CandidateGraph* graph_ = nullptr;
  Cost best_bound_ = 0;
  std::vector<Cost> best_price_, cost_to_, cost_until_;
  // The next candidate on the shortest path, from each word and after each candidate.
  std::vector<std::uint32_t> first_candidate_, next_candidate_;
  std::vector<std::int32_t> times_linked_;        // by r: how often the path links it
  std::vector<std::uint32_t> conflicting_words_;  // the words whose prices have to change
  std::vector<char> has_candidate_;               // by r
  std::int64_t conflicts_ = 0;
  bool path_is_valid_ = true;  // whether the path links no word twice

  void sum_prices() { price_sum = std::accumulate(price.begin(), price.end(), Cost{0}); }

  void find_path() {
    visits += graph_->candidates.size();
    if (graph_->has_phrases) {
      find_shortest_paths<true>();
      find_conflicts<true>();
    } else {
      find_shortest_paths<false>();
      find_conflicts<false>();
    }
  }

  // Computes shortest paths to the end: `cost_from` from each word if no link ends there, and `cost_through`
  // from each candidate if it begins a new chunk.
  template <bool HasPhrases>
  void find_shortest_paths() {
    const CandidateGraph& graph = *graph_;
    cost_from.resize(graph.n + 1);
    first_candidate_.resize(graph.n + 1);
    cost_through.resize(graph.candidates.size());
    next_candidate_.resize(graph.candidates.size());
    cost_from[graph.n] = 0;
    first_candidate_[graph.n] = none;
    const Cost chunk = graph.chunk;
    std::uint32_t index = static_cast<std::uint32_t>(graph.candidates.size());
    for (std::size_t h = graph.n; h-- > 0;) {
      const Cost unlinked = cost_from[h + 1];
      const std::uint32_t first_after = first_candidate_[h + 1];
      Cost best = unlinked;
      std::uint32_t first = first_after;
      for (const std::uint32_t begin = graph.begin[h]; index > begin;) {
        const Candidate& here = graph.candidates[--index];
        Cost after = unlinked, sum = here.cost;
        std::uint32_t next = first_after;
        if constexpr (HasPhrases) {
          after = cost_from[h + static_cast<std::size_t>(here.link.h_length)];
          next = first_candidate_[h + static_cast<std::size_t>(here.link.h_length)];
          for (std::uint32_t successor = here.next_begin; successor < here.next_end; ++successor)
            if (cost_through[successor] - chunk <= after)
              after = cost_through[successor] - chunk, next = successor;
          sum += price_of(here.link);
        } else {
          // There is at most one successor.
          if (here.next_begin < here.next_end && cost_through[here.next_begin] - chunk <= after)
            after = cost_through[here.next_begin] - chunk, next = here.next_begin;
          sum += price[here.link.r];
        }
        next_candidate_[index] = next;
        sum += after;
        cost_through[index] = sum;
        if (sum <= best) best = sum, first = index;
      }
      cost_from[h] = best;
      first_candidate_[h] = first;
    }
    bound = cost_from[0] - price_sum;
  }

  // Counts how often the shortest path links each word, and finds the words whose prices are wrong.
  template <bool HasPhrases>
  void find_conflicts() {
    const CandidateGraph& graph = *graph_;
    times_linked_.assign(graph.m, 0);
    for (std::uint32_t index = first_candidate_[0]; index != none; index = next_candidate_[index]) {
      const Link& link = graph.candidates[index].link;
      if constexpr (HasPhrases)
        for (std::int32_t k = 0; k < link.r_length; ++k) ++times_linked_[link.r + k];
      else
        ++times_linked_[link.r];
    }
    path_is_valid_ = true;
    conflicts_ = 0;
    conflicting_words_.clear();
    for (std::size_t r = 0; r < graph.m; ++r) {
      const std::int32_t excess = times_linked_[r] - 1;
      if (excess == 0 || (excess < 0 && price[r] == 0)) continue;
      path_is_valid_ = path_is_valid_ && excess < 0;
      conflicts_ += std::int64_t{excess} * excess;
      conflicting_words_.push_back(static_cast<std::uint32_t>(r));
    }
  }

  // The cost of a path that links no word twice, without prices.
  Cost path_cost() const {
    Cost cost = cost_from[0];
    for (std::size_t r = 0; r < price.size(); ++r)
      if (times_linked_[r] > 0) cost -= price[r];
    return cost;
  }
};

}  // namespace hyperbaton
