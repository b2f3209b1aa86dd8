// The context aligner of RIBES (Isozaki et al. 2010, as in the authors' program, version 1.03).
//
// A word of the hypothesis is linked if it, or else a run of words that ends or begins with it, is
// once in the hypothesis and once in the reference; of such runs the shortest counts, and of two
// that are equally long the one that ends with the word.
//
// A run of l words that ends at position i is once in the hypothesis if no other position shares
// l words with i, going back from both; and once in the reference if just one position there does.
// So the shortest is one longer than the longest that is shared with another position of the
// hypothesis, or with all but the best of the reference; and it is there if the best shares it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "parallel.hpp"

namespace hyperbaton {

class ContextAligner {
 public:
  // For each word of the hypothesis its word of the reference, or -1.
  void operator()(std::span<const std::int32_t> hyp, std::span<const std::int32_t> ref,
                  std::span<std::int32_t> links, const Stop& stop) {
    const std::size_t n = hyp.size();
    before_.resize(n);
    after_.resize(n);
    shortest_runs(hyp, ref, before_, stop);
    backwards_hyp_.assign(hyp.rbegin(), hyp.rend());
    backwards_ref_.assign(ref.rbegin(), ref.rend());
    shortest_runs(backwards_hyp_, backwards_ref_, after_, stop);
    for (std::size_t i = 0; i < n; ++i) {
      const Run before = before_[i], after = after_[n - 1 - i];
      if (before.length <= after.length)
        links[i] = before.ref;
      else
        links[i] = static_cast<std::int32_t>(ref.size()) - 1 - after.ref;
    }
  }

 private:
  struct Run {
    std::int32_t length, ref;  // the longest length there is, and -1: none
  };
  static constexpr std::int32_t none = INT32_MAX;

  // The shortest run that ends with each word and is once on both sides.
  void shortest_runs(std::span<const std::int32_t> hyp, std::span<const std::int32_t> ref,
                     std::vector<Run>& runs, const Stop& stop) {
    in_hyp_.assign(hyp.size() + 1, 0);
    in_ref_.assign(ref.size() + 1, 0);
    for (std::size_t i = 0; i < hyp.size(); ++i) {
      if (stop.load(std::memory_order_relaxed)) throw Interrupted();
      extend(hyp, hyp[i], in_hyp_);
      in_hyp_[i + 1] = 0;  // the position itself
      extend(ref, hyp[i], in_ref_);
      std::int32_t shared = *std::max_element(in_hyp_.begin(), in_hyp_.end());
      std::int32_t best = 0, at = -1;
      for (std::size_t r = 0; r < ref.size(); ++r) {
        if (in_ref_[r + 1] > best) {
          shared = std::max(shared, best);
          best = in_ref_[r + 1];
          at = static_cast<std::int32_t>(r);
        } else {
          shared = std::max(shared, in_ref_[r + 1]);
        }
      }
      runs[i] = shared < best ? Run{shared + 1, at} : Run{none, -1};
    }
  }

  // From how many words are shared with each position, to how many if one more word is read.
  void extend(std::span<const std::int32_t> words, std::int32_t word, std::vector<std::int32_t>& shared) {
    next_.resize(shared.size());
    next_[0] = 0;
    for (std::size_t j = 0; j < words.size(); ++j) next_[j + 1] = words[j] == word ? shared[j] + 1 : 0;
    shared.swap(next_);
  }

  std::vector<Run> before_, after_;
  std::vector<std::int32_t> in_hyp_, in_ref_, next_, backwards_hyp_, backwards_ref_;
};

}  // namespace hyperbaton
