// The best selection, by a dynamic programme over sets.
//
// The hypothesis is read from left to right. A state is which words of the reference are taken, as far as
// words to come might want them, and where the last link ended, as far as a candidate could go on from there.
// Of the selections with the same state only the best is kept, and only if with the shortest path of the
// relaxation from there on it might become better than what is known; a word that nobody can take any more
// and that nobody took makes that bound better by its price. When there are too many states, only the most
// hopeful go on: a beam.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "candidates.hpp"
#include "coverage.hpp"
#include "parallel.hpp"
#include "relaxation.hpp"

namespace hyperbaton {

class SetSearch {
 public:
  explicit SetSearch(const Stop& stop) : stop_(&stop) {}

  // Looks for links that cost less than `known`, with at most `widest` states for a word, and few when
  // `steps` run out. `coverage`, if it is not null, says which words have to be linked. True if nothing was
  // left out that could be better.
  bool run(const Candidates& candidates, const Relaxation& relaxation, const Coverage* coverage,
           std::size_t widest, std::uint64_t steps, Cost& known, std::vector<Match>& links) {
    candidates_ = &candidates;
    relaxation_ = &relaxation;
    coverage_ = coverage;
    known_ = known;
    lay_out();
    const State* const best = width_ == 1 ? search<1>(widest, steps) : search<0>(widest, steps);
    if (best != nullptr) {
      known = known_;
      links.clear();
      for (std::uint32_t node = best->node; node != none; node = nodes_[node].before)
        links.push_back(nodes_[node].link);
      std::reverse(links.begin(), links.end());
    }
    return complete_;
  }

