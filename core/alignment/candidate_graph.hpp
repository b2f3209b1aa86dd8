// The candidate links of two sentences as a graph: each link with its cost and its possible successors.
//
// A selection links every word at most once. The best selection covers the most words. Among those it has the
// fewest chunks (maximal runs of links that are adjacent and in the same order on both sides), and among
// those the smallest sum of distances between linked positions. One number, the cost, combines all three:
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
#include <vector>

#include "alignment/candidate_links.hpp"
#include "support/errors.hpp"

namespace hyperbaton {

using Cost = std::int64_t;
inline constexpr Cost unknown_cost = std::numeric_limits<Cost>::max() / 2;

struct Candidate {
  Link link;
  std::uint32_t next_begin, next_end;  // the candidates that start where this one ends, on both sides
  Cost cost;                           // if it begins a new chunk
};

class CandidateGraph {
 public:
  std::size_t n = 0, m = 0;
  Cost chunk = 0, cover = 0;          // the cost of a chunk, and the reward per unit of coverage
  Cost highest_price = 0;             // upper limit of the price of a reference word
  bool has_phrases = false;           // whether a candidate has more than one word on a side
  bool complete = true;               // false if costs are rounded or links are left out
  std::vector<Candidate> candidates;  // sorted by h, then by r
  std::vector<std::uint32_t> begin;   // the first candidate of each h, and the end

  void load(const CandidateLinks& links, std::span<const std::int64_t> weights) {
    n = links.n, m = links.m;
    choose_units(*std::max_element(weights.begin(), weights.end()));
    std::size_t total = 0;
    for (std::size_t h = 0; h < n; ++h) total += links.word_links_of(h).size();
    // If there are too many to go through repeatedly, only the nearest are used.
    const std::size_t limit = total > most_candidates ? std::max<std::size_t>(1, most_candidates / n) : total;
    complete = shift_ == 0 && total <= most_candidates;
    has_phrases = !links.phrases.empty();
    candidates.clear();
    begin.assign(1, 0);
    auto phrase = links.phrases.begin();
    if (limit < total) {
      seen_.assign(links.begin.size(), 0);
      words_.assign(links.begin.size(), 0);
      for (const std::uint32_t list : links.list_of) ++words_[list];
    }
    for (std::size_t h = 0; h < n; ++h) {
      const auto at = static_cast<std::int32_t>(h);
      std::span<const CandidateLinks::WordLink> word_links = links.word_links_of(h);
      if (word_links.size() > limit) word_links = nearest_word_links(links, h, limit);
      for (const auto& word_link : word_links) add({at, 1, word_link.r, 1, word_link.matcher}, weights);
      const std::size_t first_phrase = candidates.size();
      for (; phrase != links.phrases.end() && phrase->h == at; ++phrase) add(*phrase, weights);
      if (candidates.size() != first_phrase)
        std::stable_sort(candidates.begin() + begin.back(), candidates.end(),
                         [](const auto& a, const auto& b) { return a.link.r < b.link.r; });
      begin.push_back(static_cast<std::uint32_t>(candidates.size()));
    }
    find_successors();
  }

  // Removes the candidates for which wanted(index) is false. Returns whether any were removed.
  template <class Keep>
  bool remove_unwanted(Keep wanted) {
    std::size_t count = 0, index = 0;
    for (std::size_t h = 0; h < n; ++h) {
      for (; index < begin[h + 1]; ++index)
        if (wanted(index)) candidates[count++] = candidates[index];
      begin[h + 1] = static_cast<std::uint32_t>(count);
    }
    if (count == candidates.size()) return false;
    candidates.resize(count);
    find_successors();
    return true;
  }

  std::span<const Candidate> candidates_of(std::size_t h) const {
    return {candidates.data() + begin[h], candidates.data() + begin[h + 1]};
  }

  Cost cost(std::span<const Link> selection, std::span<const std::int64_t> weights) const {
    Cost sum = 0;
    std::int32_t h = -1, r = -1;
    for (const Link& link : selection) {
      sum += cost(link, weights) - (link.h == h && link.r == r ? chunk : 0);
      h = link.h + link.h_length, r = link.r + link.r_length;
    }
    return sum;
  }

 private:
  static constexpr std::size_t most_candidates = 1 << 20;
  int shift_ = 0;  // the number of low bits of distances that are dropped
  // By list of word links: words of the hypothesis that share it, so far and in total.
  std::vector<std::size_t> seen_, words_;

  // Chooses units such that no sum of distances outweighs a chunk, and no number of chunks outweighs a word.
  // Distances lose their low bits if the numbers would be too large otherwise.
  void choose_units(std::int64_t weight) {
    if (n + m > 100'000) throw InputError("the two sentences have more than 100,000 words together");
    const Cost largest_reward = 2 * weight;
    const Cost limit = (Cost{1} << 60) / largest_reward / static_cast<Cost>(n + m + 1);
    const Cost chunks = static_cast<Cost>(std::bit_ceil(n + 1));
    for (shift_ = 0;; ++shift_) {
      chunk = static_cast<Cost>(std::bit_ceil((n * std::max(n, m) >> shift_) + 1));
      if (chunk <= limit / chunks || chunk == 1) break;
    }
    cover = chunk * chunks;
    highest_price = largest_reward * cover;
  }

  Cost cost(const Link& link, std::span<const std::int64_t> weights) const {
    return (std::abs(link.h - link.r) >> shift_) + chunk -
           weights[link.matcher] * (link.h_length + link.r_length) * cover;
  }

  void add(const Link& link, std::span<const std::int64_t> weights) {
    candidates.push_back({link, 0, 0, cost(link, weights)});
  }

  // The links of word h that are kept: the k-th of the words that share a list gets a window of the list
  // at about the same relative position.
  std::span<const CandidateLinks::WordLink> nearest_word_links(const CandidateLinks& links, std::size_t h,
                                                               std::size_t limit) {
    const auto word_links = links.word_links_of(h);
    const std::uint32_t list = links.list_of[h];
    const std::size_t middle = seen_[list]++ * word_links.size() / words_[list];
    return word_links.subspan(std::min(middle - std::min(middle, limit / 2), word_links.size() - limit),
                              limit);
  }

  void find_successors() {
    for (std::size_t h = 0; h < n; ++h) {
      std::uint32_t next = 0;
      for (std::uint32_t index = begin[h]; index < begin[h + 1]; ++index) {
        Candidate& here = candidates[index];
        const std::size_t after = h + static_cast<std::size_t>(here.link.h_length);
        here.next_begin = here.next_end = 0;
        if (after >= n) continue;
        const std::int32_t r = here.link.r + here.link.r_length;
        const std::uint32_t end = begin[after + 1];
        // Usually the successors come a little after those of the previous candidate.
        if (next < begin[after] || next > end || (next > begin[after] && candidates[next - 1].link.r >= r))
          next = begin[after];
        while (next < end && candidates[next].link.r < r) ++next;
        here.next_begin = here.next_end = next;
        while (here.next_end < end && candidates[here.next_end].link.r == r) ++here.next_end;
      }
    }
  }
};

}  // namespace hyperbaton
