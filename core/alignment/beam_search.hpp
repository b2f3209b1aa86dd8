// Finds the best selection by dynamic programming over sets of words, with a beam if there are too many.
//
// The hypothesis is read from left to right. A state consists of the words of the reference that are taken,
// if later words have them as candidates, and the end of the last link, if a candidate continues from there.
// Only the best selection of each state is kept, and only if it can become better than the best known
// selection. The bound for this is the shortest path of the relaxation to the end. The price of a word that
// is not taken, and can no longer be taken, raises the bound. If there are too many states, only those with
// the lowest bounds continue.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "alignment/candidate_graph.hpp"
#include "alignment/lagrangian_relaxation.hpp"
#include "alignment/maximum_matching.hpp"
#include "support/parallel.hpp"

namespace hyperbaton {

class BeamSearch {
 public:
  explicit BeamSearch(const Stop& stop) : stop_(&stop) {}

  // Searches for links that cost less than `best_known`, with at most `beam_width` states per word, and
  // fewer when `steps` run out. `matching`, if it is not null, says which words must be linked. Returns
  // whether the search was complete: then no other selection is better.
  bool run(const CandidateGraph& graph, const LagrangianRelaxation& relaxation,
           const MaximumMatching* matching, std::size_t beam_width, std::uint64_t steps, Cost& best_known,
           std::vector<Link>& links) {
    graph_ = &graph;
    relaxation_ = &relaxation;
    matching_ = matching;
    best_known_ = best_known;
    assign_bits();
    const State* const best = width_ == 1 ? search<1>(beam_width, steps) : search<0>(beam_width, steps);
    if (best != nullptr) {
      best_known = best_known_;
      links.clear();
      for (std::uint32_t node = best->node; node != none; node = nodes_[node].before)
        links.push_back(nodes_[node].link);
      std::reverse(links.begin(), links.end());
    }
    return complete_;
  }

 private:
  static constexpr std::size_t narrow_beam = 16, widest_beam = 256;
  static constexpr std::int32_t nothing = -1;
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  struct State {
    Cost cost, priced_cost;  // so far; with the prices of the words that are taken or lost
    Cost bound;              // lower bound of the cost at the end
    std::uint32_t node;      // the last link
    std::int32_t chunk_end;  // where the last link ends in the reference, if a candidate continues it
  };
  struct Node {
    std::uint32_t before;
    Link link;
  };
  struct Layer {
    std::vector<State> states;
    std::vector<std::uint64_t> taken;  // bit sets, width_ words per state
    std::vector<std::uint32_t> table;  // a hash table of states
    void clear() {
      states.clear();
      taken.clear();
      table.clear();
    }
  };
  // Words of the reference that must be linked, where only words of the hypothesis that need not be linked
  // are their candidates. The group limits how many of these may stay unlinked.
  struct Group {
    std::size_t first_bit = 0, bits = 0;
    std::int32_t unread = 0;  // words of the hypothesis still to be read
  };
  // A word of the reference after the last word of the hypothesis that has it as a candidate.
  struct LastUse {
    std::int32_t bit;
    bool required;
    Cost price;
  };

  const Stop* stop_;
  const CandidateGraph* graph_ = nullptr;
  const LagrangianRelaxation* relaxation_ = nullptr;
  const MaximumMatching* matching_ = nullptr;
  Cost best_known_ = 0;
  bool complete_ = true;
  std::size_t width_ = 0, longest_ = 1;
  std::vector<std::int32_t> first_use_, last_use_, bit_of_r_, parent_, group_of_r_, group_of_h_;
  std::vector<Group> groups_;
  std::vector<LastUse> last_uses_;
  std::vector<std::uint32_t> last_uses_begin_;  // the first last use of each h
  std::vector<Layer> layers_;
  Layer best_states_;
  static constexpr std::size_t most_nodes = 2'000'000;
  std::vector<Node> nodes_;
  std::vector<std::uint64_t> mask_;
  std::vector<std::uint32_t> ranked_;

