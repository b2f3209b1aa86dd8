// The choice among the matches of two sentences: which words are linked to which.
//
// A selection links every word at most once. The best one covers most words, then has the fewest chunks
// (maximal runs of links that are adjacent and in the same order on both sides), then the smallest sum of
// distances between the positions that are linked. All three make one number, the cost.
//
// 1. Let words of the reference be linked any number of times, at a price. Then the best selection is a
//    shortest path through the hypothesis; what it costs, less all prices, is no more than any real selection
//    costs (Lagrange). Prices go up where a word is linked too often and down where it is not linked. If the
//    path links every word once at most, and all that have a price, nothing is better.
// 2. Otherwise a dynamic programme over sets: the hypothesis is read from left to right; a state is which
//    words of the reference are taken, as far as words to come might want them, and where the last link
//    ended, as far as a match could go on from there. Of the selections with the same state only the best is
//    kept, and only if with the path of step 1 it might become better than what is known. When there are too
//    many states, only the most hopeful go on: a beam, and the result is not said to be exact.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "matches.hpp"
#include "parallel.hpp"

namespace hyperbaton {

// Works on one pair after another and keeps its memory. One for each thread.
class AlignmentSearch {
 public:
  // `weights`: what a covered word counts, by matcher. `budget`: how many steps a search may take for each
  // word.
  AlignmentSearch(std::vector<std::int64_t> weights, std::uint64_t budget, const Stop& stop)
      : weights_(std::move(weights)), budget_(budget), stop_(&stop) {}

  std::vector<Match> links;  // what was found, by h
  bool exact = true;         // whether no selection is better

  void run(const Matches& matches) {
    matches_ = &matches;
    set_units();
    group();
    known_ = unknown;
    links.clear();
    prepare_prices();
    bounded_ = values_begin_.back() <= most_values;
    if (bounded_) lay_out();
    best_price_ = price_;
    highest_ = -unknown;
    exact = matches.n == 0 || (relax(0) && shift_ == 0);
    // Mostly that is all. The rest goes from little work to much: what is found makes the bounds better.
    for (const std::size_t widest : {std::size_t{1}, few, 4 * few, wide, most_states}) {
      if (exact) return;
      left_ = budget_ > most_steps / matches.n ? most_steps : budget_ * matches.n;
      exact = (search(widest) || relax(widest == few ? 0 : most_rounds)) && shift_ == 0;
    }
    if (exact) return;
    left_ = 0;  // the nearest words may do as well
    search(1);
  }

 private:
  using Cost = std::int64_t;
  static constexpr std::size_t few = 16, wide = 256, most_states = 1 << 15, most_values = 1 << 20;
  static constexpr int most_rounds = 40;
  static constexpr Cost unknown = std::numeric_limits<Cost>::max() / 2;
  static constexpr std::uint64_t most_steps = std::uint64_t{1} << 40;
  static constexpr std::int32_t nowhere = -1;
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  // Words that matches connect, more than one of the hypothesis.
  struct Group {
    std::int32_t words = 0, last = 0;     // of the hypothesis: how many, and the last
    std::int32_t seen = 0, spare = 0;     // how many are read, and may stay without a link
    std::size_t first_word = 0;           // in group_words_
    bool entangled = false;               // not every word matches all: a link may leave another word none
    std::size_t first_bit = 0, bits = 0;  // its words of the reference
  };
  struct State {
    Cost cost, priced;   // so far; with the prices of the words taken
    Cost hope;           // what it is at least in the end
    std::uint32_t node;  // the last link
    std::int32_t last;   // where in the reference a link that ends here ends, if a match goes on from there
  };
  // A match: its cost as a new chunk, the first match that goes on from it, another that starts where it
  // does.
  struct Place {
    Match match;
    Cost cost;
    std::uint32_t on, beside;
  };
  struct Node {
    std::uint32_t before;
    Match link;
  };
  struct Layer {
    std::vector<State> states;
    std::vector<std::uint64_t> taken;   // width_ words for each state
    std::vector<std::uint32_t> places;  // a hash table of states
    void clear() {
      states.clear();
      taken.clear();
      places.clear();
    }
  };

