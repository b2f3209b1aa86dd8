// The flattened permutation tree: the strong intervals of a permutation, in O(n log n) at worst.
//
// Terms. A sub-permutation is a run of positions whose values form a range. A strong one overlaps
// no other. The strong sub-permutations form a tree. Its nodes are either *chains* or *primal*. In a
// chain the values rise, or fall, from each child to the next, so that any run of neighbouring
// children is a sub-permutation. In a primal node no proper run of children is one. A permutation
// tree (PET) is this tree with each chain written as binary operators, in one of its binarizations;
// the permutation forest holds all of them.
//
// Method. Shift the positions y from left to right, and reduce as soon as a sub-permutation ends at
// y. The only thing needed is `leftmost(y)`, the start of the longest sub-permutation that ends at
// y: then no reduction is tried in vain, and each costs as much as it removes from the stack.
// Bergeron, Chauve, de Montgolfier and Raffinot (2008) show how to find it: [x..y] is a
// sub-permutation iff y <= reach(x) and x >= back(y). Here reach(x) is the furthest position such
// that no value before x lies between two values of x..reach(x), and back(y) is the same to the
// left. The values before x that are next to x's own value come from a linked list of values, from
// which positions are removed one by one. Runs that are already known are skipped. Both make this
// part linear; the log n is a binary search among the starts that still reach y.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "permutations/permutation.hpp"

namespace hyperbaton {

enum class OperatorKind : std::uint8_t { rising, falling, primal };

struct PermutationTreeNode {
  std::int32_t start, end;   // covers positions start .. end - 1
  std::int32_t low;          // the smallest value, counted from 0
  std::int32_t first_child;  // index into PermutationTree::children
  OperatorKind kind;
};

// The nodes are in pre-order, the root first. Leaves are not nodes. The children of node k are
// children[nodes[k].first_child .. nodes[k + 1].first_child - 1]; each is the index of a node, or
// ~position of a leaf. The tree of one word has no nodes.
struct PermutationTree {
  std::vector<PermutationTreeNode> nodes;
  std::vector<std::int32_t> children;

  std::span<const std::int32_t> children_of(std::size_t k) const {
    const auto begin = static_cast<std::size_t>(nodes[k].first_child);
    const auto end =
        k + 1 < nodes.size() ? static_cast<std::size_t>(nodes[k + 1].first_child) : children.size();
    return {children.data() + begin, end - begin};
  }
};

inline bool is_leaf(std::int32_t child) {
  return child < 0;
}

class PermutationTreeBuilder {
 public:
  // The tree belongs to the builder and is valid until the next call.
  PermutationTree& build(const Permutation& pi) {
    shift_reduce(pi);
    lay_out();
    return tree_;
  }

 private:
  // A subtree; `id` as in PermutationTree::children.
  struct Subtree {
    std::int32_t start, low, high, id;
  };
  // A node under construction. Its children are a linked list from the last to the first.
  struct NodeDraft {
    std::int32_t start, end, low, last_child, arity;
    OperatorKind kind;
  };

  // The values 1 to n as a doubly linked list, with 0 and n + 1 at the ends.
  struct Link {
    std::int32_t down, up;
  };
  void link_values(std::int32_t n) {
    links_.resize(static_cast<std::size_t>(n) + 2);
    for (std::int32_t v = 0; v <= n + 1; ++v) links_[v] = {v - 1, v + 1};
  }
  // Removes a value from the list and returns its neighbours, counted from 0.
  Link unlink(std::int32_t value) {
    const Link link = links_[value + 1];
    links_[link.down].up = link.up;
    links_[link.up].down = link.down;
    return {link.down - 1, link.up - 1};
  }

  void compute_reach(const Permutation& pi) {
    const std::int32_t n = pi.size();
    link_values(n);
    reach_.resize(static_cast<std::size_t>(n));
    for (std::int32_t x = n - 1; x >= 0; --x) {
      const auto [below, above] = unlink(pi.value[x]);  // among the values before x
      std::int32_t y = x;
      while (y + 1 < n && below < pi.value[y + 1] && pi.value[y + 1] < above) y = reach_[y + 1];
      reach_[x] = y;
    }
  }

  std::int32_t compute_back(const Permutation& pi, std::int32_t y) {
    const auto [below, above] = unlink(pi.value[y]);  // among the values after y
    std::int32_t x = y;
    while (x > 0 && below < pi.value[x - 1] && pi.value[x - 1] < above) x = back_[x - 1];
    return back_[y] = x;
  }

  void shift_reduce(const Permutation& pi) {
    const std::int32_t n = pi.size();
    compute_reach(pi);
    link_values(n);
    back_.resize(static_cast<std::size_t>(n));
    leaf_before_.resize(static_cast<std::size_t>(n));
    drafts_.clear();
    node_before_.clear();
    stack_.clear();
    starts_.clear();
    // Reserved memory that stays unused costs nothing, but growing step by step would.
    drafts_.reserve(static_cast<std::size_t>(n));
    node_before_.reserve(static_cast<std::size_t>(n));
    stack_.reserve(static_cast<std::size_t>(n));
    starts_.reserve(static_cast<std::size_t>(n));
    for (std::int32_t y = 0; y < n; ++y) {
      // The starts that reach y are nested, so those that no longer reach it come last.
      while (!starts_.empty() && reach_[starts_.back()] < y) starts_.pop_back();
      starts_.push_back(y);
      const std::int32_t leftmost = *std::lower_bound(starts_.begin(), starts_.end(), compute_back(pi, y));
      Subtree item = subtree_of(pi, ~y);
      while (item.start > leftmost) item = reduce(pi, item, y);
      stack_.push_back(item.id);
    }
  }

