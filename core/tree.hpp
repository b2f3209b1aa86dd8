// The flattened permutation tree: the strong intervals of a permutation, in O(n log n) at worst.
//
// Words. A sub-permutation is a run of positions whose values are a range; a strong one overlaps
// no other. The strong ones form a tree whose nodes are either *chains* (all values rising, or
// all falling, from child to child: any neighbouring children are a sub-permutation together) or
// *primal* (no proper part of the children is). A permutation tree (PET) is this tree with each
// chain written as binary operators in one of its binarizations; the forest allows them all.
//
// Method. Shift the positions y from left to right and, as soon as a sub-permutation ends at y,
// reduce. All that has to be known is `leftmost(y)`, the start of the longest sub-permutation
// that ends at y: then no reduction is tried in vain, and each costs as much as it removes from
// the stack. Bergeron, Chauve, de Montgolfier and Raffinot (2008) show how to know it: [x..y] is
// a sub-permutation iff y <= reach(x) and x >= back(y), where reach(x) is the furthest position
// such that no value before x lies between two values of x..reach(x), and back(y) the same to
// the left. Here the values before x next to x's own come from a linked list of values out of
// which positions are taken one by one, and runs already known are jumped over, which makes
// both linear; the log n is a binary search among the starts that still reach y.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "ragged.hpp"

namespace hyperbaton {

enum class Kind : std::uint8_t { rising, falling, primal };

struct TreeNode {
  std::int32_t start, end;   // covers positions start .. end - 1
  std::int32_t low;          // its smallest value, from 0
  std::int32_t first_child;  // index into Tree::children
  Kind kind;
};

// Nodes in pre-order, the root first; leaves are not nodes. The children of node k are
// children[nodes[k].first_child .. nodes[k + 1].first_child - 1]: a node, or ~position of a leaf.
// One word is a tree without nodes.
struct Tree {
  std::vector<TreeNode> nodes;
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

class TreeBuilder {
 public:
  // The tree is the builder's until the next call.
  Tree& build(const Permutation& pi) {
    shift_reduce(pi);
    lay_out();
    return tree_;
  }

 private:
  // A subtree; `id` as in Tree::children.
  struct Item {
    std::int32_t start, low, high, id;
  };
  // A node while it grows: children as a list from the last to the first.
  struct Growing {
    std::int32_t start, end, low, last_child, arity;
    Kind kind;
  };

  // Values in a doubly linked list, from 1 to n, with 0 and n + 1 at the ends.
  struct Link {
    std::int32_t down, up;
  };
  void link_values(std::int32_t n) {
    links_.resize(static_cast<std::size_t>(n) + 2);
    for (std::int32_t v = 0; v <= n + 1; ++v) links_[v] = {v - 1, v + 1};
  }
  // Takes a value out of the list; gives its neighbours there, from 0.
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
    growing_.clear();
    node_before_.clear();
    stack_.clear();
    starts_.clear();
    // What stays untouched of this costs nothing; growing step by step would.
    growing_.reserve(static_cast<std::size_t>(n));
    node_before_.reserve(static_cast<std::size_t>(n));
    stack_.reserve(static_cast<std::size_t>(n));
    starts_.reserve(static_cast<std::size_t>(n));
    for (std::int32_t y = 0; y < n; ++y) {
      // Starts that reach y are nested, so those that no longer do are the last ones.
      while (!starts_.empty() && reach_[starts_.back()] < y) starts_.pop_back();
      starts_.push_back(y);
      const std::int32_t leftmost = *std::lower_bound(starts_.begin(), starts_.end(), compute_back(pi, y));
      Item item = item_of(pi, ~y);
      while (item.start > leftmost) item = reduce(pi, item, y);
      stack_.push_back(item.id);
    }
  }