 private:
  static constexpr std::size_t few = 16, wide = 256;
  static constexpr std::int32_t nowhere = -1;
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  struct State {
    Cost cost, priced;   // so far; with the prices of the words taken, or lost
    Cost hope;           // what it is at least in the end
    std::uint32_t node;  // the last link
    std::int32_t
        last;  // where in the reference a link that ends here ends, if a candidate goes on from there
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
  // Words of the reference that have to be taken, and only words of the hypothesis that need not be linked
  // can take them: so many of these may stay without a link.
  struct Group {
    std::size_t first_bit = 0, bits = 0;
    std::int32_t left = 0;  // words of the hypothesis still to be read
  };
  // A word that none after some word of the hypothesis wants.
  struct End {
    std::int32_t bit;
    bool must;
    Cost price;
  };

  const Stop* stop_;
  const Candidates* candidates_ = nullptr;
  const Relaxation* relaxation_ = nullptr;
  const Coverage* coverage_ = nullptr;
  Cost known_ = 0;
  bool complete_ = true;
  std::size_t width_ = 0, longest_ = 1;
  std::vector<std::int32_t> first_use_, last_use_, bit_of_r_, parent_, group_of_r_, group_of_h_;
  std::vector<Group> groups_;
  std::vector<End> ends_;
  std::vector<std::uint32_t> ends_begin_;  // by h
  std::vector<Layer> layers_;
  Layer kept_;
  static constexpr std::size_t most_nodes = 2'000'000;
  std::vector<Node> nodes_;
  std::vector<std::uint64_t> mask_;
  std::vector<std::uint32_t> by_rank_;

  // Which words of the reference have a bit: those that more than one word wants, or whose loss costs.
  void lay_out() {
    const Candidates& all = *candidates_;
    first_use_.assign(all.m, nowhere);
    last_use_.assign(all.m, nowhere);
    longest_ = 1;
    for (const Candidate& candidate : all.list) {
      longest_ = std::max(longest_, static_cast<std::size_t>(candidate.match.h_length));
      for (std::int32_t k = 0; k < candidate.match.r_length; ++k) {
        const std::int32_t r = candidate.match.r + k;
        if (first_use_[r] == nowhere) first_use_[r] = candidate.match.h;
        last_use_[r] = candidate.match.h;
      }
    }
    bit_of_r_.assign(all.m, nowhere);
    std::int32_t bits = 0;
    group_of_h_.assign(all.n, nowhere);
    groups_.clear();
    if (coverage_ != nullptr) bits = group();
    ends_begin_.assign(all.n + 1, 0);
    for (std::size_t r = 0; r < all.m; ++r) {
      if (bit_of_r_[r] == nowhere && (first_use_[r] < last_use_[r] || relaxation_->price[r] > 0) &&
          last_use_[r] != nowhere)
        bit_of_r_[r] = bits++;
      if (bit_of_r_[r] != nowhere) ++ends_begin_[last_use_[r]];
    }
    std::partial_sum(ends_begin_.begin(), ends_begin_.end(), ends_begin_.begin());
    ends_.resize(static_cast<std::size_t>(bits));
    for (std::size_t r = all.m; r-- > 0;)
      if (bit_of_r_[r] != nowhere)
        ends_[--ends_begin_[last_use_[r]]] = {bit_of_r_[r], coverage_ != nullptr && coverage_->must_r[r],
                                              relaxation_->price[r]};
    width_ = std::max<std::size_t>(1, (static_cast<std::size_t>(bits) + 63) / 64);
  }

  std::int32_t find(std::int32_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }

  // Words that have to be taken, with the words that may take them. Each group has its bits side by side.
  std::int32_t group() {
    const Candidates& all = *candidates_;
    parent_.resize(all.m);
    std::iota(parent_.begin(), parent_.end(), 0);
    group_of_r_.assign(all.m, nowhere);
    for (std::size_t h = 0; h < all.n; ++h)
      if (!coverage_->must_h[h])
        for (const Candidate& candidate : all.of(h))
          parent_[find(candidate.match.r)] = find(all.of(h).front().match.r);
    for (std::size_t h = 0; h < all.n; ++h) {
      if (coverage_->must_h[h] || all.of(h).empty()) continue;
      std::int32_t& g = group_of_r_[find(all.of(h).front().match.r)];
      if (g == nowhere) {
        g = static_cast<std::int32_t>(groups_.size());
        groups_.push_back({});
      }
      group_of_h_[h] = g;
      ++groups_[g].left;
    }
    auto group_of = [&](std::size_t r) { return group_of_r_[find(static_cast<std::int32_t>(r))]; };
    for (std::size_t r = 0; r < all.m; ++r)
      if (coverage_->must_r[r]) ++groups_[group_of(r)].bits;
    std::size_t bits = 0;
    for (Group& g : groups_) {
      g.first_bit = bits;
      bits += g.bits;
      g.bits = 0;
    }
    for (std::size_t r = 0; r < all.m; ++r)
      if (coverage_->must_r[r]) {
        Group& g = groups_[group_of(r)];
        bit_of_r_[r] = static_cast<std::int32_t>(g.first_bit + g.bits++);
      }
    return static_cast<std::int32_t>(bits);
  }

  // The best of the last states, if it is better than what is known. W: width_, or 0 if it is not known to
  // the compiler.
  template <std::size_t W>
  const State* search(std::size_t widest, std::uint64_t steps) {
    const Candidates& all = *candidates_;
    if (layers_.size() < longest_ + 1) layers_.resize(longest_ + 1);
    for (Layer& layer : layers_) layer.clear();
    nodes_.clear();
    complete_ = true;
    mask_.assign(width_, 0);
    add<W>(layer_at(0), {0, 0, relaxation_->bound, none, nowhere});
    for (std::size_t h = 0; h < all.n; ++h) {
      if (stop_->load(std::memory_order_relaxed)) throw Interrupted();
      Layer& layer = layer_at(h);
      // A step is a link, and a copy of what is taken.
      const std::uint64_t needed = layer.states.size() * (all.of(h).size() + 1) * (1 + width_ / 4);
      if (nodes_.size() > most_nodes) steps = 0;  // whatever the budget is: memory is not endless
      const std::size_t most = needed > steps ? 1 : needed > steps / 4 ? few : widest;
      if (layer.states.size() > most) {
        keep_best(layer, std::min(most, wide));
        complete_ = false;
      }
      steps -= std::min(steps, needed);
      one_word<W>(h, layer);
      layer.clear();
    }
    const State* best = nullptr;
    for (const State& state : layer_at(all.n).states)
      if (state.cost < known_) known_ = state.cost, best = &state;
    return best;
  }

  Layer& layer_at(std::size_t h) { return layers_[h % layers_.size()]; }

  template <std::size_t W>
  void one_word(std::size_t h, Layer& layer) {
    const std::size_t width = W ? W : width_;
    const std::uint32_t begin = candidates_->begin[h], end = candidates_->begin[h + 1];
    Group* const g = group_of_h_[h] == nowhere ? nullptr : &groups_[group_of_h_[h]];
    if (g != nullptr) --g->left;
    const bool must = coverage_ != nullptr && coverage_->must_h[h];
    const Cost all_prices = relaxation_->all_prices;
    for (std::size_t k = 0; k < layer.states.size(); ++k) {
      const State state = layer.states[k];
      const std::uint64_t* const taken = layer.taken.data() + k * width;
      const Cost before = state.priced - all_prices;
      for (std::uint32_t place = begin; place < end; ++place) {
        const Candidate& candidate = candidates_->list[place];
        const bool goes_on = candidate.match.r == state.last;
        const Cost hope = before + relaxation_->value[place] - (goes_on ? candidates_->chunk : 0);
        if (hope < known_) link<W>(h, state, taken, candidate, goes_on, hope);
      }
      const Cost hope = before + relaxation_->from[h + 1];
      if (must || hope >= known_ || (g != nullptr && !may_stay(*g, taken))) continue;
      std::copy_n(taken, width, mask_.begin());
      State next{state.cost, state.priced, hope, state.node, nowhere};
      if (end_uses(h, h + 1, next)) add<W>(layer_at(h + 1), next);
    }
  }

  // Whether the words to come are enough for those of the group that have to be taken.
  static bool may_stay(const Group& g, const std::uint64_t* taken) {
    std::int32_t free = static_cast<std::int32_t>(g.bits);
    for (std::size_t bit = g.first_bit; bit < g.first_bit + g.bits;) {
      const std::size_t from = bit % 64, size = std::min<std::size_t>(64 - from, g.first_bit + g.bits - bit);
      free -= std::popcount(taken[bit / 64] >> from << (64 - size));
      bit += size;
    }
    return free <= g.left;
  }

  template <std::size_t W>
  void link(std::size_t h, const State& state, const std::uint64_t* taken, const Candidate& candidate,
            bool goes_on, Cost hope) {
    const Match& match = candidate.match;
    for (std::int32_t k = 0; k < match.r_length; ++k) {
      const std::int32_t bit = bit_of_r_[match.r + k];
      if (bit != nowhere && taken[bit / 64] >> (bit % 64) & 1) return;
    }
    std::copy_n(taken, W ? W : width_, mask_.begin());
    for (std::int32_t k = 0; k < match.r_length; ++k)
      if (const std::int32_t bit = bit_of_r_[match.r + k]; bit != nowhere)
        mask_[bit / 64] |= std::uint64_t{1} << (bit % 64);
    const Cost more = candidate.cost - (goes_on ? candidates_->chunk : 0);
    State next{state.cost + more, state.priced + more + relaxation_->price_of(match), hope, state.node,
               candidate.on < candidate.on_end ? match.r + match.r_length : nowhere};
    const std::size_t after = h + static_cast<std::size_t>(match.h_length);
    if (!end_uses(h, after, next)) return;
    Layer& to = layer_at(after);
    const std::uint32_t place = add<W>(to, next);
    if (place == none) return;
    nodes_.push_back({state.node, match});
    to.states[place].node = static_cast<std::uint32_t>(nodes_.size() - 1);
  }

  // What words before `after` were the last to want: lost if it is not taken, and if it is, nobody asks any
  // more. False if the state cannot become better than what is known.
  bool end_uses(std::size_t h, std::size_t after, State& state) {
    for (std::uint32_t k = ends_begin_[h]; k < ends_begin_[after]; ++k) {
      const End& end = ends_[k];
      std::uint64_t& word = mask_[static_cast<std::size_t>(end.bit) / 64];
      const std::uint64_t bit = std::uint64_t{1} << (end.bit % 64);
      if (word & bit) {
        if (!end.must) word &= ~bit;
        continue;
      }
      if (end.must) return false;
      state.priced += end.price;
      state.hope += end.price;
    }
    return state.hope < known_;
  }

  // Where the state with the mask at hand was put, or none if it is no better than one like it.
  template <std::size_t W>
  std::uint32_t add(Layer& layer, const State& state) {
    const std::size_t width = W ? W : width_;
    if (layer.states.size() >= 16 && layer.places.size() < 4 * layer.states.size()) rehash<W>(layer);
    if (layer.places.empty()) {
      for (std::uint32_t k = 0; k < layer.states.size(); ++k)
        if (same<W>(layer, k, mask_.data(), state.last)) return replace(layer, k, state);
    } else {
      std::uint32_t* const place = slot<W>(layer, mask_.data(), state.last);
      if (*place != none) return replace(layer, *place, state);
      *place = static_cast<std::uint32_t>(layer.states.size());
    }
    layer.states.push_back(state);
    layer.taken.insert(layer.taken.end(), mask_.data(), mask_.data() + width);
    return static_cast<std::uint32_t>(layer.states.size() - 1);
  }

  template <std::size_t W>
  bool same(const Layer& layer, std::uint32_t k, const std::uint64_t* taken, std::int32_t last) const {
    const std::size_t width = W ? W : width_;
    return layer.states[k].last == last && std::equal(taken, taken + width, layer.taken.data() + k * width);
  }

  static std::uint32_t replace(Layer& layer, std::uint32_t k, const State& state) {
    if (state.cost >= layer.states[k].cost) return none;
    layer.states[k] = state;
    return k;
  }

  template <std::size_t W>
  std::uint32_t* slot(Layer& layer, const std::uint64_t* taken, std::int32_t last) const {
    const std::size_t width = W ? W : width_;
    std::uint64_t hash = static_cast<std::uint64_t>(last) * 0x9E3779B97F4A7C15u;
    for (std::size_t w = 0; w < width; ++w)
      hash = (hash ^ taken[w]) * 0xD6E8FEB86659FD93u, hash ^= hash >> 32;
    const std::size_t mask = layer.places.size() - 1;
    for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
      std::uint32_t& place = layer.places[at];
      if (place == none || same<W>(layer, place, taken, last)) return &place;
    }
  }

