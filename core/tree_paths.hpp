// Which paths to follow to the edit distance of two trees: RTED's choice (Pawlik & Augsten 2011).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "dependency.hpp"
#include "parallel.hpp"

namespace hyperbaton {

// A path goes from the root of a subtree of a, or of b, to a leaf: by way of first, last or largest children.
enum class TreePath : std::uint8_t { a_left, a_right, a_heavy, b_left, b_right, b_heavy };

// What the numbers of nodes do not say; and of each subtree, how many forests the other tree's path meets.
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
    firsts_.assign(nodes, 0);
    for (std::int32_t x = 0; x <= t.size(); ++x) {
      const auto size = static_cast<float>(t.subtree(x));
      forests[0][x] += size;
      forests[1][x] += size;
      firsts_[x] += static_cast<float>(t.left.first[x]);
      for (std::int32_t child = x - 1; child >= t.left.first[x]; child = t.left.first[child] - 1) {
        parent[child] = x;
        if (heavy_child[x] < 0 || t.subtree(child) > t.subtree(heavy_child[x])) heavy_child[x] = child;
        // A path goes on in one child, whose own subtree is then not counted again.
        const auto again = static_cast<float>(t.subtree(child));
        forests[0][x] += forests[0][child] - (t.left.first[child] == t.left.first[x] ? again : 0);
        forests[1][x] += forests[1][child] - (child == x - 1 ? again : 0);
        firsts_[x] += firsts_[child];
      }
      // A window begins anywhere, and ends anywhere from there to the end of the subtree.
      forests[2][x] = size * static_cast<float>(x + 1) - firsts_[x];
    }
  }

  std::int32_t next_on_path(std::int32_t x, int kind) const {
    if (heavy_child[x] < 0 || kind == 2) return heavy_child[x];
    if (kind == 1) return x - 1;
    std::int32_t child = x - 1;
    while (tree->left.first[child] != tree->left.first[x]) child = tree->left.first[child] - 1;
    return child;
  }

  // Every subtree that hangs off the path from x.
  template <class Body>
  void off_path(std::int32_t x, int kind, Body body) const {
    for (std::int32_t next; x >= 0; x = next) {
      next = next_on_path(x, kind);
      for (std::int32_t child = x - 1; child >= tree->left.first[x]; child = tree->left.first[child] - 1) {
        if (child != next) body(child);
      }
    }
  }

  // Whether each kind of path goes on from x's parent to x.
  void kept(std::int32_t x, bool (&kinds)[3]) const {
    const std::int32_t above = parent[x];
    kinds[0] = above >= 0 && tree->left.first[above] == tree->left.first[x];
    kinds[1] = above == x + 1;
    kinds[2] = above >= 0 && heavy_child[above] == x;
  }

 private:
  std::vector<float> firsts_;
};

// For every pair of subtrees the path that leads to the fewest steps in all. A path takes the size of its
// subtree times the forests of the other one, and what all the subtrees take that hang off it. (Numbers are
// rounded, which may cost a few steps: the distance is the same by all paths.)
class TreePaths {
 public:
  TreeShape a, b;

  TreePath best(std::int32_t v, std::int32_t w) const { return best_[at(v, w)]; }

  // Tests force one kind of path wherever it may be chosen.
  void choose(const DependencyTree& tree_a, const DependencyTree& tree_b, int forced, const Stop& stop) {
    a.load(tree_a);
    b.load(tree_b);
    width_ = static_cast<std::size_t>(tree_b.size()) + 1;
    const std::size_t cells = a.parent.size() * width_;
    best_.resize(cells);
    for (auto& sums : off_a_) sums.assign(cells, 0);
    for (std::int32_t v = 0; v <= tree_a.size(); ++v) {
      if (stop.load(std::memory_order_relaxed)) throw Interrupted();
      for (auto& sums : off_b_) sums.assign(width_, 0);
      const auto size_a = static_cast<float>(tree_a.subtree(v));
      bool kept_a[3], kept_b[3];
      a.kept(v, kept_a);
      for (std::int32_t w = 0; w <= tree_b.size(); ++w) {
        const auto size_b = static_cast<float>(tree_b.subtree(w));
        float steps[6];
        for (int k = 0; k < 3; ++k) {
          steps[k] = off_a_[k][at(v, w)] + size_a * b.forests[k][w];
          steps[3 + k] = off_b_[k][w] + size_b * a.forests[k][v];
        }
        // The windows of the larger tree would take too much memory.
        if (size_a != size_b) steps[size_a < size_b ? 2 : 5] = std::numeric_limits<float>::infinity();
        const bool may = forced >= 0 && steps[forced] < std::numeric_limits<float>::infinity();
        const auto least = may ? forced : static_cast<int>(std::min_element(steps, steps + 6) - steps);
        best_[at(v, w)] = static_cast<TreePath>(least);
        b.kept(w, kept_b);
        for (int k = 0; k < 3; ++k) {
          if (a.parent[v] >= 0)
            off_a_[k][at(a.parent[v], w)] += kept_a[k] ? off_a_[k][at(v, w)] : steps[least];
          if (b.parent[w] >= 0) off_b_[k][b.parent[w]] += kept_b[k] ? off_b_[k][w] : steps[least];
        }
      }
    }
  }

 private:
  std::size_t width_ = 0;
  std::vector<TreePath> best_;
  std::vector<float> off_a_[3], off_b_[3];  // the steps of what hangs off the path, by its kind

  std::size_t at(std::int32_t v, std::int32_t w) const {
    return static_cast<std::size_t>(v) * width_ + static_cast<std::size_t>(w);
  }
};

}  // namespace hyperbaton