  // Joins `item`, the top of the stack, with as many subtrees before it as form a sub-permutation.
  Subtree reduce(const Permutation& pi, const Subtree& item, std::int32_t y) {
    const Subtree top = subtree_of(pi, stack_.back());
    if (top.high + 1 == item.low) return extend_chain(top, item, y, OperatorKind::rising);
    if (item.high + 1 == top.low) return extend_chain(top, item, y, OperatorKind::falling);
    Subtree whole = item;
    std::int32_t arity = 1;
    std::int32_t last = item.id;
    std::int32_t* tail = &sibling_before(last);
    do {
      const Subtree next = subtree_of(pi, stack_.back());
      stack_.pop_back();
      *tail = next.id;
      tail = &sibling_before(next.id);
      whole.start = next.start;
      whole.low = std::min(whole.low, next.low);
      whole.high = std::max(whole.high, next.high);
      ++arity;
    } while (whole.high - whole.low != y - whole.start);
    whole.id = add_draft({whole.start, y + 1, whole.low, last, arity, OperatorKind::primal});
    return whole;
  }

  Subtree subtree_of(const Permutation& pi, std::int32_t id) const {
    if (is_leaf(id)) return {~id, pi.value[~id], pi.value[~id], id};
    const NodeDraft& node = drafts_[id];
    return {node.start, node.low, node.low + (node.end - node.start) - 1, id};
  }

  Subtree extend_chain(const Subtree& top, const Subtree& item, std::int32_t y, OperatorKind kind) {
    stack_.pop_back();
    Subtree whole{top.start, std::min(top.low, item.low), std::max(top.high, item.high), top.id};
    if (!is_leaf(top.id) && drafts_[top.id].kind == kind) {
      NodeDraft& node = drafts_[top.id];
      sibling_before(item.id) = node.last_child;
      node.last_child = item.id;
      node.end = y + 1;
      node.low = whole.low;
      ++node.arity;
    } else {
      sibling_before(item.id) = top.id;
      whole.id = add_draft({whole.start, y + 1, whole.low, item.id, 2, kind});
    }
    return whole;
  }

  std::int32_t add_draft(const NodeDraft& node) {
    drafts_.push_back(node);
    node_before_.push_back(0);
    return static_cast<std::int32_t>(drafts_.size()) - 1;
  }

  std::int32_t& sibling_before(std::int32_t id) { return is_leaf(id) ? leaf_before_[~id] : node_before_[id]; }

  // Writes the nodes in pre-order.
  void lay_out() {
    tree_.nodes.clear();
    tree_.children.clear();
    if (stack_.empty() || is_leaf(stack_.back())) return;
    tree_.nodes.reserve(drafts_.size());
    tree_.children.reserve(drafts_.size() + leaf_before_.size());
    pending_.assign(1, {stack_.back(), -1});
    while (!pending_.empty()) {
      const auto [id, slot] = pending_.back();
      pending_.pop_back();
      if (slot >= 0) tree_.children[slot] = static_cast<std::int32_t>(tree_.nodes.size());
      const NodeDraft& node = drafts_[id];
      const auto first = static_cast<std::int32_t>(tree_.children.size());
      tree_.nodes.push_back({node.start, node.end, node.low, first, node.kind});
      tree_.children.resize(tree_.children.size() + static_cast<std::size_t>(node.arity));
      std::int32_t child = node.last_child;
      for (std::int32_t k = first + node.arity - 1; k >= first; --k) {
        tree_.children[k] = child;
        if (!is_leaf(child)) pending_.push_back({child, k});
        if (k > first) child = sibling_before(child);
      }
    }
  }

  PermutationTree tree_;
  std::vector<Link> links_;
  std::vector<std::int32_t> reach_, back_, starts_, leaf_before_, node_before_, stack_;
  std::vector<NodeDraft> drafts_;
  struct PendingNode {
    std::int32_t id, slot;
  };
  std::vector<PendingNode> pending_;
};

// The smallest value below a child, counted from 0.
inline std::int32_t low_of(const Permutation& pi, const PermutationTree& tree, std::int32_t child) {
  return is_leaf(child) ? pi.value[~child] : tree.nodes[child].low;
}

// Appends the operator of node k: the ranks of its children, from 1; <1,2> or <2,1> for a chain.
inline void append_operator(const Permutation& pi, const PermutationTree& tree, std::size_t k,
                            std::vector<std::int32_t>& out) {
  const PermutationTreeNode& node = tree.nodes[k];
  if (node.kind != OperatorKind::primal) {
    out.push_back(node.kind == OperatorKind::rising ? 1 : 2);
    out.push_back(node.kind == OperatorKind::rising ? 2 : 1);
    return;
  }
  const auto children = tree.children_of(k);
  std::vector<std::pair<std::int32_t, std::size_t>> by_low;
  by_low.reserve(children.size());
  for (std::size_t i = 0; i < children.size(); ++i) by_low.emplace_back(low_of(pi, tree, children[i]), i);
  std::sort(by_low.begin(), by_low.end());
  const std::size_t base = out.size();
  out.resize(base + children.size());
  for (std::size_t rank = 0; rank < by_low.size(); ++rank)
    out[base + by_low[rank].second] = static_cast<std::int32_t>(rank) + 1;
}

}  // namespace hyperbaton
