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

  // Solves the relaxation with the current prices. Returns true, and the links, if the path is the best
  // selection.
  bool start(const CandidateGraph& graph, std::vector<Link>& links) {
    graph_ = &graph;
    best_bound_ = -unknown_cost;
    sum_prices();
    find_shortest_paths();
    follow_path();
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
      if (path_is_valid_ && path_cost_ < best_known) {
        best_known = path_cost_;
        take_path(links);
      }
      if (best_bound_ >= best_known) return true;
      if (round == rounds || halvings == 60) break;
      const Cost step = std::max<Cost>(1, ((best_known - bound) >> halvings) / conflicts_);
      for (const std::uint32_t r : conflicting_words_) {
        const Cost before = price[r];
        price[r] = std::clamp<Cost>(before + step * (times_linked_[r] - 1), 0, graph_->highest_price);
        price_sum += price[r] - before;
      }
      find_shortest_paths();
      follow_path();
    }
    if (bound != best_bound_) {
      price = best_price_;
      sum_prices();
      find_shortest_paths();
      follow_path();
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
    find_shortest_paths();
    follow_path();
    return true;
  }

  // Copies the links of the shortest path, which may link a word of the reference more than once.
  void take_path(std::vector<Link>& links) const {
    links.clear();
    for (const std::uint32_t index : path_) links.push_back(graph_->candidates[index].link);
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
  std::vector<std::uint32_t> path_;  // the candidates on the shortest path
  std::vector<std::uint32_t> first_candidate_,
      next_candidate_;                      // of the shortest path: from each word, after each candidate
  std::vector<std::int32_t> times_linked_;  // by r: how often the path links it
  std::vector<std::uint32_t> conflicting_words_;  // the words whose prices have to change
  std::vector<char> has_candidate_;               // by r
  std::int64_t conflicts_ = 0;
  bool path_is_valid_ = true;  // whether the path links no word twice
  Cost path_cost_ = 0;         // without prices

  void sum_prices() { price_sum = std::accumulate(price.begin(), price.end(), Cost{0}); }

  // Computes shortest paths to the end: `cost_from` from each word if no link ends there, and `cost_through`
  // from each candidate if it begins a new chunk.
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
      Cost best = cost_from[h + 1];
      std::uint32_t first = none;
      while (index > graph.begin[h]) {
        const Candidate& here = graph.candidates[--index];
        Cost after = cost_from[h + static_cast<std::size_t>(here.link.h_length)];
        std::uint32_t next = none;
        for (std::uint32_t successor = here.next_begin; successor < here.next_end; ++successor)
          if (cost_through[successor] - chunk <= after)
            after = cost_through[successor] - chunk, next = successor;
        next_candidate_[index] = next;
        const Cost sum = here.cost + price_of(here.link) + after;
        cost_through[index] = sum;
        if (sum <= best) best = sum, first = index;
      }
      cost_from[h] = best;
      first_candidate_[h] = first;
    }
    bound = cost_from[0] - price_sum;
  }

  // Follows the shortest path and counts how often it links each word.
  void follow_path() {
    const CandidateGraph& graph = *graph_;
    path_.clear();
    times_linked_.assign(graph.m, 0);
    path_cost_ = cost_from[0];
    for (std::size_t h = 0; h < graph.n; ++h) {
      for (std::uint32_t index = first_candidate_[h]; index != none;) {
        const Link& link = graph.candidates[index].link;
        for (std::int32_t k = 0; k < link.r_length; ++k) ++times_linked_[link.r + k];
        path_cost_ -= price_of(link);
        path_.push_back(index);
        h = static_cast<std::size_t>(link.h + link.h_length);
        index = next_candidate_[index] != none ? next_candidate_[index] : first_candidate_[h];
      }
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
};

}  // namespace hyperbaton
