// What a permutation tree does to the order of words: operators, spans, blocks that move.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "tree.hpp"

namespace hyperbaton {

// Of many trees, one after another. Operators are those of the canonical PETs, in which a chain
// of k children is k - 1 binary operators, over the first 2, 3, .., k children.
struct Reorderings {
  std::vector<std::int32_t> rising, falling;   // the span of each <1,2> and of each <2,1>
  std::vector<std::int32_t> primal;            // the span of each longer operator
  std::vector<std::int32_t> operators;         // the longer operators themselves, from 1
  std::vector<std::int64_t> ends;              // of each of them in `operators`
  std::vector<std::int32_t> distances, sizes;  // of the blocks that move: how far, and how long

  void add(const Permutation& pi, const Tree& tree) {
    for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
      const TreeNode& node = tree.nodes[k];
      const auto children = tree.children_of(k);
      if (node.kind == Kind::primal) {
        primal.push_back(node.end - node.start);
        append_operator(pi, tree, k, operators);
        ends.push_back(static_cast<std::int64_t>(operators.size()));
      } else {
        auto& spans = node.kind == Kind::rising ? rising : falling;
        for (std::size_t i = 1; i < children.size(); ++i)
          spans.push_back(end_of(tree, children[i]) - node.start);
      }
      if (node.kind != Kind::rising) add_moves(pi, tree, node, children);
    }
  }

  template <class T>
  static void append(std::vector<T>& to, const std::vector<T>& from) {
    to.insert(to.end(), from.begin(), from.end());
  }
  void append(const Reorderings& other) {
    const auto base = static_cast<std::int64_t>(operators.size());
    append(rising, other.rising);
    append(falling, other.falling);
    append(primal, other.primal);
    append(operators, other.operators);
    for (const std::int64_t end : other.ends) ends.push_back(base + end);
    append(distances, other.distances);
    append(sizes, other.sizes);
  }

 private:
  static std::int32_t start_of(const Tree& tree, std::int32_t child) {
    return is_leaf(child) ? ~child : tree.nodes[child].start;
  }
  static std::int32_t end_of(const Tree& tree, std::int32_t child) {
    return is_leaf(child) ? ~child + 1 : tree.nodes[child].end;
  }

  // A node's values are a range, so that a child's smallest one says where the child belongs.
  void add_moves(const Permutation& pi, const Tree& tree, const TreeNode& node,
                 std::span<const std::int32_t> children) {
    for (const std::int32_t child : children) {
      const std::int32_t here = start_of(tree, child) - node.start;
      const std::int32_t there = low_of(pi, tree, child) - node.low;
      if (here == there) continue;
      distances.push_back(std::abs(here - there));
      sizes.push_back(end_of(tree, child) - start_of(tree, child));
    }
  }
};

}  // namespace hyperbaton