  std::vector<std::int64_t> weights_;
  std::uint64_t budget_, left_ = 0;
  const Stop* stop_;
  const Matches* matches_ = nullptr;
  int shift_ = 0;
  Cost chunk_ = 0, cover_ = 0, dearest_ = 0;     // what a chunk costs, and a unit of coverage not had
  std::vector<std::int32_t> parent_, group_at_;  // of the words of both sides, as a forest
  std::vector<Group> groups_;
  std::vector<std::int32_t> group_of_h_, bit_of_r_;  // −1: none
  std::vector<std::size_t> next_bit_;
  std::vector<char> in_phrase_;              // by h
  std::vector<std::uint32_t> phrase_begin_;  // by h
  std::vector<std::size_t> values_begin_;    // by h
  std::vector<std::int32_t> mate_of_r_, mate_of_h_, visited_, came_from_, queue_;
  std::vector<Cost> price_, best_price_;  // by r
  Cost all_prices_ = 0, highest_ = 0;     // the bound with the best prices
  std::vector<Cost> from_, values_;       // see solve()
  std::vector<Place> places_;
  std::vector<std::int32_t> group_words_, taker_;
  std::vector<char> asked_;
  std::vector<std::int32_t> used_;  // by r: how often
  std::vector<Match> path_;
  bool bounded_ = true;
  std::vector<Layer> layers_;
  Layer kept_;
  std::vector<Node> nodes_;
  std::vector<std::uint64_t> mask_, alive_;
  std::vector<std::uint32_t> by_rank_;
  std::size_t width_ = 0;
  Cost known_ = 0;  // what the links found so far cost

