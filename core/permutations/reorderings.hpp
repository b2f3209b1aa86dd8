// The reorderings in permutation trees: operators, their spans, and the blocks that move.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "permutations/tree.hpp"

namespace hyperbaton {

// Collects the reorderings of many trees. The operators are those of the canonical PETs, in which a
// chain of k children is k - 1 binary operators, over the first 2, 3, .., k children.
struct Reorderings {
  std::vector<std::int32_t> rising, falling;   // the span of each <1,2> and of each <2,1>
  std::vector<std::int32_t> primal;            // the span of each longer operator
  std::vector<std::int32_t> operators;         // the longer operators themselves, values from 1
  std::vector<std::int64_t> ends;              // where each of them ends in `operators`
  std::vector<std::int32_t> distances, sizes;  // of the blocks that move: distance and length

  void add(const Permutation& pi, const PermutationTree& tree) {
    for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
      const PermutationTreeNode& node = tree.nodes[k];
      const auto children = tree.children_of(k);
      if (node.kind == OperatorKind::primal) {
        primal.push_back(node.end - node.start);
        append_operator(pi, tree, k, operators);
        ends.push_back(static_cast<std::int64_t>(operators.size()));
      } else {
        auto& spans = node.kind == OperatorKind::rising ? rising : falling;
        for (std::size_t i = 1; i < children.size(); ++i)
          spans.push_back(end_of(tree, children[i]) - node.start);
      }
      if (node.kind != OperatorKind::rising) add_moves(pi, tree, node, children);
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
  static std::int32_t start_of(const PermutationTree& tree, std::int32_t child) {
    return is_leaf(child) ? ~child : tree.nodes[child].start;
  }
  static std::int32_t end_of(const PermutationTree& tree, std::int32_t child) {
    return is_leaf(child) ? ~child + 1 : tree.nodes[child].end;
  }

  // The values of a node form a range, so that the smallest value of a child gives its target.
  void add_moves(const Permutation& pi, const PermutationTree& tree, const PermutationTreeNode& node,
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