  template <std::size_t W>
  void rehash(Layer& layer) const {
    layer.places.assign(std::bit_ceil(16 * layer.states.size()), none);
    for (std::uint32_t k = 0; k < layer.states.size(); ++k)
      *slot<W>(layer, layer.taken.data() + k * (W ? W : width_), layer.states[k].last) = k;
  }

  void keep_best(Layer& layer, std::size_t count) {
    by_rank_.resize(layer.states.size());
    std::iota(by_rank_.begin(), by_rank_.end(), 0);
    auto before = [&](std::uint32_t a, std::uint32_t b) {
      const Cost x = layer.states[a].hope, y = layer.states[b].hope;
      return x != y ? x < y : a < b;
    };
    if (count == 1) {
      std::swap(by_rank_.front(), *std::min_element(by_rank_.begin(), by_rank_.end(), before));
    } else {
      std::nth_element(by_rank_.begin(), by_rank_.begin() + count, by_rank_.end(), before);
      std::sort(by_rank_.begin(), by_rank_.begin() + count);
    }
    kept_.clear();
    for (std::size_t k = 0; k < count; ++k) {
      const auto from = layer.taken.begin() + by_rank_[k] * width_;
      kept_.states.push_back(layer.states[by_rank_[k]]);
      kept_.taken.insert(kept_.taken.end(), from, from + width_);
    }
    std::swap(layer, kept_);
  }
};

}  // namespace hyperbaton
