// The strategy of RTED (Pawlik & Augsten 2011): which path to decompose each pair of subtrees along.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/parallel.hpp"
#include "trees/dependency_tree.hpp"

namespace hyperbaton {

// A path goes from the root of a subtree of a, or of b, to a leaf, through first, last or largest children.
enum class TreePath : std::uint8_t { a_left, a_right, a_heavy, b_left, b_right, b_heavy };

// Parents and heavy children of the nodes, and for each subtree the number of forests that a path in the
// other tree is compared with.
struct TreeShape {
  std::vector<std::int32_t> parent, heavy_child;  // or -1
  std::vector<float> forests[3];                  // by the kind of path: left, right, heavy
  const DependencyTree* tree = nullptr;

  void load(const DependencyTree& t) {
    tree = &t;
    const std::size_t nodes = t.left.first.size();
    parent.assign(nodes, -1);
    heavy_child.assign(nodes, -1);
    for (auto& counts : forests) counts.assign(nodes, 0);
    first_sums_.assign(nodes, 0);
    for (std::int32_t x = 0; x <= t.size(); ++x) {
      const auto size = static_cast<float>(t.subtree_size(x));
      forests[0][x] += size;
      forests[1][x] += size;
      first_sums_[x] += static_cast<float>(t.left.first[x]);
      for (std::int32_t child = x - 1; child >= t.left.first[x]; child = t.left.first[child] - 1) {
        parent[child] = x;
        if (heavy_child[x] < 0 || t.subtree_size(child) > t.subtree_size(heavy_child[x]))
          heavy_child[x] = child;
        // The path continues in one child, whose subtree is not counted again.
        const auto again = static_cast<float>(t.subtree_size(child));
        forests[0][x] += forests[0][child] - (t.left.first[child] == t.left.first[x] ? again : 0);
        forests[1][x] += forests[1][child] - (child == x - 1 ? again : 0);
        first_sums_[x] += first_sums_[child];
      }
      // A window begins anywhere and ends anywhere between there and the end of the subtree.
      forests[2][x] = size * static_cast<float>(x + 1) - first_sums_[x];
    }
  }

  std::int32_t next_on_path(std::int32_t x, int kind) const {
    if (heavy_child[x] < 0 || kind == 2) return heavy_child[x];
    if (kind == 1) return x - 1;
    std::int32_t child = x - 1;
    while (tree->left.first[child] != tree->left.first[x]) child = tree->left.first[child] - 1;
    return child;
  }

  // Calls body for the root of every subtree that branches off the path from x.
  template <class Body>
  void for_each_branch(std::int32_t x, int kind, Body body) const {
    for (std::int32_t next; x >= 0; x = next) {
      next = next_on_path(x, kind);
      for (std::int32_t child = x - 1; child >= tree->left.first[x]; child = tree->left.first[child] - 1) {
        if (child != next) body(child);
      }
    }
  }

  // Whether each kind of path continues from x's parent to x.
  void find_continuing_paths(std::int32_t x, bool (&kinds)[3]) const {
    const std::int32_t up = parent[x];
    kinds[0] = up >= 0 && tree->left.first[up] == tree->left.first[x];
    kinds[1] = up == x + 1;
    kinds[2] = up >= 0 && heavy_child[up] == x;
  }

 private:
  std::vector<float> first_sums_;
};

// Finds, for every pair of subtrees, the path with the fewest steps. The number of steps is the size of the
// subtree times the number of forests of the other one, plus the steps for all subtrees that branch off the
// path. (The numbers are rounded. This may cost a few steps, but the distance is the same along all paths.)
class PathStrategy {
 public:
  TreeShape a, b;

  TreePath best(std::int32_t v, std::int32_t w) const { return best_[cell(v, w)]; }

  // Tests force one kind of path wherever it is possible.
  void choose(const DependencyTree& tree_a, const DependencyTree& tree_b, int forced_path, const Stop& stop) {
    a.load(tree_a);
    b.load(tree_b);
    width_ = static_cast<std::size_t>(tree_b.size()) + 1;
    const std::size_t cells = a.parent.size() * width_;
    best_.resize(cells);
    for (auto& sums : branch_steps_a_) sums.assign(cells, 0);
    for (std::int32_t v = 0; v <= tree_a.size(); ++v) {
      if (stop.load(std::memory_order_relaxed)) throw Interrupted();
      for (auto& sums : branch_steps_b_) sums.assign(width_, 0);
      const auto size_a = static_cast<float>(tree_a.subtree_size(v));
      bool continues_a[3], continues_b[3];
      a.find_continuing_paths(v, continues_a);
      for (std::int32_t w = 0; w <= tree_b.size(); ++w) {
        const auto size_b = static_cast<float>(tree_b.subtree_size(w));
        float steps[6];
        for (int k = 0; k < 3; ++k) {
          steps[k] = branch_steps_a_[k][cell(v, w)] + size_a * b.forests[k][w];
          steps[3 + k] = branch_steps_b_[k][w] + size_b * a.forests[k][v];
        }
        // A heavy path in the smaller tree would need too much memory for the windows of the larger one.
        if (size_a != size_b) steps[size_a < size_b ? 2 : 5] = std::numeric_limits<float>::infinity();
        const bool is_possible =
            forced_path >= 0 && steps[forced_path] < std::numeric_limits<float>::infinity();
        const auto least =
            is_possible ? forced_path : static_cast<int>(std::min_element(steps, steps + 6) - steps);
        best_[cell(v, w)] = static_cast<TreePath>(least);
        b.find_continuing_paths(w, continues_b);
        for (int k = 0; k < 3; ++k) {
          if (a.parent[v] >= 0)
            branch_steps_a_[k][cell(a.parent[v], w)] +=
                continues_a[k] ? branch_steps_a_[k][cell(v, w)] : steps[least];
          if (b.parent[w] >= 0)
            branch_steps_b_[k][b.parent[w]] += continues_b[k] ? branch_steps_b_[k][w] : steps[least];
        }
      }
    }
  }

 private:
  std::size_t width_ = 0;
  std::vector<TreePath> best_;
  std::vector<float> branch_steps_a_[3],
      branch_steps_b_[3];  // steps for what branches off the path, by its kind

  std::size_t cell(std::int32_t v, std::int32_t w) const {
    return static_cast<std::size_t>(v) * width_ + static_cast<std::size_t>(w);
  }
};

}  // namespace hyperbaton
