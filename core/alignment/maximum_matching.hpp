// A maximum matching of words, and the words that every maximum matching links (König; Dulmage & Mendelsohn
// 1958).
//
// Start from the words of the hypothesis that a maximum matching leaves unmatched, go to all their
// candidates, from there to the words matched with these, and so on. Every maximum matching links each word
// of the reference that is reached, and each word of the hypothesis that is not reached. These words are
// together as many as the links.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "alignment/candidate_graph.hpp"

namespace hyperbaton {

class MaximumMatching {
 public:
  std::size_t size = 0;                 // the number of links of a maximum matching
  std::vector<std::int32_t> mate_of_h;  // in one maximum matching, or −1
  // Words that every maximum matching links: those of the comment above. There may be more.
  std::vector<char> required_h, required_r;

  // All candidates must be single words. The matching starts from the preferred links, of which the first is
  // used if several link the same word of the reference. A word linked by them stays linked, though perhaps
  // to another word.
  void run(const CandidateGraph& graph, std::span<const Link> preferred = {}) {
    graph_ = &graph;
    const std::size_t n = graph.n;
    mate_of_h.assign(n, unmatched);
    mate_of_r_.assign(graph.m, unmatched);
    required_h.assign(n, 0);
    required_r.assign(graph.m, 0);
    size = 0;
    unmatched_words_.clear();
    for (const Link& link : preferred) {
      if (mate_of_r_[link.r] != unmatched) continue;
      mate_of_r_[link.r] = link.h;
      mate_of_h[link.h] = link.r;
      ++size;
    }
    for (std::size_t h = 0; h < n; ++h) {
      required_h[h] = !graph.candidates_of(h).empty();
      if (mate_of_h[h] != unmatched) continue;
      for (const Candidate& candidate : graph.candidates_of(h)) {
        if (mate_of_r_[candidate.link.r] != unmatched) continue;
        mate_of_r_[candidate.link.r] = static_cast<std::int32_t>(h);
        mate_of_h[h] = candidate.link.r;
        ++size;
        break;
      }
      if (required_h[h] && mate_of_h[h] == unmatched)
        unmatched_words_.push_back(static_cast<std::int32_t>(h));
    }
    if (unmatched_words_.empty()) return;
    visited_.assign(graph.m, 0);
    came_from_.resize(graph.m);
    // A failed search stays failed until the matching changes, so visited marks are kept until then.
    std::int32_t round = 1;
    for (const std::int32_t h : unmatched_words_)
      if (augment(h, round)) ++size, ++round;
    ++round;
    for (const std::int32_t h : unmatched_words_)
      if (mate_of_h[h] == unmatched) {
        augment(h, round);
        for (const std::int32_t reached : queue_) required_h[reached] = 0;
      }
    for (std::size_t r = 0; r < graph.m; ++r) required_r[r] = visited_[r] == round;
  }

 private:
  static constexpr std::int32_t unmatched = -1;
  const CandidateGraph* graph_ = nullptr;
  std::vector<std::int32_t> mate_of_r_, visited_, came_from_, queue_, unmatched_words_;

  // Finds a partner for h along an augmenting path. `round` marks the visited words.
  bool augment(std::int32_t h, std::int32_t round) {
    queue_.assign(1, h);
    for (std::size_t k = 0; k < queue_.size(); ++k) {
      for (const Candidate& candidate : graph_->candidates_of(static_cast<std::size_t>(queue_[k]))) {
        const std::int32_t target = candidate.link.r;
        if (visited_[target] == round) continue;
        visited_[target] = round;
        came_from_[target] = queue_[k];
        if (mate_of_r_[target] != unmatched) {
          queue_.push_back(mate_of_r_[target]);
          continue;
        }
        for (std::int32_t r = target; r != unmatched;) {
          const std::int32_t source = came_from_[r], previous = mate_of_h[source];
          mate_of_r_[r] = source;
          mate_of_h[source] = r;
          r = previous;
        }
        return true;
      }
    }
    return false;
  }
};

}  // namespace hyperbaton
