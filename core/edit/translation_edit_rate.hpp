// The edits of TER (Snover et al. 2006) exactly as sacreBLEU counts them, in its metrics/lib_ter.py.
//
// A shift moves a run of words of the hypothesis that also occurs in the reference. The shift that lowers the
// edit distance most is made, again and again, until none lowers it. The edit distance only looks at cells
// near the diagonal. Shifts are limited in size and distance, and there is a limit to how many are tried:
// sacreBLEU discards the round in which it is reached. How many shifts a round tries does not depend on what
// they gain, so they are counted first here, and such a round costs nothing.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "support/parallel.hpp"

namespace hyperbaton {

// Works on one pair after another and keeps its memory. Each thread needs its own.
class TranslationEdits {
 public:
  // The number of edits and shifts.
  std::int64_t operator()(std::span<const std::int32_t> hypothesis, std::span<const std::int32_t> reference,
                          const Stop& stop) {
    if (reference.empty()) return static_cast<std::int64_t>(hypothesis.size());
    stop_ = &stop;
    reference_ = reference;
    words_.assign(hypothesis.begin(), hypothesis.end());
    choose_bands();
    std::int64_t shifts = 0;
    std::size_t tried = 0;
    for (;;) {
      fill_rows();
      trace_alignment();
      find_shifts(most_tried - tried);
      tried += shifts_.size();
      if (tried >= most_tried) break;
      const Shift* best = nullptr;
      Cost best_cost = last_cost();
      for (const Shift& shift : shifts_) {
        const Cost cost = cost_after(shift);
        if (cost < best_cost || (best != nullptr && cost == best_cost && shift.precedes(*best))) {
          best = &shift;
          best_cost = cost;
        }
      }
      if (best == nullptr) break;
      make_shift(*best, words_, shifted_);
      words_.swap(shifted_);
      ++shifts;
    }
    return shifts + last_cost();
  }

 private:
  using Cost = std::int32_t;
  enum class Step : std::uint8_t { undefined, keep, replace, insert, remove };
  // The words [start, start + length) move to before the word at `target`.
  struct Shift {
    std::size_t start, length, target;
    // Of shifts that gain as much, the longest counts, then the first, then the one with the first target.
    bool precedes(const Shift& other) const {
      if (length != other.length) return length > other.length;
      return start != other.start ? start < other.start : target < other.target;
    }
  };
  // The cells [begin, end) of a row, which are stored from `at` on.
  struct Band {
    std::size_t begin, end, at;
  };

  // sacreBLEU's limits
  static constexpr std::size_t longest_shift = 10, farthest_shift = 50, beam = 25, most_tried = 1000;
  static constexpr Cost infinite = std::numeric_limits<Cost>::max() / 2;

  const Stop* stop_ = nullptr;
  std::span<const std::int32_t> reference_;
  std::vector<std::int32_t> words_, shifted_;  // the hypothesis with all shifts so far; with one more
  std::vector<Band> bands_;                    // of row i: the first i words of the hypothesis
  std::vector<Cost> costs_, trial_;            // of words_; of shifted_
  std::vector<Step> steps_;
  std::vector<std::int64_t> aligned_;          // by r: the last word of the hypothesis up to there, or −1
  std::vector<char> is_error_h_, is_error_r_;  // whether the word is not kept in its place
  std::vector<Shift> shifts_;

  Cost last_cost() const { return costs_.back(); }

  // Chooses the cells that are computed. They only depend on the lengths.
  void choose_bands() {
    const std::size_t n = words_.size(), m = reference_.size();
    const double ratio = n == 0 ? 1.0 : static_cast<double>(m) / static_cast<double>(n);
    const auto width = static_cast<std::int64_t>(
        static_cast<double>(beam) < ratio / 2 ? std::ceil(ratio / 2 + static_cast<double>(beam)) : beam);
    bands_.assign(1, {0, m + 1, 0});
    std::size_t at = m + 1;
    for (std::size_t i = 1; i <= n; ++i) {
      const auto diagonal = static_cast<std::int64_t>(std::floor(static_cast<double>(i) * ratio));
      const auto begin = static_cast<std::size_t>(std::max<std::int64_t>(0, diagonal - width));
      const std::size_t end = i == n ? m + 1 : std::min(m + 1, static_cast<std::size_t>(diagonal + width));
      bands_.push_back({begin, end, at});
      at += end - begin;
    }
    costs_.resize(at);
    trial_.resize(at);
    steps_.resize(at);
    for (std::size_t j = 0; j <= m; ++j)
      costs_[j] = trial_[j] = static_cast<Cost>(j), steps_[j] = Step::insert;
  }

  void fill_rows() {
    for (std::size_t i = 1; i < bands_.size(); ++i)
      fill_row(i, words_[i - 1], costs_, costs_, [&](std::size_t at, Step step) { steps_[at] = step; });
  }

