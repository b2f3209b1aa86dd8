// Improves a selection of links by exchanges, until none makes it better.
//
// An exchange follows a diagonal of candidates: it links word h to r, h + 1 to r + 1, and so on. A word that
// loses its link takes the best word of the reference that is free, and a word of the reference that becomes
// free is given to a word that has no link. The steps up to the lowest cost are kept, if it is lower than the
// cost before. All links must be between single words.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "alignment/candidate_graph.hpp"
#include "support/parallel.hpp"

namespace hyperbaton {

// Works on one selection after another and keeps its memory.
class LocalImprovement {
 public:
  explicit LocalImprovement(const Stop& stop) : stop_(&stop) {}

  // Improves links, which are candidates of the graph sorted by h, and their cost.
  void run(const CandidateGraph& graph, std::vector<Link>& links, Cost& cost) {
    graph_ = &graph;
    load(links);
    improve();
    if (cost_ == 0) return;
    cost += cost_;
    links.clear();
    for (std::size_t h = 0; h < graph.n; ++h)
      if (mate_of_h_[h] != unlinked) links.push_back(candidate_at(h, mate_of_h_[h])->link);
  }

 private:
  static constexpr std::int32_t unlinked = -1;
  // An exchange ends after so many steps that did not lower the cost.
  static constexpr int patience = 16;
  // How many candidates per word are gone through. Words of real texts need some hundreds; lines of few
  // distinct words would take minutes.
  static constexpr std::int64_t visits_per_word = 20'000;

  struct Change {
    std::int32_t h, r;
    bool linked;
  };

  const Stop* stop_;
  const CandidateGraph* graph_ = nullptr;
  Cost cost_ = 0;  // compared with the selection at the beginning
  std::vector<std::int32_t> mate_of_h_, mate_of_r_;
  std::vector<std::uint32_t> begin_of_r_, index_of_r_;  // the candidates of each r
  std::vector<Change> changes_;                         // since the exchange began
  std::int64_t visits_left_ = 0;

  void load(const std::vector<Link>& links) {
    const CandidateGraph& graph = *graph_;
    cost_ = 0;
    visits_left_ = visits_per_word * static_cast<std::int64_t>(graph.n);
    mate_of_h_.assign(graph.n, unlinked);
    mate_of_r_.assign(graph.m, unlinked);
    for (const Link& link : links) mate_of_h_[link.h] = link.r, mate_of_r_[link.r] = link.h;
    begin_of_r_.assign(graph.m + 1, 0);
    for (const Candidate& candidate : graph.candidates) ++begin_of_r_[candidate.link.r];
    std::uint32_t sum = 0;
    for (std::uint32_t& begin : begin_of_r_) begin = sum += begin;
    index_of_r_.resize(graph.candidates.size());
    for (std::size_t index = graph.candidates.size(); index-- > 0;)
      index_of_r_[--begin_of_r_[graph.candidates[index].link.r]] = static_cast<std::uint32_t>(index);
  }

  // First tries the exchanges that may save a chunk, then also those that only bring words nearer.
  void improve() {
    for (bool also_nearer = false;;) {
      const bool improved = sweep(also_nearer);
      if ((!improved && also_nearer) || visits_left_ < 0) return;
      also_nearer = !improved;
    }
  }

  bool sweep(bool also_nearer) {
    bool improved = false;
    for (std::size_t h = 0; h < graph_->n && visits_left_ >= 0; ++h) {
      if (stop_->load(std::memory_order_relaxed)) throw Interrupted();
      for (std::size_t index = graph_->begin[h]; index < graph_->begin[h + 1]; ++index, --visits_left_) {
        const Candidate& candidate = graph_->candidates[index];
        if (mate_of_h_[h] == candidate.link.r) continue;
        if (may_save_chunk(candidate) || (also_nearer && may_be_nearer(candidate.link)))
          improved = exchange(&candidate) || improved;
      }
    }
    return improved;
  }

  bool may_save_chunk(const Candidate& candidate) const {
    return candidate.next_begin < candidate.next_end || has_link(candidate.link.h - 1, candidate.link.r - 1);
  }

