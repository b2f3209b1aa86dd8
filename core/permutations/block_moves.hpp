// Moves of blocks that put a permutation in order.
//
// The children of a node of the flattened tree are out of order only by its operator. Some of them stay, a
// longest increasing subsequence, and each of the others moves as one block. Words can be minor, such as
// punctuation: a block of such words is rather moved than another one.
#pragma once

#include <algorithm>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "permutations/permutation.hpp"
#include "permutations/tree.hpp"
#include "support/parallel.hpp"

namespace hyperbaton {

// The words [start, end) go directly before or after the words [anchor_start, anchor_end).
struct BlockMove {
  std::int32_t start, end, anchor_start, anchor_end;
  std::int32_t distance;  // number of words that the block passes
  bool before;
  bool minor;  // all words of the block are
};

class BlockMoveFinder {
 public:
  // Appends the moves in the order in which they are made: blocks of minor words last, longer ones first.
  // `minor` says of each position whether its word is minor; if it is empty, no word is.
  void append_moves(const Permutation& pi, const PermutationTree& tree, std::span<const std::uint8_t> minor,
                    const Stop& stop, std::vector<BlockMove>& out) {
    majors_before_.assign(1, 0);
    for (std::int32_t k = 0; k < pi.size(); ++k)
      majors_before_.push_back(majors_before_.back() + (minor.empty() || minor[k] == 0));
    nodes_.clear();
    movers_.clear();
    for (std::size_t k = 0; k < tree.nodes.size(); ++k)
      if (tree.nodes[k].kind != OperatorKind::rising) add_node(pi, tree, k);
    std::sort(movers_.begin(), movers_.end());
    for (const Mover& mover : movers_) {
      if (stop.load(std::memory_order_relaxed)) throw Interrupted();
      out.push_back(make_move(mover));
    }
  }

 private:
  struct Child {
    std::int32_t low, start, length;
    std::int32_t majors;  // words that are not minor
    std::int32_t end() const { return start + length; }
  };
  // A node whose children are put in order. The lists have numbers of children.
  struct Node {
    std::vector<Child> children;
    std::vector<std::int32_t> placed;   // in order so far, by value
    std::vector<std::int32_t> current;  // all of them, in the order that they have now
  };
  struct Mover {
    bool minor, to_the_right;
    std::int32_t length, start, node, child;
    bool operator<(const Mover& other) const {
      return std::tuple(minor, -length, start) < std::tuple(other.minor, -other.length, other.start);
    }
  };
  // An increasing subsequence of children, by its last one. Most children that are not minor, then most
  // children, most words that are not minor, and most words; the lowest last child makes it unique.
  struct Subsequence {
    std::int32_t major_children = 0, children = 0, majors = 0, words = 0, minus_rank = 0, last = -1;
    auto operator<=>(const Subsequence&) const = default;
  };

  std::vector<std::int32_t> majors_before_;
  std::vector<Node> nodes_;
  std::vector<Mover> movers_;
  std::vector<std::int32_t> by_low_, ranks_, previous_, fixed_;
  std::vector<bool> is_fixed_;
  std::vector<Subsequence>
      fenwick_;  // the best subsequence whose last child has a rank, by prefixes of ranks

  void add_node(const Permutation& pi, const PermutationTree& tree, std::size_t index) {
    Node& node = nodes_.emplace_back();
    for (const std::int32_t child : tree.children_of(index)) {
      const std::int32_t start = is_leaf(child) ? ~child : tree.nodes[child].start;
      const std::int32_t end = is_leaf(child) ? ~child + 1 : tree.nodes[child].end;
      node.current.push_back(static_cast<std::int32_t>(node.children.size()));
      node.children.push_back(
          {low_of(pi, tree, child), start, end - start, majors_before_[end] - majors_before_[start]});
    }
    find_fixed(node.children);
    node.placed = fixed_;
    for (const std::int32_t k : node.current) {
      if (is_fixed_[k]) continue;
      const Child& child = node.children[k];
      const auto above = lower_place(node, fixed_, child.low);
      const bool to_the_right = above != fixed_.begin() && above[-1] > k;
      movers_.push_back({child.majors == 0, to_the_right, child.length, child.start,
                         static_cast<std::int32_t>(nodes_.size()) - 1, k});
    }
  }

  // The first of the children whose value is not below `low`.
  static std::vector<std::int32_t>::iterator lower_place(const Node& node,
                                                         std::vector<std::int32_t>& children,
                                                         std::int32_t low) {
    return std::lower_bound(children.begin(), children.end(), low,
                            [&](std::int32_t k, std::int32_t value) { return node.children[k].low < value; });
  }

  // Finds the children that stay.
  void find_fixed(const std::vector<Child>& children) {
    const auto size = static_cast<std::int32_t>(children.size());
    by_low_.resize(children.size());
    ranks_.resize(children.size());
    previous_.assign(children.size(), -1);
    for (std::int32_t k = 0; k < size; ++k) by_low_[k] = k;
    std::sort(by_low_.begin(), by_low_.end(),
              [&](std::int32_t a, std::int32_t b) { return children[a].low < children[b].low; });
    for (std::int32_t rank = 1; rank <= size; ++rank) ranks_[by_low_[rank - 1]] = rank;
    fenwick_.assign(children.size() + 1, {});
    for (std::int32_t k = 0; k < size; ++k) {
      const Child& child = children[k];
      Subsequence extended = best_below(ranks_[k]);
      previous_[k] = extended.last;
      extended.major_children += child.majors > 0;
      extended.children += 1;
      extended.majors += child.majors;
      extended.words += child.length;
      extended.minus_rank = -ranks_[k];
      extended.last = k;
      for (std::int32_t slot = ranks_[k]; slot <= size; slot += slot & -slot)
        fenwick_[slot] = std::max(fenwick_[slot], extended);
    }
    fixed_.clear();
    is_fixed_.assign(children.size(), false);
    for (std::int32_t k = best_below(size + 1).last; k >= 0; k = previous_[k]) {
      fixed_.push_back(k);
      is_fixed_[k] = true;
    }
    std::reverse(fixed_.begin(), fixed_.end());
  }

  Subsequence best_below(std::int32_t rank) const {
    Subsequence best;
    for (std::int32_t slot = rank - 1; slot > 0; slot &= slot - 1) best = std::max(best, fenwick_[slot]);
    return best;
  }

  // A child that passes a sibling also passes every placed child between them. It therefore moves next to
  // its neighbour among the placed children.
  BlockMove make_move(const Mover& mover) {
    Node& node = nodes_[mover.node];
    const Child& child = node.children[mover.child];
    const auto above = lower_place(node, node.placed, child.low);
    const std::int32_t anchor = mover.to_the_right ? above[-1] : above[0];
    node.placed.insert(above, mover.child);

    const auto from = std::find(node.current.begin(), node.current.end(), mover.child);
    const auto to = std::find(node.current.begin(), node.current.end(), anchor);
    const auto first = mover.to_the_right ? from + 1 : to;
    const auto last = mover.to_the_right ? to + 1 : from;
    std::int32_t distance = 0;
    for (auto passed = first; passed != last; ++passed) distance += node.children[*passed].length;
    if (mover.to_the_right)
      std::rotate(from, first, last);
    else
      std::rotate(first, last, from + 1);

    const Child& target = node.children[anchor];
    return {child.start, child.end(), target.start, target.end(), distance, !mover.to_the_right, mover.minor};
  }
};

}  // namespace hyperbaton