  // Units such that no sum of distances makes a chunk, and no number of chunks a word. Distances lose their
  // last bits if the numbers would be too large otherwise.
  void set_units() {
    const std::uint64_t n = matches_->n, m = matches_->m;
    if (n + m > 100'000) throw std::invalid_argument("sentences of more than 100,000 words in total");
    const Cost heaviest = 2 * *std::max_element(weights_.begin(), weights_.end());
    const Cost most = (Cost{1} << 60) / heaviest / static_cast<Cost>(n + m + 1);
    const Cost chunks = static_cast<Cost>(std::bit_ceil(n + 1));
    for (shift_ = 0;; ++shift_) {
      chunk_ = static_cast<Cost>(std::bit_ceil((n * std::max(n, m) >> shift_) + 1));
      if (chunk_ <= most / chunks || chunk_ == 1) break;
    }
    cover_ = chunk_ * chunks;
    dearest_ = heaviest * cover_;
  }

  Cost cost(const Match& match, bool goes_on) const {
    return (std::abs(match.h - match.r) >> shift_) + (goes_on ? 0 : chunk_) -
           weights_[match.matcher] * (match.h_length + match.r_length) * cover_;
  }
  Cost price(const Match& match) const {
    Cost sum = 0;
    for (std::int32_t k = 0; k < match.r_length; ++k) sum += price_[match.r + k];
    return sum;
  }

  static Match as_match(std::size_t h, const Matches::Single& single) {
    return {static_cast<std::int32_t>(h), 1, single.r, 1, single.matcher};
  }
  std::size_t phrases_at(std::size_t h) const { return phrase_begin_[h + 1] - phrase_begin_[h]; }

  // Calls body(match, place) for every match that starts at h.
  template <class Body>
  void each(std::size_t h, Body body) const {
    std::size_t place = values_begin_[h];
    for (const auto& single : matches_->of(h)) body(as_match(h, single), place++);
    for (std::uint32_t k = phrase_begin_[h]; k < phrase_begin_[h + 1]; ++k)
      body(matches_->phrases[k], place++);
  }

  // Calls body(place) for every match that starts at (h, r).
  template <class Body>
  void each_from(std::size_t h, std::int32_t r, Body body) const {
    if (h >= matches_->n) return;
    const auto singles = matches_->of(h);
    const auto found = std::lower_bound(singles.begin(), singles.end(), r,
                                        [](const auto& single, std::int32_t at) { return single.r < at; });
    if (found != singles.end() && found->r == r)
      body(values_begin_[h] + static_cast<std::size_t>(found - singles.begin()));
    for (std::uint32_t k = phrase_begin_[h]; k < phrase_begin_[h + 1]; ++k)
      if (matches_->phrases[k].r == r) body(values_begin_[h] + singles.size() + (k - phrase_begin_[h]));
  }

  std::int32_t find(std::int32_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  void join(std::int32_t a, std::int32_t b) { parent_[find(a)] = find(b); }

  void group() {
    const Matches& all = *matches_;
    const std::int32_t n = static_cast<std::int32_t>(all.n), m = static_cast<std::int32_t>(all.m);
    parent_.resize(all.n + all.m);
    std::iota(parent_.begin(), parent_.end(), 0);
    for (std::size_t list = 0; list + 1 < all.begin.size(); ++list)
      for (std::uint32_t k = all.begin[list] + 1; k < all.begin[list + 1]; ++k)
        join(n + all.singles[k - 1].r, n + all.singles[k].r);
    in_phrase_.assign(all.n, 0);
    phrase_begin_.assign(all.n + 1, 0);
    for (const Match& match : all.phrases) {
      for (std::int32_t k = 0; k < match.h_length; ++k) {
        join(match.h + k, n + match.r);
        in_phrase_[match.h + k] = 1;
      }
      for (std::int32_t k = 1; k < match.r_length; ++k) join(n + match.r + k, n + match.r);
      ++phrase_begin_[match.h + 1];
    }
    std::partial_sum(phrase_begin_.begin(), phrase_begin_.end(), phrase_begin_.begin());
    values_begin_.assign(all.n + 1, 0);
    for (std::int32_t h = 0; h < n; ++h) {
      values_begin_[h + 1] = values_begin_[h] + all.of(h).size() + phrases_at(h);
      if (!all.of(h).empty()) join(h, n + all.of(h).front().r);
    }

    groups_.clear();
    group_at_.assign(all.n + all.m, nowhere);
    group_of_h_.assign(all.n, nowhere);
    for (std::int32_t h = 0; h < n; ++h) {
      if (all.of(h).empty() && !in_phrase_[h]) continue;
      std::int32_t& g = group_at_[find(h)];
      if (g == nowhere) {
        g = static_cast<std::int32_t>(groups_.size());
        groups_.push_back({});
      }
      group_of_h_[h] = g;
      ++groups_[g].words;
      groups_[g].last = h;
    }
    // Each group has its bits side by side, unless there is nothing to choose.
    for (std::int32_t r = 0; r < m; ++r)
      if (const std::int32_t g = group_at_[find(n + r)]; g != nowhere) ++groups_[g].bits;
    std::size_t bits = 0;
    next_bit_.clear();
    for (Group& g : groups_) {
      g.first_bit = bits;
      next_bit_.push_back(bits);
      if (g.words > 1) bits += g.bits;
    }
    width_ = (bits + 63) / 64;
    bit_of_r_.assign(all.m, nowhere);
    for (std::int32_t r = 0; r < m; ++r) {
      const std::int32_t g = group_at_[find(n + r)];
      if (g != nowhere && groups_[g].words > 1) bit_of_r_[r] = static_cast<std::int32_t>(next_bit_[g]++);
    }
  }

  // Words of the reference that are wanted by more words than can have them are worth what they cover,
  // almost: those that words without a partner reach in a largest matching (König).
  void prepare_prices() {
    const Matches& all = *matches_;
    price_.assign(all.m, 0);
    for (Group& g : groups_) g.spare = g.words;
    if (!all.phrases.empty() ||
        std::adjacent_find(weights_.begin(), weights_.end(), std::not_equal_to<>()) != weights_.end())
      return;
    mate_of_r_.assign(all.m, nowhere);
    mate_of_h_.assign(all.n, nowhere);
    for (std::size_t h = 0; h < all.n; ++h) {
      if (group_of_h_[h] == nowhere) continue;
      for (const auto& single : all.of(h)) {
        if (mate_of_r_[single.r] != nowhere) continue;
        mate_of_r_[single.r] = static_cast<std::int32_t>(h);
        mate_of_h_[h] = single.r;
        break;
      }
    }
    visited_.assign(all.m, 0);
    came_from_.resize(all.m);
    std::int32_t round = 1;
    for (std::size_t h = 0; h < all.n; ++h)
      if (group_of_h_[h] != nowhere && mate_of_h_[h] == nowhere)
        round += augment(static_cast<std::int32_t>(h), round);
    ++round;
    for (std::size_t h = 0; h < all.n; ++h) {
      if (group_of_h_[h] == nowhere) continue;
      if (mate_of_h_[h] == nowhere) augment(static_cast<std::int32_t>(h), round);
      if (mate_of_h_[h] != nowhere) --groups_[group_of_h_[h]].spare;
    }
    for (std::size_t r = 0; r < all.m; ++r)
      if (visited_[r] == round) price_[r] = 2 * weights_.front() * cover_ - chunk_;
    std::size_t count = 0;
    for (Group& g : groups_) {
      g.first_word = count;
      count += static_cast<std::size_t>(g.words);
      g.seen = 0;
    }
    group_words_.resize(count);
    for (std::size_t h = 0; h < all.n; ++h) {
      if (group_of_h_[h] == nowhere) continue;
      Group& g = groups_[group_of_h_[h]];
      group_words_[g.first_word + static_cast<std::size_t>(g.seen++)] = static_cast<std::int32_t>(h);
      if (g.words > 1 && g.words <= 64 && all.of(h).size() != g.bits) g.entangled = true;
    }
    // It covers as much as can be: nothing that covers less need be looked at.
    for (std::size_t h = 0; h < all.n; ++h)
      for (const auto& single : all.of(h))
        if (single.r == mate_of_h_[h]) links.push_back(as_match(h, single));
    known_ = cost(links);
  }

  // Finds a partner for h, if need be by giving others another one. `round` marks what was visited; a word
  // of the reference that led to nothing leads to nothing until some word has got a new partner.
  bool augment(std::int32_t h, std::int32_t round) {
    queue_.assign(1, h);
    for (std::size_t k = 0; k < queue_.size(); ++k) {
      for (const auto& single : matches_->of(queue_[k])) {
        if (visited_[single.r] == round) continue;
        visited_[single.r] = round;
        came_from_[single.r] = queue_[k];
        if (mate_of_r_[single.r] != nowhere) {
          queue_.push_back(mate_of_r_[single.r]);
          continue;
        }
        for (std::int32_t r = single.r; r != nowhere;) {
          const std::int32_t taker = came_from_[r], given_up = mate_of_h_[taker];
          mate_of_r_[r] = taker;
          mate_of_h_[taker] = r;
          r = given_up;
        }
        return true;
      }
    }
    return false;
  }

  // All matches side by side, with what each costs as a new chunk and which ones go on from it.
  void lay_out() {
    const std::size_t size = values_begin_.back();
    places_.resize(size);
    values_.resize(size);
    for (std::size_t h = 0; h < matches_->n; ++h)
      each(h, [&](const Match& match, std::size_t place) {
        places_[place] = {match, cost(match, false), none, none};
      });
    for (std::size_t place = 0; place < size; ++place) {
      Place& here = places_[place];
      std::uint32_t* next = &here.on;
      each_from(static_cast<std::size_t>(here.match.h + here.match.h_length),
                here.match.r + here.match.r_length, [&](std::size_t on) {
                  *next = static_cast<std::uint32_t>(on);
                  next = &places_[on].beside;
                });
    }
  }

  // The shortest path from each word on: from_[h] if no link ends there, values_ by the match at h that it
  // begins with, as a new chunk.
  void solve() {
    const std::size_t n = matches_->n;
    from_.resize(n + 1);
    from_[n] = 0;
    for (std::size_t h = n; h-- > 0;) {
      Cost best = from_[h + 1];
      for (std::size_t place = values_begin_[h]; place < values_begin_[h + 1]; ++place) {
        const Place& here = places_[place];
        Cost after = from_[h + static_cast<std::size_t>(here.match.h_length)];
        for (std::uint32_t on = here.on; on != none; on = places_[on].beside)
          after = std::min(after, values_[on] - chunk_);
        values_[place] = here.cost + price(here.match) + after;
        best = std::min(best, values_[place]);
      }
      from_[h] = best;
    }
    all_prices_ = std::accumulate(price_.begin(), price_.end(), Cost{0});
  }

  // Follows the shortest path; returns whether it links no word twice.
  bool follow() {
    path_.clear();
    used_.assign(matches_->m, 0);
    bool once = true;
    std::int32_t last = nowhere;
    for (std::size_t h = 0; h < matches_->n;) {
      Cost best = from_[h + 1];
      const Match* chosen = nullptr;
      for (std::size_t place = values_begin_[h]; place < values_begin_[h + 1]; ++place) {
        const Match& match = places_[place].match;
        const Cost value = values_[place] - (match.r == last ? chunk_ : 0);
        if (value < best || (value == best && chosen == nullptr)) best = value, chosen = &match;
      }
      if (chosen == nullptr) {
        last = nowhere;
        ++h;
        continue;
      }
      for (std::int32_t k = 0; k < chosen->r_length; ++k) once = used_[chosen->r + k]++ == 0 && once;
      path_.push_back(*chosen);
      last = chosen->r + chosen->r_length;
      h += static_cast<std::size_t>(chosen->h_length);
    }
    return once;
  }

  Cost cost(const std::vector<Match>& selection) const {
    Cost sum = 0;
    std::int32_t h = nowhere, r = nowhere;
    for (const Match& match : selection) {
      sum += cost(match, match.h == h && match.r == r);
      h = match.h + match.h_length, r = match.r + match.r_length;
    }
    return sum;
  }

  // Adjusts the prices so many times. True if the links are the best there are.
  bool relax(int rounds) {
    if (!bounded_) return false;
    price_ = best_price_;
    for (int round = 0;; ++round) {
      solve();
      if (follow())
        if (const Cost found = cost(path_); found < known_) known_ = found, links = path_;
      const Cost bound = from_[0] - all_prices_;
      if (bound > highest_) highest_ = bound, best_price_ = price_;
      if (highest_ >= known_) return true;
      std::int64_t conflicts = 0;
      for (std::size_t r = 0; r < price_.size(); ++r)
        if (used_[r] > 1 || (used_[r] == 0 && price_[r] > 0)) conflicts += (used_[r] - 1) * (used_[r] - 1);
      if (conflicts == 0 || round >= rounds) break;
      const Cost step = std::max<Cost>(1, (known_ - bound) / conflicts);
      for (std::size_t r = 0; r < price_.size(); ++r)
        price_[r] = std::clamp<Cost>(price_[r] + step * (used_[r] - 1), 0, dearest_);
    }
    if (price_ != best_price_) {
      price_ = best_price_;
      solve();
    }
    return false;
  }

  // True if nothing was left out that could be better than what is known.
  bool search(std::size_t widest) {
    const Matches& all = *matches_;
    if (!bounded_) {
      from_.assign(all.n + 1, 0);
      all_prices_ = 0;
      price_.assign(all.m, 0);
    }
    std::size_t longest = 1;
    for (const Match& match : all.phrases)
      longest = std::max(longest, static_cast<std::size_t>(match.h_length));
    if (layers_.size() < longest + 1) layers_.resize(longest + 1);
    for (Layer& layer : layers_) layer.clear();
    nodes_.clear();
    for (Group& g : groups_) g.seen = 0;
    mask_.assign(width_, 0);
    alive_.assign(width_, ~std::uint64_t{0});
    bool complete = bounded_;
    auto layer_at = [&](std::size_t h) -> Layer& { return layers_[h % layers_.size()]; };
    add(layer_at(0), {0, 0, from_[0] - all_prices_, none, nowhere});
    for (std::size_t h = 0; h < all.n; ++h) {
      if (stop_->load(std::memory_order_relaxed)) throw Interrupted();
      Layer& layer = layer_at(h);
      // A step is a link, and a copy of what is taken.
      const std::uint64_t steps = (all.of(h).size() + phrases_at(h) + 1) * (1 + width_ / 4);
      const std::size_t most = layer.states.size() * steps > left_ / 4 ? few : widest;
      if (layer.states.size() > most) {
        keep_best(layer, std::min(most, wide));
        complete = false;
      }
      const bool hurry = layer.states.size() * steps > left_;
      complete = complete && !hurry;
      left_ -= hurry ? left_ : layer.states.size() * steps;
      one_word(h, layer, hurry, layer_at);
      layer.clear();
    }
    const State* best = nullptr;
    for (const State& state : layer_at(all.n).states)
      if (state.cost < known_) known_ = state.cost, best = &state;
    if (best != nullptr) trace(*best);
    return complete;
  }

  template <class LayerAt>
  void one_word(std::size_t h, Layer& layer, bool hurry, LayerAt layer_at) {
    const std::int32_t g = group_of_h_[h];
    if (g != nowhere) {
      ++groups_[g].seen;
      if (groups_[g].words > 1 && groups_[g].last == static_cast<std::int32_t>(h)) retire(groups_[g]);
    }
    for (std::size_t k = 0; k < layer.states.size(); ++k) {
      const State state = layer.states[k];
      const std::uint64_t* const taken = layer.taken.data() + k * width_;
      if (hurry) {
        link_one(h, layer_at(h + 1), state, taken);
      } else {
        each(h, [&](const Match& match, std::size_t place) {
          const Cost after = bounded_ ? values_[place] : cost(match, false);
          const Cost hope = state.priced + after - (match.r == state.last ? chunk_ : 0) - all_prices_;
          if (hope >= known_) return;
          link(layer_at(h + static_cast<std::size_t>(match.h_length)), state, taken, match, hope);
        });
      }
      const Cost hope = state.priced + from_[h + 1] - all_prices_;
      if (hope >= known_ || (g != nowhere && !may_stay(groups_[g], taken))) continue;
      std::copy_n(taken, width_, mask_.begin());
      if (g != nowhere && groups_[g].entangled && !can_still(groups_[g], h)) continue;
      add(layer_at(h + 1), {state.cost, state.priced, hope, state.node, nowhere});
    }
  }

  // Only the match that goes on from the last link, or the nearest.
  void link_one(std::size_t h, Layer& to, const State& state, const std::uint64_t* taken) {
    const Matches::Single* nearest = nullptr;
    auto far = [&](const Matches::Single& single) {
      return std::abs(static_cast<std::int32_t>(h) - single.r);
    };
    for (const auto& single : matches_->of(h)) {
      const std::int32_t bit = bit_of_r_[single.r];
      if (bit != nowhere && taken[bit / 64] >> (bit % 64) & 1) continue;
      if (single.r == state.last) return link(to, state, taken, as_match(h, single), state.hope);
      if (nearest == nullptr || far(single) < far(*nearest)) nearest = &single;
    }
    if (nearest != nullptr) link(to, state, taken, as_match(h, *nearest), state.hope);
  }

  // Whether the word just read may stay without a link.
  bool may_stay(const Group& g, const std::uint64_t* taken) const {
    if (g.spare == g.words) return true;
    if (g.words == 1) return false;
    std::int32_t linked = 0;
    for (std::size_t bit = g.first_bit; bit < g.first_bit + g.bits;) {
      const std::size_t from = bit % 64, size = std::min<std::size_t>(64 - from, g.first_bit + g.bits - bit);
      linked += std::popcount(taken[bit / 64] >> from << (64 - size));
      bit += size;
    }
    return g.seen - linked <= g.spare;
  }

  // Whether, with what is taken now, the words of a group after h can still cover what the group can.
  bool can_still(const Group& g, std::size_t h) {
    std::int32_t missing = g.words - g.spare;
    for (std::size_t bit = g.first_bit; bit < g.first_bit + g.bits; ++bit)
      missing -= static_cast<std::int32_t>(mask_[bit / 64] >> (bit % 64) & 1);
    if (missing <= 0) return true;
    taker_.assign(g.bits, nowhere);
    for (std::size_t k = 0; k < static_cast<std::size_t>(g.words); ++k) {
      const std::int32_t word = group_words_[g.first_word + k];
      if (word <= static_cast<std::int32_t>(h)) continue;
      asked_.assign(g.bits, 0);
      if (find_partner(g, word) && --missing == 0) return true;
    }
    return false;
  }

  // As augment(), among the words of a group that are free; no deeper than the group has words.
  bool find_partner(const Group& g, std::int32_t word) {
    for (const auto& single : matches_->of(static_cast<std::size_t>(word))) {
      const std::size_t bit = static_cast<std::size_t>(bit_of_r_[single.r]), k = bit - g.first_bit;
      if ((mask_[bit / 64] >> (bit % 64) & 1) || asked_[k]) continue;
      asked_[k] = 1;
      if (taker_[k] == nowhere || find_partner(g, taker_[k])) {
        taker_[k] = word;
        return true;
      }
    }
    return false;
  }

  // All words of the group are read: which of its words are taken no longer matters.
  void retire(const Group& g) {
    for (std::size_t bit = g.first_bit; bit < g.first_bit + g.bits; ++bit)
      alive_[bit / 64] &= ~(std::uint64_t{1} << (bit % 64));
  }

  void link(Layer& to, const State& state, const std::uint64_t* taken, const Match& match, Cost hope) {
    for (std::int32_t k = 0; k < match.r_length; ++k) {
      const std::int32_t bit = bit_of_r_[match.r + k];
      if (bit != nowhere && taken[bit / 64] >> (bit % 64) & 1) return;
    }
    std::copy_n(taken, width_, mask_.begin());
    for (std::int32_t k = 0; k < match.r_length; ++k)
      if (const std::int32_t bit = bit_of_r_[match.r + k]; bit != nowhere)
        mask_[bit / 64] |= std::uint64_t{1} << (bit % 64);
    const Group& g = groups_[group_of_h_[match.h]];
    if (g.entangled && !can_still(g, static_cast<std::size_t>(match.h))) return;
    const std::int32_t end = match.r + match.r_length;
    bool goes_on = false;
    each_from(static_cast<std::size_t>(match.h + match.h_length), end, [&](std::size_t) { goes_on = true; });
    const Cost more = cost(match, match.r == state.last);
    const std::uint32_t place = add(to, {state.cost + more, state.priced + more + price(match), hope,
                                         state.node, goes_on ? end : nowhere});
    if (place == none) return;
    nodes_.push_back({state.node, match});
    to.states[place].node = static_cast<std::uint32_t>(nodes_.size() - 1);
  }

  // Where the state with the mask at hand was put, or none if it is no better than one like it.
  std::uint32_t add(Layer& layer, const State& state) {
    for (std::size_t w = 0; w < width_; ++w) mask_[w] &= alive_[w];
    if (layer.states.size() >= 16 && layer.places.size() < 4 * layer.states.size()) rehash(layer);
    std::uint32_t* place = nullptr;
    if (layer.places.empty()) {
      for (std::uint32_t k = 0; k < layer.states.size(); ++k)
        if (same(layer, k, state)) return replace(layer, k, state);
    } else {
      place = slot(layer, mask_.data(), state.last);
      if (*place != none) return replace(layer, *place, state);
      *place = static_cast<std::uint32_t>(layer.states.size());
    }
    layer.states.push_back(state);
    layer.taken.insert(layer.taken.end(), mask_.begin(), mask_.end());
    return static_cast<std::uint32_t>(layer.states.size() - 1);
  }

  bool same(const Layer& layer, std::uint32_t k, const State& state) const {
    return layer.states[k].last == state.last &&
           std::equal(mask_.begin(), mask_.end(), layer.taken.begin() + k * width_);
  }

  static std::uint32_t replace(Layer& layer, std::uint32_t k, const State& state) {
    if (state.cost >= layer.states[k].cost) return none;
    layer.states[k] = state;
    return k;
  }

  std::uint32_t* slot(Layer& layer, const std::uint64_t* taken, std::int32_t last) {
    std::uint64_t hash = static_cast<std::uint64_t>(last) * 0x9E3779B97F4A7C15u;
    for (std::size_t w = 0; w < width_; ++w)
      hash = (hash ^ taken[w]) * 0xD6E8FEB86659FD93u, hash ^= hash >> 32;
    const std::size_t mask = layer.places.size() - 1;
    for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
      std::uint32_t& place = layer.places[at];
      if (place == none || (layer.states[place].last == last &&
                            std::equal(taken, taken + width_, layer.taken.begin() + place * width_)))
        return &place;
    }
  }

  void rehash(Layer& layer) {
    layer.places.assign(std::bit_ceil(16 * layer.states.size()), none);
    for (std::uint32_t k = 0; k < layer.states.size(); ++k)
      *slot(layer, layer.taken.data() + k * width_, layer.states[k].last) = k;
  }

  void keep_best(Layer& layer, std::size_t count) {
    by_rank_.resize(layer.states.size());
    std::iota(by_rank_.begin(), by_rank_.end(), 0);
    auto before = [&](std::uint32_t a, std::uint32_t b) {
      const Cost x = layer.states[a].hope, y = layer.states[b].hope;
      return x != y ? x < y : a < b;
    };
    std::nth_element(by_rank_.begin(), by_rank_.begin() + count, by_rank_.end(), before);
    std::sort(by_rank_.begin(), by_rank_.begin() + count);
    kept_.clear();
    for (std::size_t k = 0; k < count; ++k) {
      const auto from = layer.taken.begin() + by_rank_[k] * width_;
      kept_.states.push_back(layer.states[by_rank_[k]]);
      kept_.taken.insert(kept_.taken.end(), from, from + width_);
    }
    std::swap(layer, kept_);
  }

  void trace(const State& state) {
    links.clear();
    for (std::uint32_t node = state.node; node != none; node = nodes_[node].before)
      links.push_back(nodes_[node].link);
    std::reverse(links.begin(), links.end());
  }
};

}  // namespace hyperbaton