  bool may_be_nearer(const Link& link) const {
    const std::int32_t freed = mate_of_h_[link.h], loser = mate_of_r_[link.r];
    const std::int32_t before = (freed == unlinked ? 0 : std::abs(link.h - freed)) +
                                (loser == unlinked ? 0 : std::abs(loser - link.r));
    return std::abs(link.h - link.r) < before;
  }

  // Returns whether the exchange that begins with a candidate lowers the cost; if not, nothing changes.
  bool exchange(const Candidate* candidate) {
    const Cost before = cost_;
    Cost lowest = cost_;
    std::size_t kept = 0;
    changes_.clear();
    for (int idle = 0; idle < patience; ++idle) {
      force(*candidate);
      if (cost_ < lowest) lowest = cost_, kept = changes_.size(), idle = 0;
      if (candidate->next_begin >= candidate->next_end) break;
      candidate = &graph_->candidates[candidate->next_begin];
      if (has_link(candidate->link.h, candidate->link.r)) break;  // the links go on as they are
    }
    take_back(kept);
    cost_ = lowest;
    return lowest < before;
  }

  // Links the two words of a candidate, whatever they were linked to.
  void force(const Candidate& candidate) {
    const std::int32_t loser = mate_of_r_[candidate.link.r], freed = mate_of_h_[candidate.link.h];
    if (loser != unlinked) unlink(loser);
    if (freed != unlinked) unlink(candidate.link.h);
    link(candidate);
    if (loser != unlinked)
      link_cheapest(graph_->begin[loser], graph_->begin[loser + 1],
                    [this](std::size_t k) { return &graph_->candidates[k]; });
    if (freed != unlinked && mate_of_r_[freed] == unlinked)
      link_cheapest(begin_of_r_[freed], begin_of_r_[freed + 1],
                    [this](std::size_t k) { return &graph_->candidates[index_of_r_[k]]; });
  }

  // Links two free words by the cheapest of some candidates, if there is one.
  template <class CandidateAt>
  void link_cheapest(std::size_t begin, std::size_t end, CandidateAt at) {
    visits_left_ -= static_cast<std::int64_t>(end - begin);
    const Candidate* cheapest = nullptr;
    Cost lowest = 0;
    for (std::size_t k = begin; k < end; ++k) {
      const Candidate* const candidate = at(k);
      if (mate_of_h_[candidate->link.h] != unlinked || mate_of_r_[candidate->link.r] != unlinked) continue;
      if (const Cost cost = cost_of(*candidate); cost < lowest) lowest = cost, cheapest = candidate;
    }
    if (cheapest != nullptr) link(*cheapest);
  }

  void link(const Candidate& candidate) {
    cost_ += cost_of(candidate);
    mate_of_h_[candidate.link.h] = candidate.link.r;
    mate_of_r_[candidate.link.r] = candidate.link.h;
    changes_.push_back({candidate.link.h, candidate.link.r, true});
  }

  void unlink(std::int32_t h) {
    const std::int32_t r = mate_of_h_[h];
    cost_ -= cost_of(*candidate_at(static_cast<std::size_t>(h), r));
    mate_of_h_[h] = mate_of_r_[r] = unlinked;
    changes_.push_back({h, r, false});
  }

  void take_back(std::size_t kept) {
    for (; changes_.size() > kept; changes_.pop_back()) {
      const auto [h, r, linked] = changes_.back();
      mate_of_h_[h] = linked ? unlinked : r;
      mate_of_r_[r] = linked ? unlinked : h;
    }
  }

  // The cost of a link beside the present links of the neighbouring words.
  Cost cost_of(const Candidate& candidate) const {
    const auto [h, r] = std::pair{candidate.link.h, candidate.link.r};
    return candidate.cost - (has_link(h - 1, r - 1) + has_link(h + 1, r + 1)) * graph_->chunk;
  }

  bool has_link(std::int32_t h, std::int32_t r) const {
    return h >= 0 && r >= 0 && h < static_cast<std::int32_t>(graph_->n) && mate_of_h_[h] == r;
  }

  const Candidate* candidate_at(std::size_t h, std::int32_t r) const {
    const auto of_h = graph_->candidates_of(h);
    return &*std::lower_bound(of_h.begin(), of_h.end(), r,
                              [](const Candidate& c, std::int32_t at) { return c.link.r < at; });
  }
};

}  // namespace hyperbaton