  // Assigns bits to the words of the reference that are candidates of several words, or that have a price.
  void assign_bits() {
    const CandidateGraph& graph = *graph_;
    first_use_.assign(graph.m, nothing);
    last_use_.assign(graph.m, nothing);
    longest_ = 1;
    for (const Candidate& candidate : graph.candidates) {
      longest_ = std::max(longest_, static_cast<std::size_t>(candidate.link.h_length));
      for (std::int32_t k = 0; k < candidate.link.r_length; ++k) {
        const std::int32_t r = candidate.link.r + k;
        if (first_use_[r] == nothing) first_use_[r] = candidate.link.h;
        last_use_[r] = candidate.link.h;
      }
    }
    bit_of_r_.assign(graph.m, nothing);
    std::int32_t bits = 0;
    group_of_h_.assign(graph.n, nothing);
    groups_.clear();
    if (matching_ != nullptr) bits = group_words();
    last_uses_begin_.assign(graph.n + 1, 0);
    for (std::size_t r = 0; r < graph.m; ++r) {
      if (bit_of_r_[r] == nothing && (first_use_[r] < last_use_[r] || relaxation_->price[r] > 0) &&
          last_use_[r] != nothing)
        bit_of_r_[r] = bits++;
      if (bit_of_r_[r] != nothing) ++last_uses_begin_[last_use_[r]];
    }
    std::partial_sum(last_uses_begin_.begin(), last_uses_begin_.end(), last_uses_begin_.begin());
    last_uses_.resize(static_cast<std::size_t>(bits));
    for (std::size_t r = graph.m; r-- > 0;)
      if (bit_of_r_[r] != nothing)
        last_uses_[--last_uses_begin_[last_use_[r]]] = {
            bit_of_r_[r], matching_ != nullptr && matching_->required_r[r], relaxation_->price[r]};
    width_ = std::max<std::size_t>(1, (static_cast<std::size_t>(bits) + 63) / 64);
  }

  // The representative of x's group (union-find).
  std::int32_t find_root(std::int32_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }

  // Groups the words that must be linked with their candidates. The bits of a group are adjacent. Returns
  // the number of bits.
  std::int32_t group_words() {
    const CandidateGraph& graph = *graph_;
    parent_.resize(graph.m);
    std::iota(parent_.begin(), parent_.end(), 0);
    group_of_r_.assign(graph.m, nothing);
    for (std::size_t h = 0; h < graph.n; ++h)
      if (!matching_->required_h[h])
        for (const Candidate& candidate : graph.candidates_of(h))
          parent_[find_root(candidate.link.r)] = find_root(graph.candidates_of(h).front().link.r);
    for (std::size_t h = 0; h < graph.n; ++h) {
      if (matching_->required_h[h] || graph.candidates_of(h).empty()) continue;
      std::int32_t& g = group_of_r_[find_root(graph.candidates_of(h).front().link.r)];
      if (g == nothing) {
        g = static_cast<std::int32_t>(groups_.size());
        groups_.push_back({});
      }
      group_of_h_[h] = g;
      ++groups_[g].unread;
    }
    auto group_of = [&](std::size_t r) { return group_of_r_[find_root(static_cast<std::int32_t>(r))]; };
    for (std::size_t r = 0; r < graph.m; ++r)
      if (matching_->required_r[r]) ++groups_[group_of(r)].bits;
    std::size_t bits = 0;
    for (Group& g : groups_) {
      g.first_bit = bits;
      bits += g.bits;
      g.bits = 0;
    }
    for (std::size_t r = 0; r < graph.m; ++r)
      if (matching_->required_r[r]) {
        Group& g = groups_[group_of(r)];
        bit_of_r_[r] = static_cast<std::int32_t>(g.first_bit + g.bits++);
      }
    return static_cast<std::int32_t>(bits);
  }

  // Returns the best final state, or null if none is better than the best known selection. W is width_, or 0
  // if it is not known at compile time.
  template <std::size_t W>
  const State* search(std::size_t beam_width, std::uint64_t steps) {
    const CandidateGraph& graph = *graph_;
    if (layers_.size() < longest_ + 1) layers_.resize(longest_ + 1);
    for (Layer& layer : layers_) layer.clear();
    nodes_.clear();
    complete_ = true;
    mask_.assign(width_, 0);
    add<W>(layer_at(0), {0, 0, relaxation_->bound, none, nothing});
    for (std::size_t h = 0; h < graph.n; ++h) {
      if (stop_->load(std::memory_order_relaxed)) throw Interrupted();
      Layer& layer = layer_at(h);
      // A step is one link and one copy of the bit set.
      const std::uint64_t needed =
          layer.states.size() * (graph.candidates_of(h).size() + 1) * (1 + width_ / 4);
      if (nodes_.size() > most_nodes) steps = 0;  // limits the memory, whatever the budget
      const std::size_t width_limit = needed > steps ? 1 : needed > steps / 4 ? narrow_beam : beam_width;
      if (layer.states.size() > width_limit) {
        keep_best(layer, std::min(width_limit, widest_beam));
        complete_ = false;
      }
      steps -= std::min(steps, needed);
      extend_states<W>(h, layer);
      layer.clear();
    }
    const State* best = nullptr;
    for (const State& state : layer_at(graph.n).states)
      if (state.cost < best_known_) best_known_ = state.cost, best = &state;
    return best;
  }

