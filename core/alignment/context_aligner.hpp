// The context aligner of RIBES (Isozaki et al. 2010, as in the authors' program, version 1.03).
//
// A word of the hypothesis is linked if it, or a run of words that ends or begins with it, occurs
// exactly once in the hypothesis and exactly once in the reference. The shortest such run is used; of
// two runs of the same length, the one that ends with the word.
//
// A run of l words that ends at position i occurs once in the hypothesis if no other position shares
// l words with i, counted backwards. It occurs once in the reference if exactly one position there
// does. So the shortest run is one word longer than the longest run shared with another position of
// the hypothesis, or with any position of the reference except the best. It exists if the best
// position of the reference shares that many words.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "support/parallel.hpp"

namespace hyperbaton {

class ContextAligner {
 public:
  // Writes, for each word of the hypothesis, the linked word of the reference, or -1.
  void operator()(std::span<const std::int32_t> hyp, std::span<const std::int32_t> ref,
                  std::span<std::int32_t> links, const Stop& stop) {
    const std::size_t n = hyp.size();
    ending_.resize(n);
    beginning_.resize(n);
    find_shortest_runs(hyp, ref, ending_, stop);
    reversed_hyp_.assign(hyp.rbegin(), hyp.rend());
    reversed_ref_.assign(ref.rbegin(), ref.rend());
    find_shortest_runs(reversed_hyp_, reversed_ref_, beginning_, stop);
    for (std::size_t i = 0; i < n; ++i) {
      const Run ending = ending_[i], beginning = beginning_[n - 1 - i];
      if (ending.length <= beginning.length)
        links[i] = ending.ref;
      else
        links[i] = static_cast<std::int32_t>(ref.size()) - 1 - beginning.ref;
    }
  }

 private:
  struct Run {
    std::int32_t length, ref;  // {none, -1} if there is no such run
  };
  static constexpr std::int32_t none = INT32_MAX;

  // The positions of each word of one side, and the length of the run that ends there and is equal to the
  // words of the hypothesis read so far.
  struct Side {
    std::span<const std::int32_t> words;
    std::vector<std::int32_t> positions;  // sorted by word, then by position
    std::vector<std::int32_t> lengths;    // by position; valid where the last word that was read occurs

    void load(std::span<const std::int32_t> sentence) {
      words = sentence;
      positions.resize(words.size());
      std::iota(positions.begin(), positions.end(), 0);
      std::sort(positions.begin(), positions.end(), [&](std::int32_t a, std::int32_t b) {
        return words[a] != words[b] ? words[a] < words[b] : a < b;
      });
      lengths.resize(words.size());
    }

    std::span<const std::int32_t> positions_of(std::int32_t word) const {
      const auto begin = std::lower_bound(positions.begin(), positions.end(), word,
                                          [&](std::int32_t k, std::int32_t w) { return words[k] < w; });
      const auto end = std::upper_bound(begin, positions.end(), word,
                                        [&](std::int32_t w, std::int32_t k) { return w < words[k]; });
      return {begin, end};
    }

    // Reads word i of the hypothesis. Positions are visited from the last to the first, so that the length
    // before each one is still that of the last word.
    std::span<const std::int32_t> read(std::span<const std::int32_t> hyp, std::size_t i) {
      const auto found = positions_of(hyp[i]);
      for (std::size_t k = found.size(); k-- > 0;) {
        const std::int32_t at = found[k];
        lengths[at] = i > 0 && at > 0 && words[at - 1] == hyp[i - 1] ? lengths[at - 1] + 1 : 1;
      }
      return found;
    }
  };

  // Finds the shortest run that ends with each word and occurs once on both sides.
  void find_shortest_runs(std::span<const std::int32_t> hyp, std::span<const std::int32_t> ref,
                          std::vector<Run>& runs, const Stop& stop) {
    hyp_.load(hyp);
    ref_.load(ref);
    for (std::size_t i = 0; i < hyp.size(); ++i) {
      if (stop.load(std::memory_order_relaxed)) throw Interrupted();
      std::int32_t shared = 0;  // the longest run that ends elsewhere, or at a second place of the reference
      for (const std::int32_t at : hyp_.read(hyp, i))
        if (static_cast<std::size_t>(at) != i) shared = std::max(shared, hyp_.lengths[at]);
      std::int32_t best = 0, best_position = -1;
      for (const std::int32_t at : ref_.read(hyp, i)) {
        if (ref_.lengths[at] > best) {
          shared = std::max(shared, best);
          best = ref_.lengths[at];
          best_position = at;
        } else {
          shared = std::max(shared, ref_.lengths[at]);
        }
      }
      runs[i] = shared < best ? Run{shared + 1, best_position} : Run{none, -1};
    }
  }

  std::vector<Run> ending_, beginning_;
  Side hyp_, ref_;
  std::vector<std::int32_t> reversed_hyp_, reversed_ref_;
};

}  // namespace hyperbaton
