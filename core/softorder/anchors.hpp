// Anchors: words about which there is no doubt, since each text has them exactly once. Two systems are
// compared by the order of their shared anchors, because a word whose partner is gone finds another one
// where links are soft.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "permutations/sequence_measures.hpp"
#include "support/errors.hpp"

namespace hyperbaton {

using Numbers = std::span<const std::int32_t>;

// Sorts numbers with their positions. Sorting takes no memory that depends on the largest number, and its
// time does not depend on how often a number occurs.
class SortedNumbers {
 public:
  void load(Numbers numbers) {
    places_.resize(numbers.size());
    for (std::size_t k = 0; k < numbers.size(); ++k)
      places_[k] = static_cast<std::uint64_t>(static_cast<std::uint32_t>(numbers[k])) << 32 | k;
    std::sort(places_.begin(), places_.end());
  }

  // Keeps the numbers that occur exactly once.
  void keep_single() {
    std::size_t kept = 0;
    for (std::size_t k = 0, end = 0; k < places_.size(); k = end) {
      for (end = k + 1; end < places_.size() && number(places_[end]) == number(places_[k]);) ++end;
      if (end == k + 1) places_[kept++] = places_[k];
    }
    places_.resize(kept);
  }

  bool has_repetition() const {
    return std::adjacent_find(places_.begin(), places_.end(), [](std::uint64_t x, std::uint64_t y) {
             return number(x) == number(y);
           }) != places_.end();
  }

  // Calls body(position here, position there) for every number of both; neither may have one twice.
  template <class Body>
  void each_shared(const SortedNumbers& other, Body body) const {
    auto there = other.places_.begin();
    for (const std::uint64_t here : places_) {
      while (there != other.places_.end() && number(*there) < number(here)) ++there;
      if (there == other.places_.end()) return;
      if (number(*there) == number(here)) body(position(here), position(*there));
    }
  }

 private:
  std::vector<std::uint64_t> places_;  // the upper half is the number, the lower half its position

  static std::uint32_t number(std::uint64_t place) { return static_cast<std::uint32_t>(place >> 32); }
  static std::int32_t position(std::uint64_t place) { return static_cast<std::int32_t>(place & 0xFFFFFFFF); }
};

// Finds the words that a sentence and a reference both have exactly once.
class AnchorFinder {
 public:
  void load(Numbers hyp) {
    length_ = hyp.size();
    hyp_.load(hyp);
    hyp_.keep_single();
  }

  // Appends the number of tokens of the reference, that of the words, and the positions of the words in the
  // reference, in the order of the sentence.
  void append(Numbers ref, std::vector<std::int32_t>& out) {
    ref_.load(ref);
    ref_.keep_single();
    counterparts_.assign(length_, -1);
    hyp_.each_shared(ref_, [&](std::int32_t here, std::int32_t there) {
      counterparts_[static_cast<std::size_t>(here)] = there;
    });
    out.push_back(static_cast<std::int32_t>(ref.size()));
    out.push_back(
        static_cast<std::int32_t>(std::count_if(counterparts_.begin(), counterparts_.end(), is_position)));
    std::copy_if(counterparts_.begin(), counterparts_.end(), std::back_inserter(out), is_position);
  }

 private:
  SortedNumbers hyp_, ref_;
  std::size_t length_ = 0;                  // of the sentence
  std::vector<std::int32_t> counterparts_;  // the position of each of its words in the reference, or −1

  static bool is_position(std::int32_t value) { return value >= 0; }
};

// Reads what AnchorFinder appended, one reference after the other. It may come from a damaged file.
class AnchorReader {
 public:
  explicit AnchorReader(Numbers values) : rest_(values) {}

  bool at_end() const { return rest_.empty(); }
  std::int32_t tokens() const { return tokens_; }
  Numbers positions() const { return positions_; }

  void next() {
    if (rest_.size() < 2) throw InputError("anchors end too early");
    tokens_ = rest_[0];
    const std::int32_t count = rest_[1];
    rest_ = rest_.subspan(2);
    if (tokens_ < 0 || count < 0 || count > tokens_)
      throw InputError(std::to_string(count) + " anchors in a reference of " + std::to_string(tokens_) +
                       " words");
    if (static_cast<std::size_t>(count) > rest_.size()) throw InputError("anchors end too early");
    positions_ = rest_.first(static_cast<std::size_t>(count));
    rest_ = rest_.subspan(positions_.size());
    for (const std::int32_t position : positions_)
      if (position < 0 || position >= tokens_)
        throw InputError("an anchor at position " + std::to_string(position) + " of a reference of " +
                         std::to_string(tokens_) + " words");
  }

 private:
  Numbers rest_, positions_;
  std::int32_t tokens_ = 0;
};

// What the shared anchors of a segment say of two systems, in the reference that has most of them.
struct SharedAnchors {
  std::int32_t weight = 0;  // the number of shared anchors; 0 if there are fewer than two
  double a = 0, b = 0;      // which share of neighbours each system keeps
  std::int32_t tokens = 0;  // of the reference
};

class AnchorPairing {
 public:
  SharedAnchors operator()(Numbers a, Numbers b) {
    AnchorReader reader_a(a), reader_b(b);
    SharedAnchors best;
    bool is_first = true;
    std::size_t most = 0;
    while (!reader_a.at_end() && !reader_b.at_end()) {
      reader_a.next();
      reader_b.next();
      if (reader_a.tokens() != reader_b.tokens())
        throw InputError("two systems have references of " + std::to_string(reader_a.tokens()) + " and " +
                         std::to_string(reader_b.tokens()) + " words");
      share(reader_a.positions(), reader_b.positions());
      if (!is_first && shared_a_.size() <= most) continue;
      is_first = false;
      most = shared_a_.size();
      best = {0, 0, 0, reader_a.tokens()};
      if (most >= 2) best = {static_cast<std::int32_t>(most), kept(shared_a_), kept(shared_b_), best.tokens};
    }
    if (!reader_a.at_end() || !reader_b.at_end())
      throw InputError("two systems have different numbers of references");
    return best;
  }

 private:
  using Ranks = std::vector<std::pair<std::int32_t, std::int32_t>>;  // index in the list, rank
  SortedNumbers sorted_a_, sorted_b_;
  Ranks shared_a_, shared_b_;
  std::vector<std::int32_t> permutation_;

  // Ranks the positions that both lists have.
  void share(Numbers a, Numbers b) {
    sorted_a_.load(a);
    sorted_b_.load(b);
    if (sorted_a_.has_repetition() || sorted_b_.has_repetition())
      throw InputError("two anchors are at the same position");
    shared_a_.clear();
    shared_b_.clear();
    sorted_a_.each_shared(sorted_b_, [&](std::int32_t in_a, std::int32_t in_b) {
      const auto rank = static_cast<std::int32_t>(shared_a_.size());
      shared_a_.emplace_back(in_a, rank);
      shared_b_.emplace_back(in_b, rank);
    });
  }

  double kept(Ranks& shared) {
    std::sort(shared.begin(), shared.end());
    permutation_.clear();
    for (const auto& [index, rank] : shared) permutation_.push_back(rank);
    return breakpoints(permutation_);
  }
};

}  // namespace hyperbaton
