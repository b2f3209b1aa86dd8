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

  // Finds the shortest run that ends with each word and occurs once on both sides.
  void find_shortest_runs(std::span<const std::int32_t> hyp, std::span<const std::int32_t> ref,
                          std::vector<Run>& runs, const Stop& stop) {
    shared_with_hyp_.assign(hyp.size() + 1, 0);
    shared_with_ref_.assign(ref.size() + 1, 0);
    for (std::size_t i = 0; i < hyp.size(); ++i) {
      if (stop.load(std::memory_order_relaxed)) throw Interrupted();
      extend(hyp, hyp[i], shared_with_hyp_);
      shared_with_hyp_[i + 1] = 0;  // ignore the position itself
      extend(ref, hyp[i], shared_with_ref_);
      std::int32_t shared = *std::max_element(shared_with_hyp_.begin(), shared_with_hyp_.end());
      std::int32_t best = 0, best_position = -1;
      for (std::size_t r = 0; r < ref.size(); ++r) {
        if (shared_with_ref_[r + 1] > best) {
          shared = std::max(shared, best);
          best = shared_with_ref_[r + 1];
          best_position = static_cast<std::int32_t>(r);
        } else {
          shared = std::max(shared, shared_with_ref_[r + 1]);
        }
      }
      runs[i] = shared < best ? Run{shared + 1, best_position} : Run{none, -1};
    }
  }

  // Updates the number of words shared with each position after one more word is read.
  void extend(std::span<const std::int32_t> words, std::int32_t word, std::vector<std::int32_t>& shared) {
    next_.resize(shared.size());
    next_[0] = 0;
    for (std::size_t j = 0; j < words.size(); ++j) next_[j + 1] = words[j] == word ? shared[j] + 1 : 0;
    shared.swap(next_);
  }

  std::vector<Run> ending_, beginning_;
  std::vector<std::int32_t> shared_with_hyp_, shared_with_ref_, next_, reversed_hyp_, reversed_ref_;
};

}  // namespace hyperbaton
