// Measures of the shape of a permutation tree: figure 7 of Stanojević & Sima'an 2016.
//
// For n = 2 the paper's formulas are 0/0; the score is 1. For n = 0 it is 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "permutations/catalan.hpp"
#include "permutations/tree.hpp"

namespace hyperbaton {

// The number of operators of a PET, COUNT_node in the paper: a chain of k children has k − 1.
inline std::size_t count_operators(const PermutationTree& tree) {
  std::size_t size = 0;
  for (std::size_t k = 0; k < tree.nodes.size(); ++k)
    size += tree.nodes[k].kind == OperatorKind::primal ? 1 : tree.children_of(k).size() - 1;
  return size;
}

inline double pet_size(const PermutationTree& tree, std::size_t n) {
  if (n < 3) return n > 0;
  return static_cast<double>(count_operators(tree) - 1) / static_cast<double>(n - 2);
}

inline double max_operator(const PermutationTree& tree, std::size_t n) {
  if (n < 3) return n > 0;
  std::size_t longest = 2;
  for (std::size_t k = 0; k < tree.nodes.size(); ++k)
    if (tree.nodes[k].kind == OperatorKind::primal) longest = std::max(longest, tree.children_of(k).size());
  return static_cast<double>(n - longest) / static_cast<double>(n - 2);
}

// 1 − (AVG − 2)/(n − 2), where AVG = 1 + (n − 1)/size because Σ (|op| − 1) = n − 1.
inline double average_operator(const PermutationTree& tree, std::size_t n) {
  if (n < 3) return n > 0;
  const std::size_t size = count_operators(tree);
  return static_cast<double>((n - 1) * (size - 1)) / static_cast<double>((n - 2) * size);
}

inline double pet_count(const PermutationTree& tree, std::size_t n) {
  if (n < 3) return n > 0;
  ScaledNumber count{1, 0};
  for (std::size_t k = 0; k < tree.nodes.size(); ++k)
    if (tree.nodes[k].kind != OperatorKind::primal && tree.children_of(k).size() > 2)
      count *= catalan(static_cast<std::int64_t>(tree.children_of(k).size()) - 1);
  return ratio(minus_one(count), minus_one(catalan(static_cast<std::int64_t>(n) - 1)));
}

}  // namespace hyperbaton
