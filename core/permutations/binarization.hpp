// Permutation trees (PETs) made from the flattened tree.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "permutations/permutation.hpp"
#include "permutations/tree.hpp"

namespace hyperbaton {

// Returns a PET: the flattened tree with each chain of k children written as k - 1 binary nodes.
//
// `reduces` selects the binarizations. For each chain, in pre-order, it has k numbers: how often
// a shift-reduce parser reduces after it has shifted child 1, 2, .., k. The canonical choice,
// left-branching, is 0, 1, 1, .., 1. An empty `reduces` selects it for every chain.
inline PermutationTree binarize(const Permutation& pi, const PermutationTree& flat,
                                std::span<const std::int32_t> reduces) {
  struct Binary {
    std::int32_t left, right;  // the index of a Binary, or ~index of a child of the chain
  };
  std::vector<Binary> binaries;
  std::vector<std::int32_t> root(flat.nodes.size(), -1);  // the topmost Binary of a chain
  std::vector<std::int32_t> stack;
  std::size_t used = 0;
  for (std::size_t k = 0; k < flat.nodes.size(); ++k) {
    if (flat.nodes[k].kind == OperatorKind::primal) continue;
    const std::size_t arity = flat.children_of(k).size();
    if (!reduces.empty() && reduces.size() - used < arity)
      throw std::invalid_argument("reduces has too few numbers for the chains");
    stack.clear();
    for (std::size_t i = 0; i < arity; ++i) {
      stack.push_back(~static_cast<std::int32_t>(i));
      const std::int32_t times = reduces.empty() ? i > 0 : reduces[used + i];
      for (std::int32_t t = 0; t < times; ++t) {
        if (stack.size() < 2) throw std::invalid_argument("reduces has too many reductions for a chain");
        const std::int32_t right = stack.back();
        stack.pop_back();
        binaries.push_back({stack.back(), right});
        stack.back() = static_cast<std::int32_t>(binaries.size()) - 1;
      }
    }
    if (stack.size() != 1) throw std::invalid_argument("reduces has too few reductions for a chain");
    root[k] = stack.back();
    if (!reduces.empty()) used += arity;
  }
  if (used != reduces.size()) throw std::invalid_argument("reduces has too many numbers for the chains");

  // Top-down, in pre-order. A task is a node of the flattened tree, or a Binary inside one.
  struct Task {
    std::int32_t flat, binary, slot;
  };
  PermutationTree pet;
  if (flat.nodes.empty()) return pet;
  pet.nodes.reserve(flat.nodes.size() + binaries.size());
  pet.children.reserve(flat.children.size() + binaries.size());
  std::vector<Task> pending{{0, root[0], -1}};
  while (!pending.empty()) {
    const Task task = pending.back();
    pending.pop_back();
    const auto here = static_cast<std::int32_t>(pet.nodes.size());
    if (task.slot >= 0) pet.children[task.slot] = here;
    const auto children = flat.children_of(task.flat);
    const auto first = static_cast<std::int32_t>(pet.children.size());
    pet.nodes.push_back({0, 0, 0, first, flat.nodes[task.flat].kind});
    auto add_child = [&](std::int32_t child, std::int32_t slot) {  // of the flattened tree
      if (is_leaf(child))
        pet.children[slot] = child;
      else
        pending.push_back({child, root[child], slot});
    };
    if (task.binary < 0) {
      pet.children.resize(pet.children.size() + children.size());
      for (auto i = static_cast<std::int32_t>(children.size()) - 1; i >= 0; --i)
        add_child(children[i], first + i);
    } else {
      pet.children.resize(pet.children.size() + 2);
      const Binary both = binaries[task.binary];
      for (const auto& [part, slot] : {std::pair{both.right, first + 1}, std::pair{both.left, first}}) {
        if (part < 0)
          add_child(children[~part], slot);
        else
          pending.push_back({task.flat, part, slot});
      }
    }
  }
  // Bottom-up: in pre-order, children come after their parent.
  for (std::size_t k = pet.nodes.size(); k-- > 0;) {
    const auto children = pet.children_of(k);
    PermutationTreeNode& node = pet.nodes[k];
    const std::int32_t first = children.front(), last = children.back();
    node.start = is_leaf(first) ? ~first : pet.nodes[first].start;
    node.end = is_leaf(last) ? ~last + 1 : pet.nodes[last].end;
    node.low = low_of(pi, pet, first);
    for (const std::int32_t child : children) node.low = std::min(node.low, low_of(pi, pet, child));
  }
  return pet;
}

}  // namespace hyperbaton
