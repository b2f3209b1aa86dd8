// The choice among the matches of two sentences: which words are linked to which.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "candidates.hpp"
#include "coverage.hpp"
#include "matches.hpp"
#include "parallel.hpp"
#include "relaxation.hpp"
#include "set_search.hpp"

namespace hyperbaton {

// Works on one pair after another and keeps its memory. One for each thread.
class AlignmentSearch {
 public:
  // `weights`: what a covered word counts, by matcher. `budget`: how many steps a search may take for each
  // word.
  AlignmentSearch(std::vector<std::int64_t> weights, std::uint64_t budget, const Stop& stop)
      : weights_(std::move(weights)), budget_(budget), search_(stop) {
    alike_ = std::adjacent_find(weights_.begin(), weights_.end(), std::not_equal_to<>()) == weights_.end();
  }

  std::vector<Match> links;  // what was found, by h
  bool exact = true;         // whether no selection is better

  void run(const Matches& matches) {
    candidates_.load(matches, weights_);
    links.clear();
    relaxation_.price.assign(matches.m, 0);
    covers_ = alike_ && matches.phrases.empty();
    if (covers_) cover();
    // Mostly that is all.
    const bool solved = relaxation_.start(candidates_, links) || solve();
    exact = solved && candidates_.whole;
  }

 private:
  static constexpr std::uint64_t most_steps = std::uint64_t{1} << 40;
  std::vector<std::int64_t> weights_;
  bool alike_ = true, covers_ = true;  // whether all weights are equal; and all candidates are single words
  std::uint64_t budget_;
  Candidates candidates_;
  Coverage coverage_;
  Relaxation relaxation_;
  SetSearch search_;
  Cost known_ = 0;           // what the links cost
  std::vector<char> taken_;  // by r

  // Words of the reference that are wanted by more words than can have them are worth what they cover,
  // almost.
  void cover() {
    coverage_.run(candidates_);
    for (std::size_t r = 0; r < candidates_.m; ++r)
      if (coverage_.must_r[r])
        relaxation_.price[r] = 2 * weights_.front() * candidates_.cover - candidates_.chunk;
  }

  // From little work to much: what is found makes the bounds better, and what is forgotten the work less.
  bool solve() {
    mend_path();
    for (const auto& [rounds, widest] :
         {std::pair<int, std::size_t>{25, 4}, {25, 16}, {60, 64}, {100, 256}, {100, 1 << 15}}) {
      if (relaxation_.improve(rounds, known_, links) || reduce() || search(widest)) return true;
    }
    return false;
  }

  // The relaxation's path, with no word linked twice: the first that wants it has it, and if the most words
  // that can be covered are known, others get what is left.
  void mend_path() {
    relaxation_.take_path(links);
    if (covers_) {
      coverage_.run(candidates_, links);
      links.clear();
      for (std::size_t h = 0; h < candidates_.n; ++h)
        for (const Candidate& candidate : candidates_.of(h))
          if (candidate.match.r == coverage_.mate_of_h[h]) links.push_back(candidate.match);
    } else {
      taken_.assign(candidates_.m, 0);
      std::erase_if(links, [&](const Match& match) {
        const auto first = taken_.begin() + match.r;
        if (std::find(first, first + match.r_length, 1) != first + match.r_length) return true;
        std::fill_n(first, match.r_length, 1);
        return false;
      });
    }
    known_ = candidates_.cost(links, weights_);
  }

  bool search(std::size_t widest) {
    const std::uint64_t steps = budget_ > most_steps / candidates_.n ? most_steps : budget_ * candidates_.n;
    return search_.run(candidates_, relaxation_, covers_ ? &coverage_ : nullptr, widest, steps, known_,
                       links);
  }

  // True if what is left is not enough for anything better.
  bool reduce() {
    if (!relaxation_.reduce(candidates_, known_) || !covers_) return false;
    const std::size_t before = coverage_.links;
    coverage_.run(candidates_);
    return coverage_.links < before;
  }
};

}  // namespace hyperbaton