  Layer& layer_at(std::size_t h) { return layers_[h % layers_.size()]; }

  template <std::size_t W>
  void extend_states(std::size_t h, Layer& layer) {
    const std::size_t width = W ? W : width_;
    const std::uint32_t begin = graph_->begin[h], end = graph_->begin[h + 1];
    Group* const g = group_of_h_[h] == nothing ? nullptr : &groups_[group_of_h_[h]];
    if (g != nullptr) --g->unread;
    const bool required = matching_ != nullptr && matching_->required_h[h];
    const Cost price_sum = relaxation_->price_sum;
    for (std::size_t k = 0; k < layer.states.size(); ++k) {
      const State state = layer.states[k];
      const std::uint64_t* const taken = layer.taken.data() + k * width;
      const Cost before = state.priced_cost - price_sum;
      for (std::uint32_t index = begin; index < end; ++index) {
        const Candidate& candidate = graph_->candidates[index];
        const bool continues_chunk = candidate.link.r == state.chunk_end;
        const Cost bound = before + relaxation_->cost_through[index] - (continues_chunk ? graph_->chunk : 0);
        if (bound < best_known_) add_link<W>(h, state, taken, candidate, continues_chunk, bound);
      }
      const Cost bound = before + relaxation_->cost_from[h + 1];
      if (required || bound >= best_known_ || (g != nullptr && !may_stay_unlinked(*g, taken))) continue;
      std::copy_n(taken, width, mask_.begin());
      State next{state.cost, state.priced_cost, bound, state.node, nothing};
      if (retire_words(h, h + 1, next)) add<W>(layer_at(h + 1), next);
    }
  }

  // Whether the unread words are enough for those of the group that must still be linked.
  static bool may_stay_unlinked(const Group& g, const std::uint64_t* taken) {
    std::int32_t free = static_cast<std::int32_t>(g.bits);
    for (std::size_t bit = g.first_bit; bit < g.first_bit + g.bits;) {
      const std::size_t from = bit % 64, size = std::min<std::size_t>(64 - from, g.first_bit + g.bits - bit);
      free -= std::popcount(taken[bit / 64] >> from << (64 - size));
      bit += size;
    }
    return free <= g.unread;
  }

  template <std::size_t W>
  void add_link(std::size_t h, const State& state, const std::uint64_t* taken, const Candidate& candidate,
                bool continues_chunk, Cost bound) {
    const Link& link = candidate.link;
    for (std::int32_t k = 0; k < link.r_length; ++k) {
      const std::int32_t bit = bit_of_r_[link.r + k];
      if (bit != nothing && taken[bit / 64] >> (bit % 64) & 1) return;
    }
    std::copy_n(taken, W ? W : width_, mask_.begin());
    for (std::int32_t k = 0; k < link.r_length; ++k)
      if (const std::int32_t bit = bit_of_r_[link.r + k]; bit != nothing)
        mask_[bit / 64] |= std::uint64_t{1} << (bit % 64);
    const Cost added_cost = candidate.cost - (continues_chunk ? graph_->chunk : 0);
    State next{state.cost + added_cost, state.priced_cost + added_cost + relaxation_->price_of(link), bound,
               state.node, candidate.next_begin < candidate.next_end ? link.r + link.r_length : nothing};
    const std::size_t after = h + static_cast<std::size_t>(link.h_length);
    if (!retire_words(h, after, next)) return;
    Layer& to = layer_at(after);
    const std::uint32_t index = add<W>(to, next);
    if (index == none) return;
    nodes_.push_back({state.node, link});
    to.states[index].node = static_cast<std::uint32_t>(nodes_.size() - 1);
  }

