// What the links of a sentence pair say about order: chunks, covered words, permutations.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "alignment/candidate_links.hpp"

namespace hyperbaton {

// What happens to the words of the reference that have no link.
enum class Unaligned { drop, left, right };

struct LinkSummary {
  std::int64_t chunks = 0;      // maximal runs of links that are adjacent and in order on both sides
  std::int64_t boundaries = 0;  // 1 if both first words are linked, and 1 if both last words are
  std::int64_t hyp_covered = 0, ref_covered = 0;  // words with a link
};

// Reads the links of one pair after another. They are sorted by h, then by r. Each thread needs its own.
class LinkOrder {
 public:
  LinkSummary count(std::span<const Link> links, std::int64_t hyp_length, std::int64_t ref_length) {
    LinkSummary counts;
    hyp_words_.clear(hyp_length);
    ref_words_.clear(ref_length);
    ends_.clear();
    bool first_linked = false, last_linked = false;  // links that overlap may share a boundary
    for (std::size_t k = 0; k < links.size(); ++k) {
      const Link& link = links[k];
      for (std::int32_t i = 0; i < link.h_length; ++i) counts.hyp_covered += hyp_words_.mark(link.h + i);
      for (std::int32_t i = 0; i < link.r_length; ++i) counts.ref_covered += ref_words_.mark(link.r + i);
      first_linked |= link.h == 0 && link.r == 0;
      last_linked |= link.h + link.h_length == hyp_length && link.r + link.r_length == ref_length;
      const bool follows_last = k > 0 && end_of(links[k - 1]) == start_of(link);
      counts.chunks += !follows_last && !follows_any(links, link);
    }
    counts.boundaries = first_linked + last_linked;
    return counts;
  }

  // Fills in the words at each place of the permutation. Places are in the order of the hypothesis; a word of
  // the reference is only at its first place. Both sides have room for as many places as the reference has
  // words. Returns the number of places.
  std::size_t places(std::span<const Link> links, std::span<std::int64_t> hyp, std::span<std::int64_t> ref) {
    ref_words_.clear(static_cast<std::int64_t>(ref.size()));
    std::size_t place = 0;
    // A phrase has all its words of the reference at its first word of the hypothesis.
    for (const Link& link : links)
      for (std::int32_t i = 0; i < link.r_length; ++i)
        if (ref_words_.mark(link.r + i)) {
          hyp[place] = link.h;
          ref[place++] = link.r + i;
        }
    return place;
  }

  // Fills in the permutation, with values from 1. There is room for as many values as the reference has
  // words. Returns the number of values: that of all words if unaligned words are inserted, otherwise that of
  // covered words. Without a covered word it is 0.
  std::size_t permutation(std::span<const Link> links, Unaligned unaligned, std::span<std::int64_t> values) {
    ref_words_.clear(static_cast<std::int64_t>(values.size()));
    order_.clear();
    for (const Link& link : links)
      for (std::int32_t i = 0; i < link.r_length; ++i)
        if (ref_words_.mark(link.r + i)) order_.push_back(link.r + i);
    if (order_.empty()) return 0;
    if (unaligned != Unaligned::drop) {
      insert_unaligned(unaligned, values);
      return values.size();
    }
    rank_.assign(values.size(), 0);
    for (const std::int64_t word : order_) rank_[static_cast<std::size_t>(word)] = 1;
    std::int64_t rank = 0;
    for (std::int64_t& of_word : rank_) of_word = rank += of_word;
    for (std::size_t place = 0; place < order_.size(); ++place)
      values[place] = rank_[static_cast<std::size_t>(order_[place])];
    return order_.size();
  }

 private:
  // A set of words that is emptied without touching each word.
  class WordSet {
   public:
    void clear(std::int64_t size) {
      if (stamps_.size() < static_cast<std::size_t>(size)) stamps_.resize(static_cast<std::size_t>(size), 0);
      ++stamp_;
    }
    // Adds a word; returns whether it is new.
    bool mark(std::int32_t word) {
      return std::exchange(stamps_[static_cast<std::size_t>(word)], stamp_) != stamp_;
    }

   private:
    std::vector<std::uint64_t> stamps_;
    std::uint64_t stamp_ = 0;
  };

  using Corner = std::pair<std::int32_t, std::int32_t>;
  WordSet hyp_words_, ref_words_;
  std::vector<Corner> ends_;
  std::vector<std::int64_t> order_, rank_;

  static Corner start_of(const Link& link) { return {link.h, link.r}; }
  static Corner end_of(const Link& link) { return {link.h + link.h_length, link.r + link.r_length}; }

  // Whether some link ends where this one starts; phrases may end there without being its neighbour in the
  // list.
  bool follows_any(std::span<const Link> links, const Link& link) {
    if (ends_.empty()) {
      for (const Link& other : links) ends_.push_back(end_of(other));
      std::sort(ends_.begin(), ends_.end());
    }
    return std::binary_search(ends_.begin(), ends_.end(), start_of(link));
  }

  // Puts each unaligned word next to its anchor: the last aligned word before it, or the first one after it.
  void insert_unaligned(Unaligned unaligned, std::span<std::int64_t> values) {
    const auto length = static_cast<std::int64_t>(values.size());
    const auto none = static_cast<std::int64_t>(order_.size());
    rank_.assign(values.size(), none);  // by word: its place
    for (std::int64_t place = 0; place < none; ++place)
      rank_[static_cast<std::size_t>(order_[static_cast<std::size_t>(place)])] = place;
    // Words without an anchor are at the beginning (left) or at the end (right).
    next_.assign(static_cast<std::size_t>(none) + 2, 0);
    anchor_.resize(values.size());
    std::int64_t anchor = unaligned == Unaligned::left ? -1 : none;
    for (std::int64_t k = 0; k < length; ++k) {
      const auto word = static_cast<std::size_t>(unaligned == Unaligned::left ? k : length - 1 - k);
      if (rank_[word] != none) anchor = rank_[word];
      anchor_[word] = static_cast<std::size_t>(anchor + 1);
      ++next_[anchor_[word]];
    }
    std::size_t sum = 0;
    for (std::size_t& first : next_) sum += std::exchange(first, sum);
    for (std::size_t word = 0; word < values.size(); ++word)
      values[next_[anchor_[word]]++] = static_cast<std::int64_t>(word) + 1;
  }
  std::vector<std::size_t> next_, anchor_;
};

}  // namespace hyperbaton
