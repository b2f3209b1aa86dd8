// The matches of two sentences side by side, each with what it costs and which ones go on from it.
//
// A selection links every word at most once. The best one covers most words, then has the fewest chunks
// (maximal runs of links that are adjacent and in the same order on both sides), then the smallest sum of
// distances between the positions that are linked. All three make one number, the cost:
//
//   Σ over links of (distance − weight · words of both sides · cover), + chunk for every chunk.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "matches.hpp"

namespace hyperbaton {

using Cost = std::int64_t;
inline constexpr Cost unknown_cost = std::numeric_limits<Cost>::max() / 2;

struct Candidate {
  Match match;
  std::uint32_t on, on_end;  // the candidates that start where this one ends, on both sides
  Cost cost;                 // as a new chunk
};

class Candidates {
 public:
  std::size_t n = 0, m = 0;
  Cost chunk = 0, cover = 0;         // what a chunk costs, and a unit of coverage that is not had
  Cost dearest = 0;                  // what a word of the reference may be worth
  bool whole = true;                 // whether the costs are not rounded, and no match is left out
  std::vector<Candidate> list;       // by h, then by r
  std::vector<std::uint32_t> begin;  // by h, and the end

  void load(const Matches& matches, std::span<const std::int64_t> weights) {
    n = matches.n, m = matches.m;
    set_units(*std::max_element(weights.begin(), weights.end()));
    std::size_t total = 0;
    for (std::size_t h = 0; h < n; ++h) total += matches.of(h).size();
    // So many are too many to go through again and again: the nearest must do.
    const std::size_t most = total > most_candidates ? std::max<std::size_t>(1, most_candidates / n) : total;
    whole = shift_ == 0 && total <= most_candidates;
    list.clear();
    begin.assign(1, 0);
    auto phrase = matches.phrases.begin();
    if (most < total) {
      seen_.assign(matches.begin.size(), 0);
      words_.assign(matches.begin.size(), 0);
      for (const std::uint32_t shared : matches.list_of) ++words_[shared];
    }
    for (std::size_t h = 0; h < n; ++h) {
      const auto at = static_cast<std::int32_t>(h);
      std::span<const Matches::Single> singles = matches.of(h);
      if (singles.size() > most) singles = nearest(matches, h, most);
      for (const auto& single : singles) add({at, 1, single.r, 1, single.matcher}, weights);
      const std::size_t first_phrase = list.size();
      for (; phrase != matches.phrases.end() && phrase->h == at; ++phrase) add(*phrase, weights);
      if (list.size() != first_phrase)
        std::stable_sort(list.begin() + begin.back(), list.end(),
                         [](const auto& a, const auto& b) { return a.match.r < b.match.r; });
      begin.push_back(static_cast<std::uint32_t>(list.size()));
    }
    connect();
  }

  // Forgets candidates. True if there were any to forget.
  template <class Keep>
  bool keep(Keep wanted) {
    std::size_t count = 0, place = 0;
    for (std::size_t h = 0; h < n; ++h) {
      for (; place < begin[h + 1]; ++place)
        if (wanted(place)) list[count++] = list[place];
      begin[h + 1] = static_cast<std::uint32_t>(count);
    }
    if (count == list.size()) return false;
    list.resize(count);
    connect();
    return true;
  }

  std::span<const Candidate> of(std::size_t h) const {
    return {list.data() + begin[h], list.data() + begin[h + 1]};
  }

  Cost cost(std::span<const Match> selection, std::span<const std::int64_t> weights) const {
    Cost sum = 0;
    std::int32_t h = -1, r = -1;
    for (const Match& match : selection) {
      sum += cost(match, weights) - (match.h == h && match.r == r ? chunk : 0);
      h = match.h + match.h_length, r = match.r + match.r_length;
    }
    return sum;
  }

 private:
  static constexpr std::size_t most_candidates = 1 << 20;
  int shift_ = 0;                          // last bits of distances that are lost
  std::vector<std::size_t> seen_, words_;  // by list: words of the hypothesis that have it, so far and in all

  // Units such that no sum of distances makes a chunk, and no number of chunks a word. Distances lose their
  // last bits if the numbers would be too large otherwise.
  void set_units(std::int64_t weight) {
    if (n + m > 100'000) throw std::invalid_argument("sentences of more than 100,000 words in total");
    const Cost heaviest = 2 * weight;
    const Cost most = (Cost{1} << 60) / heaviest / static_cast<Cost>(n + m + 1);
    const Cost chunks = static_cast<Cost>(std::bit_ceil(n + 1));
    for (shift_ = 0;; ++shift_) {
      chunk = static_cast<Cost>(std::bit_ceil((n * std::max(n, m) >> shift_) + 1));
      if (chunk <= most / chunks || chunk == 1) break;
    }
    cover = chunk * chunks;
    dearest = heaviest * cover;
  }

  Cost cost(const Match& match, std::span<const std::int64_t> weights) const {
    return (std::abs(match.h - match.r) >> shift_) + chunk -
           weights[match.matcher] * (match.h_length + match.r_length) * cover;
  }

  void add(const Match& match, std::span<const std::int64_t> weights) {
    list.push_back({match, 0, 0, cost(match, weights)});
  }

  // Of the matches of words in one list, the k-th word gets those about the same part of the way.
  std::span<const Matches::Single> nearest(const Matches& matches, std::size_t h, std::size_t most) {
    const auto singles = matches.of(h);
    const std::uint32_t shared = matches.list_of[h];
    const std::size_t middle = seen_[shared]++ * singles.size() / words_[shared];
    return singles.subspan(std::min(middle - std::min(middle, most / 2), singles.size() - most), most);
  }

  void connect() {
    for (std::size_t h = 0; h < n; ++h) {
      std::uint32_t next = 0;
      for (std::uint32_t place = begin[h]; place < begin[h + 1]; ++place) {
        Candidate& here = list[place];
        const std::size_t after = h + static_cast<std::size_t>(here.match.h_length);
        here.on = here.on_end = 0;
        if (after >= n) continue;
        const std::int32_t r = here.match.r + here.match.r_length;
        const std::uint32_t end = begin[after + 1];
        // Mostly the next place is a little further than that of the candidate before.
        if (next < begin[after] || next > end || (next > begin[after] && list[next - 1].match.r >= r))
          next = begin[after];
        while (next < end && list[next].match.r < r) ++next;
        here.on = here.on_end = next;
        while (here.on_end < end && list[here.on_end].match.r == r) ++here.on_end;
      }
    }
  }
};

}  // namespace hyperbaton