  // Fills row i from the row before. A step is taken over an earlier one only if it costs less.
  template <class Note>
  void fill_row(std::size_t i, std::int32_t word, const std::vector<Cost>& source, std::vector<Cost>& to,
                Note note) const {
    if (i % 64 == 0 && stop_->load(std::memory_order_relaxed)) throw Interrupted();
    const Band &above = bands_[i - 1], &here = bands_[i];
    // The cell above j, and infinite outside the band.
    auto cost_above = [&](std::size_t j) {
      return j >= above.begin && j < above.end ? source[above.at + (j - above.begin)] : infinite;
    };
    Cost left = infinite, diagonal = here.begin == 0 ? infinite : cost_above(here.begin - 1);
    for (std::size_t j = here.begin; j < here.end; ++j) {
      const Cost up = cost_above(j);
      Cost cost = infinite;
      Step step = Step::undefined;
      if (j > 0) {
        const bool same = word == reference_[j - 1];
        if (const Cost c = diagonal + (same ? 0 : 1); c < cost)
          cost = c, step = same ? Step::keep : Step::replace;
      }
      if (up + 1 < cost) cost = up + 1, step = Step::remove;
      if (left + 1 < cost) cost = left + 1, step = Step::insert;
      const std::size_t at = here.at + (j - here.begin);
      to[at] = cost;
      note(at, step);
      left = cost;
      diagonal = up;
    }
  }

  // Follows the steps back from the end, and notes where words are aligned.
  void trace_alignment() {
    std::size_t i = words_.size(), j = reference_.size();
    aligned_.resize(j);
    is_error_h_.resize(i);
    is_error_r_.resize(j);
    while (i > 0 || j > 0) {
      const Step step = steps_[bands_[i].at + (j - bands_[i].begin)];
      if (step != Step::insert) is_error_h_[i - 1] = step != Step::keep;
      if (step != Step::remove) {
        is_error_r_[j - 1] = step != Step::keep;
        aligned_[j - 1] = static_cast<std::int64_t>(i) - 1;
        --j;
      }
      if (step != Step::insert) --i;
    }
  }

  // Finds the shifts to try, at most `limit` and those that belong to the same run of words.
  void find_shifts(std::size_t limit) {
    shifts_.clear();
    const std::size_t n = words_.size(), m = reference_.size();
    for (std::size_t h = 0; h < n; ++h) {
      const std::size_t end = std::min(m, h + farthest_shift + 1);
      for (std::size_t r = h < farthest_shift ? 0 : h - farthest_shift; r < end; ++r) {
        bool wrong_h = false, wrong_r = false;
        for (std::size_t k = 0; k < longest_shift && h + k < n && r + k < m; ++k) {
          if (words_[h + k] != reference_[r + k]) break;
          wrong_h = wrong_h || is_error_h_[h + k];
          wrong_r = wrong_r || is_error_r_[r + k];
          if (wrong_h && wrong_r) add_shifts(h, r, k + 1);
          if (shifts_.size() >= limit) return;
        }
      }
    }
  }

  // Adds shifts of the words [h, h + length) to before and after each of the words that are aligned with the
  // same words of the reference.
  void add_shifts(std::size_t h, std::size_t r, std::size_t length) {
    const auto first = static_cast<std::int64_t>(h);
    if (first <= aligned_[r] && aligned_[r] < first + static_cast<std::int64_t>(length)) return;
    std::int64_t last_target = -1;
    for (std::size_t k = 0; k <= length; ++k) {
      const std::int64_t target = r + k == 0 ? 0 : aligned_[r + k - 1] + 1;
      if (target == last_target) continue;
      last_target = target;
      shifts_.push_back({h, length, static_cast<std::size_t>(target)});
    }
  }

  static void make_shift(const Shift& shift, const std::vector<std::int32_t>& from,
                         std::vector<std::int32_t>& to) {
    const auto [start, length, target] = shift;
    to = from;
    const auto begin = to.begin();
    const auto at = [&](std::size_t k) { return begin + static_cast<std::ptrdiff_t>(k); };
    if (target < start)
      std::rotate(at(target), at(start), at(start + length));
    else if (target > start + length)
      std::rotate(at(start), at(start + length), at(target));
    else  // within the words that move: they move on by as many words as the target is behind their start
      std::rotate(at(start), at(start + length), at(std::min(from.size(), length + target)));
  }

  // The edit distance after a shift. The rows before the first word that changes stay as they are.
  Cost cost_after(const Shift& shift) {
    make_shift(shift, words_, shifted_);
    const std::size_t n = words_.size();
    std::size_t i = std::min(shift.start, shift.target) + 1;
    while (i <= n && words_[i - 1] == shifted_[i - 1]) ++i;
    if (i > n) return last_cost();
    fill_row(i, shifted_[i - 1], costs_, trial_, [](std::size_t, Step) {});
    while (++i <= n) fill_row(i, shifted_[i - 1], trial_, trial_, [](std::size_t, Step) {});
    return trial_.back();
  }
};

}  // namespace hyperbaton
