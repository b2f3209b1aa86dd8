// Links from similarities: each word is the other's best (docs/encoders.md).
//
// The strength of a pair of words is
//   S(i, j) = s(i, j) + w·(s(i−1, j−1) + s(i+1, j+1)) − d·|(i + ½)/n − (j + ½)/m|,
// where s is a similarity, 0 outside of the sentences. Words i and j are linked if j is the strongest partner
// of i, i is the strongest partner of j, and S(i, j) ≥ t. Of equally strong partners the first one counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <vector>

#include "support/parallel.hpp"

namespace hyperbaton {

struct MutualLinkSettings {
  double neighbours;  // w: the weight of the pairs before and after a pair
  double distance;    // d: what a pair loses that is at the other end of the sentence
  double threshold;   // t: the least strength of a link
};

class MutualLinker {
 public:
  explicit MutualLinker(MutualLinkSettings settings) : settings_(settings) {}

  // Writes the linked word of the reference, or -1, for each of the n words of the hypothesis. There are m
  // words in the reference. fill_row(i, row) writes the similarities of word i with them; it is called once
  // for each i, in order, so that only three rows are in memory.
  template <class FillRow>
  void operator()(std::size_t n, std::size_t m, FillRow fill_row, std::span<std::int32_t> links,
                  const Stop& stop) {
    best_of_refs_.assign(m, {});
    best_of_hyps_.assign(n, {});
    for (auto& row : rows_) row.assign(m, 0.0);
    if (n > 0) fill_row(0, std::span(rows_[0]));
    for (std::size_t i = 0; i < n; ++i) {
      if (stop.load(std::memory_order_relaxed)) throw Interrupted();
      if (i + 1 < n) fill_row(i + 1, std::span(rows_[(i + 1) % 3]));
      compare_row(i, n, m);
    }
    for (std::size_t i = 0; i < n; ++i) {
      const Partner& own = best_of_hyps_[i];
      const bool is_linked =
          own.word >= 0 && own.strength >= settings_.threshold &&
          best_of_refs_[static_cast<std::size_t>(own.word)].word == static_cast<std::int32_t>(i);
      links[i] = is_linked ? own.word : -1;
    }
  }

 private:
  struct Partner {
    double strength = -std::numeric_limits<double>::infinity();
    std::int32_t word = -1;

    void offer(double strength_of_other, std::size_t other) {
      if (!(strength_of_other > strength)) return;
      strength = strength_of_other;
      word = static_cast<std::int32_t>(other);
    }
  };

  void compare_row(std::size_t i, std::size_t n, std::size_t m) {
    const std::vector<double>&before = rows_[(i + 2) % 3], &here = rows_[i % 3], &after = rows_[(i + 1) % 3];
    // The distance is a fraction of whole numbers, so that equally far words are exactly equally far.
    const auto hyp_length = static_cast<std::int64_t>(n), ref_length = static_cast<std::int64_t>(m);
    const std::int64_t own_place = (2 * static_cast<std::int64_t>(i) + 1) * ref_length;
    const double whole = 2.0 * static_cast<double>(n) * static_cast<double>(m);
    for (std::size_t j = 0; j < m; ++j) {
      const double left = i > 0 && j > 0 ? before[j - 1] : 0,
                   right = i + 1 < n && j + 1 < m ? after[j + 1] : 0;
      const std::int64_t place = (2 * static_cast<std::int64_t>(j) + 1) * hyp_length;
      const double distance = static_cast<double>(std::abs(own_place - place)) / whole;
      const double strength = here[j] + settings_.neighbours * (left + right) - settings_.distance * distance;
      best_of_hyps_[i].offer(strength, j);
      best_of_refs_[j].offer(strength, i);
    }
  }

  MutualLinkSettings settings_;
  std::vector<double> rows_[3];
  std::vector<Partner> best_of_hyps_, best_of_refs_;
};

}  // namespace hyperbaton
