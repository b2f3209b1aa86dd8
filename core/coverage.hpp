// Which words have to be linked so that as many as possible are: a largest matching of words, and what all
// largest matchings have in common (König; Dulmage & Mendelsohn 1958).
//
// Start from the words of the hypothesis that a largest matching leaves out and go to all their candidates,
// from there to the words that have these, and so on. Every word of the reference that is reached is linked
// in all largest matchings, and so is every word of the hypothesis that is not reached; together they are as
// many as the links.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "candidates.hpp"

namespace hyperbaton {

class Coverage {
 public:
  std::size_t links = 0;                // the most there can be
  std::vector<std::int32_t> mate_of_h;  // in one largest matching, or −1
  std::vector<char> must_h, must_r;     // whether all of them link it

  // All candidates are single words. Of the links that are preferred, which may link a word of the reference
  // more than once, as many stay as a largest matching allows without giving up what it needs.
  void run(const Candidates& candidates, std::span<const Match> preferred = {}) {
    candidates_ = &candidates;
    const std::size_t n = candidates.n;
    mate_of_h.assign(n, nobody);
    mate_of_r_.assign(candidates.m, nobody);
    must_h.assign(n, 0);
    must_r.assign(candidates.m, 0);
    links = 0;
    left_out_.clear();
    for (const Match& match : preferred) {
      if (mate_of_r_[match.r] != nobody) continue;
      mate_of_r_[match.r] = match.h;
      mate_of_h[match.h] = match.r;
      ++links;
    }
    for (std::size_t h = 0; h < n; ++h) {
      must_h[h] = !candidates.of(h).empty();
      if (mate_of_h[h] != nobody) continue;
      for (const Candidate& candidate : candidates.of(h)) {
        if (mate_of_r_[candidate.match.r] != nobody) continue;
        mate_of_r_[candidate.match.r] = static_cast<std::int32_t>(h);
        mate_of_h[h] = candidate.match.r;
        ++links;
        break;
      }
      if (must_h[h] && mate_of_h[h] == nobody) left_out_.push_back(static_cast<std::int32_t>(h));
    }
    if (left_out_.empty()) return;
    visited_.assign(candidates.m, 0);
    came_from_.resize(candidates.m);
    // A word that led to nothing leads to nothing until some word has got a new partner.
    std::int32_t round = 1;
    for (const std::int32_t h : left_out_)
      if (augment(h, round)) ++links, ++round;
    ++round;
    for (const std::int32_t h : left_out_)
      if (mate_of_h[h] == nobody) {
        augment(h, round);
        for (const std::int32_t reached : queue_) must_h[reached] = 0;
      }
    for (std::size_t r = 0; r < candidates.m; ++r) must_r[r] = visited_[r] == round;
  }

 private:
  static constexpr std::int32_t nobody = -1;
  const Candidates* candidates_ = nullptr;
  std::vector<std::int32_t> mate_of_r_, visited_, came_from_, queue_, left_out_;

  // Finds a partner for h, if need be by giving others another one. `round` marks what was visited.
  bool augment(std::int32_t h, std::int32_t round) {
    queue_.assign(1, h);
    for (std::size_t k = 0; k < queue_.size(); ++k) {
      for (const Candidate& candidate : candidates_->of(static_cast<std::size_t>(queue_[k]))) {
        const std::int32_t asked = candidate.match.r;
        if (visited_[asked] == round) continue;
        visited_[asked] = round;
        came_from_[asked] = queue_[k];
        if (mate_of_r_[asked] != nobody) {
          queue_.push_back(mate_of_r_[asked]);
          continue;
        }
        for (std::int32_t r = asked; r != nobody;) {
          const std::int32_t taker = came_from_[r], given_up = mate_of_h[taker];
          mate_of_r_[r] = taker;
          mate_of_h[taker] = r;
          r = given_up;
        }
        return true;
      }
    }
    return false;
  }
};

}  // namespace hyperbaton