  // Handles the words of the reference that have no candidates from `after` on. If such a word is not taken,
  // it is lost; if it is taken, its bit is no longer needed. Returns false if the state cannot become better
  // than the best known selection.
  bool retire_words(std::size_t h, std::size_t after, State& state) {
    for (std::uint32_t k = last_uses_begin_[h]; k < last_uses_begin_[after]; ++k) {
      const LastUse& last_use = last_uses_[k];
      std::uint64_t& word = mask_[static_cast<std::size_t>(last_use.bit) / 64];
      const std::uint64_t bit = std::uint64_t{1} << (last_use.bit % 64);
      if (word & bit) {
        if (!last_use.required) word &= ~bit;
        continue;
      }
      if (last_use.required) return false;
      state.priced_cost += last_use.price;
      state.bound += last_use.price;
    }
    return state.bound < best_known_;
  }

  // Adds a state with the bit set mask_. Returns its index, or none if an equal state is no worse.
  template <std::size_t W>
  std::uint32_t add(Layer& layer, const State& state) {
    const std::size_t width = W ? W : width_;
    if (layer.states.size() >= 16 && layer.table.size() < 4 * layer.states.size()) rehash<W>(layer);
    if (layer.table.empty()) {
      for (std::uint32_t k = 0; k < layer.states.size(); ++k)
        if (is_same_state<W>(layer, k, mask_.data(), state.chunk_end))
          return replace_if_better(layer, k, state);
    } else {
      std::uint32_t* const index = find_slot<W>(layer, mask_.data(), state.chunk_end);
      if (*index != none) return replace_if_better(layer, *index, state);
      *index = static_cast<std::uint32_t>(layer.states.size());
    }
    layer.states.push_back(state);
    layer.taken.insert(layer.taken.end(), mask_.data(), mask_.data() + width);
    return static_cast<std::uint32_t>(layer.states.size() - 1);
  }

  template <std::size_t W>
  bool is_same_state(const Layer& layer, std::uint32_t k, const std::uint64_t* taken,
                     std::int32_t chunk_end) const {
    const std::size_t width = W ? W : width_;
    return layer.states[k].chunk_end == chunk_end &&
           std::equal(taken, taken + width, layer.taken.data() + k * width);
  }

  static std::uint32_t replace_if_better(Layer& layer, std::uint32_t k, const State& state) {
    if (state.cost >= layer.states[k].cost) return none;
    layer.states[k] = state;
    return k;
  }

  template <std::size_t W>
  std::uint32_t* find_slot(Layer& layer, const std::uint64_t* taken, std::int32_t chunk_end) const {
    const std::size_t width = W ? W : width_;
    std::uint64_t hash = static_cast<std::uint64_t>(chunk_end) * 0x9E3779B97F4A7C15u;
    for (std::size_t w = 0; w < width; ++w)
      hash = (hash ^ taken[w]) * 0xD6E8FEB86659FD93u, hash ^= hash >> 32;
    const std::size_t mask = layer.table.size() - 1;
    for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
      std::uint32_t& index = layer.table[at];
      if (index == none || is_same_state<W>(layer, index, taken, chunk_end)) return &index;
    }
  }

  template <std::size_t W>
  void rehash(Layer& layer) const {
    layer.table.assign(std::bit_ceil(16 * layer.states.size()), none);
    for (std::uint32_t k = 0; k < layer.states.size(); ++k)
      *find_slot<W>(layer, layer.taken.data() + k * (W ? W : width_), layer.states[k].chunk_end) = k;
  }

  void keep_best(Layer& layer, std::size_t count) {
    ranked_.resize(layer.states.size());
    std::iota(ranked_.begin(), ranked_.end(), 0);
    auto before = [&](std::uint32_t a, std::uint32_t b) {
      const Cost x = layer.states[a].bound, y = layer.states[b].bound;
      return x != y ? x < y : a < b;
    };
    if (count == 1) {
      std::swap(ranked_.front(), *std::min_element(ranked_.begin(), ranked_.end(), before));
    } else {
      std::nth_element(ranked_.begin(), ranked_.begin() + count, ranked_.end(), before);
      std::sort(ranked_.begin(), ranked_.begin() + count);
    }
    best_states_.clear();
    for (std::size_t k = 0; k < count; ++k) {
      const auto from = layer.taken.begin() + ranked_[k] * width_;
      best_states_.states.push_back(layer.states[ranked_[k]]);
      best_states_.taken.insert(best_states_.taken.end(), from, from + width_);
    }
    std::swap(layer, best_states_);
  }
};

}  // namespace hyperbaton