  // The smallest sub-permutation that is more than `item`, the last thing on the stack.
  Item reduce(const Permutation& pi, const Item& item, std::int32_t y) {
    const Item top = item_of(pi, stack_.back());
    if (top.high + 1 == item.low) return chain(top, item, y, Kind::rising);
    if (item.high + 1 == top.low) return chain(top, item, y, Kind::falling);
    Item whole = item;
    std::int32_t arity = 1;
    std::int32_t last = item.id;
    std::int32_t* tail = &before(last);
    do {
      const Item next = item_of(pi, stack_.back());
      stack_.pop_back();
      *tail = next.id;
      tail = &before(next.id);
      whole.start = next.start;
      whole.low = std::min(whole.low, next.low);
      whole.high = std::max(whole.high, next.high);
      ++arity;
    } while (whole.high - whole.low != y - whole.start);
    whole.id = grow({whole.start, y + 1, whole.low, last, arity, Kind::primal});
    return whole;
  }

  Item item_of(const Permutation& pi, std::int32_t id) const {
    if (is_leaf(id)) return {~id, pi.value[~id], pi.value[~id], id};
    const Growing& node = growing_[id];
    return {node.start, node.low, node.low + (node.end - node.start) - 1, id};
  }

  Item chain(const Item& top, const Item& item, std::int32_t y, Kind kind) {
    stack_.pop_back();
    Item whole{top.start, std::min(top.low, item.low), std::max(top.high, item.high), top.id};
    if (!is_leaf(top.id) && growing_[top.id].kind == kind) {
      Growing& node = growing_[top.id];
      before(item.id) = node.last_child;
      node.last_child = item.id;
      node.end = y + 1;
      node.low = whole.low;
      ++node.arity;
    } else {
      before(item.id) = top.id;
      whole.id = grow({whole.start, y + 1, whole.low, item.id, 2, kind});
    }
    return whole;
  }

  std::int32_t grow(const Growing& node) {
    growing_.push_back(node);
    node_before_.push_back(0);
    return static_cast<std::int32_t>(growing_.size()) - 1;
  }

  std::int32_t& before(std::int32_t id) { return is_leaf(id) ? leaf_before_[~id] : node_before_[id]; }

  // From lists to pre-order.
  void lay_out() {
    tree_.nodes.clear();
    tree_.children.clear();
    if (stack_.empty() || is_leaf(stack_.back())) return;
    tree_.nodes.reserve(growing_.size());
    tree_.children.reserve(growing_.size() + leaf_before_.size());
    open_.assign(1, {stack_.back(), -1});
    while (!open_.empty()) {
      const auto [id, slot] = open_.back();
      open_.pop_back();
      if (slot >= 0) tree_.children[slot] = static_cast<std::int32_t>(tree_.nodes.size());
      const Growing& node = growing_[id];
      const auto first = static_cast<std::int32_t>(tree_.children.size());
      tree_.nodes.push_back({node.start, node.end, node.low, first, node.kind});
      tree_.children.resize(tree_.children.size() + static_cast<std::size_t>(node.arity));
      std::int32_t child = node.last_child;
      for (std::int32_t k = first + node.arity - 1; k >= first; --k) {
        tree_.children[k] = child;
        if (!is_leaf(child)) open_.push_back({child, k});
        if (k > first) child = before(child);
      }
    }
  }

  Tree tree_;
  std::vector<Link> links_;
  std::vector<std::int32_t> reach_, back_, starts_, leaf_before_, node_before_, stack_;
  std::vector<Growing> growing_;
  struct Open {
    std::int32_t id, slot;
  };
  std::vector<Open> open_;
};

// The smallest value under a child, from 0.
inline std::int32_t low_of(const Permutation& pi, const Tree& tree, std::int32_t child) {
  return is_leaf(child) ? pi.value[~child] : tree.nodes[child].low;
}

// The operator of node k, from 1: the ranks of its children; of a chain <1,2> or <2,1>.
inline void append_operator(const Permutation& pi, const Tree& tree, std::size_t k,
                            std::vector<std::int32_t>& out) {
  const TreeNode& node = tree.nodes[k];
  if (node.kind != Kind::primal) {
    out.push_back(node.kind == Kind::rising ? 1 : 2);
    out.push_back(node.kind == Kind::rising ? 2 : 1);
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

// A PET: the flattened tree with each chain of k children written as k - 1 binary nodes.
//
// `reduces` chooses the binarizations. For each chain, in pre-order, it has k numbers: how often
// a shift-reduce parser reduces after it has shifted child 1, 2, .., k. Left-branching, the
// canonical choice, is 0, 1, 1, .., 1; an empty `reduces` stands for it everywhere.
inline Tree binarize(const Permutation& pi, const Tree& flat, std::span<const std::int32_t> reduces) {
  struct Binary {
    std::int32_t left, right;  // another Binary, or ~index of a child of the chain
  };
  std::vector<Binary> binaries;
  std::vector<std::int32_t> root(flat.nodes.size(), -1);  // the topmost Binary of a chain
  std::vector<std::int32_t> stack;
  std::size_t used = 0;
  for (std::size_t k = 0; k < flat.nodes.size(); ++k) {
    if (flat.nodes[k].kind == Kind::primal) continue;
    const std::size_t arity = flat.children_of(k).size();
    if (!reduces.empty() && reduces.size() - used < arity)
      throw std::invalid_argument("too few reductions for the chains");
    stack.clear();
    for (std::size_t i = 0; i < arity; ++i) {
      stack.push_back(~static_cast<std::int32_t>(i));
      const std::int32_t times = reduces.empty() ? i > 0 : reduces[used + i];
      for (std::int32_t t = 0; t < times; ++t) {
        if (stack.size() < 2) throw std::invalid_argument("a chain is reduced more often than it can be");
        const std::int32_t right = stack.back();
        stack.pop_back();
        binaries.push_back({stack.back(), right});
        stack.back() = static_cast<std::int32_t>(binaries.size()) - 1;
      }
    }
    if (stack.size() != 1) throw std::invalid_argument("a chain is reduced less often than it must be");
    root[k] = stack.back();
    if (!reduces.empty()) used += arity;
  }
  if (used != reduces.size()) throw std::invalid_argument("more reductions than the chains take");

  // Top-down, pre-order: a task is a flat node, or a Binary inside one.
  struct Task {
    std::int32_t flat, binary, slot;
  };
  Tree pet;
  if (flat.nodes.empty()) return pet;
  pet.nodes.reserve(flat.nodes.size() + binaries.size());
  pet.children.reserve(flat.children.size() + binaries.size());
  std::vector<Task> open{{0, root[0], -1}};
  while (!open.empty()) {
    const Task task = open.back();
    open.pop_back();
    const auto here = static_cast<std::int32_t>(pet.nodes.size());
    if (task.slot >= 0) pet.children[task.slot] = here;
    const auto children = flat.children_of(task.flat);
    const auto first = static_cast<std::int32_t>(pet.children.size());
    pet.nodes.push_back({0, 0, 0, first, flat.nodes[task.flat].kind});
    auto open_child = [&](std::int32_t child, std::int32_t slot) {  // of the flat tree
      if (is_leaf(child))
        pet.children[slot] = child;
      else
        open.push_back({child, root[child], slot});
    };
    if (task.binary < 0) {
      pet.children.resize(pet.children.size() + children.size());
      for (auto i = static_cast<std::int32_t>(children.size()) - 1; i >= 0; --i)
        open_child(children[i], first + i);
    } else {
      pet.children.resize(pet.children.size() + 2);
      const Binary both = binaries[task.binary];
      for (const auto& [part, slot] : {std::pair{both.right, first + 1}, std::pair{both.left, first}}) {
        if (part < 0)
          open_child(children[~part], slot);
        else
          open.push_back({task.flat, part, slot});
      }
    }
  }
  // Bottom-up: children come after their parent in pre-order.
  for (std::size_t k = pet.nodes.size(); k-- > 0;) {
    const auto children = pet.children_of(k);
    TreeNode& node = pet.nodes[k];
    const std::int32_t first = children.front(), last = children.back();
    node.start = is_leaf(first) ? ~first : pet.nodes[first].start;
    node.end = is_leaf(last) ? ~last + 1 : pet.nodes[last].end;
    node.low = low_of(pi, pet, first);
    for (const std::int32_t child : children) node.low = std::min(node.low, low_of(pi, pet, child));
  }
  return pet;
}

}  // namespace hyperbaton
