// The edit distance of ordered forests, and the mapping that gives it.
//
// When a node is deleted, its children take its place. A mapping preserves the order and the ancestors of the
// nodes that it matches. A match of x and y saves delete(x) + delete(y) - match(x, y). The distance is the
// cost of deleting everything minus the most that matches can save, so only savings are computed here.
//
// Let S(x, y) be the most that the subtrees of x and y can save if x and y are matched. If x and y are the
// last roots of two forests F and G,
//   M(F, G) = max(M(F - x, G), M(F, G - y), S(x, y) + M(F without x's subtree, G without y's)),
//   S(x, y) = saving(x, y) + M(children of x, children of y),
// and likewise for the first roots. Algorithms differ in the forests that they compare. Every node of one
// tree lies on some path from the root of a subtree to a leaf. One path of one tree is processed at a time,
// against a subtree of the other:
// - left (Zhang & Shasha 1989): the path of first children; forests lose only their last roots;
// - right: the mirror image;
// - heavy (Klein 1998; Demaine et al. 2009): the path of largest children. The forests of the other tree
//   lose roots at both ends, so their number is about half the square of its size.
// The best tree and path for each pair of subtrees are found beforehand, by counting (Pawlik & Augsten
// 2011): there are never more than the O(n³) steps of Demaine et al., and far fewer for flat trees.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "support/errors.hpp"
#include "support/parallel.hpp"
#include "trees/dependency_tree.hpp"
#include "trees/path_strategy.hpp"

namespace hyperbaton {

// Every operation costs 1, so every match saves 1 + 1 - 1.
struct UnitSavings {
  using Value = std::int32_t;
  Value operator()(std::int32_t, std::int32_t) const { return 1; }
};

// One saving for each pair of tokens. It is negative for tokens that must not be matched.
struct TableSavings {
  using Value = std::int64_t;
  std::span<const Value> savings;  // of token i of a and token j of b, at i * |b| + j
  const DependencyTree *a = nullptr, *b = nullptr;

  Value operator()(std::int32_t x, std::int32_t y) const {
    const std::size_t across = b->token.size();
    const Value saving =
        savings[static_cast<std::size_t>(a->token[x]) * across + static_cast<std::size_t>(b->token[y])];
    const Value largest = (Value{1} << 62) / (std::min(a->size(), b->size()) + 1);
    if (saving > largest || saving < -largest) throw InputError("the savings are too large to be added up");
    return saving;
  }
};

// Pairs of matched tokens, from 0, in the order of a.
using TreeMapping = std::vector<std::pair<std::int32_t, std::int32_t>>;

// Works on one pair of trees after another and keeps its memory, which is O(n·m). Each thread needs its own.
template <class Savings>
class TreeEdit {
 public:
  using Value = typename Savings::Value;
  static constexpr std::size_t most_cells = std::size_t{1} << 26;

  explicit TreeEdit(const Stop& stop) : stop_(stop) {}

  // Returns the most that matches can save.
  Value most_saved(const DependencyTree& a, const DependencyTree& b, const Savings& savings) {
    a_ = &a;
    b_ = &b;
    n_ = a.size();
    m_ = b.size();
    if (n_ == 0 || m_ == 0) return 0;
    const std::size_t cells = static_cast<std::size_t>(n_) * static_cast<std::size_t>(m_);
    if (cells > most_cells) throw InputError("the product of the sizes of two trees is at most 2^26");
    grow(match_savings_, cells + static_cast<std::size_t>(n_));
    // The savings below x and y are added later. There is nothing below a leaf, so leaves need no tables.
    for (std::int32_t x = 0; x < n_; ++x) {
      for (std::int32_t y = 0; y < m_; ++y) match_saving(x, y) = savings(x, y);
      match_saving(x, m_) = 0;
    }
    // Finding the best paths takes time itself, so it is skipped where it cannot save much.
    const std::int64_t left = a.left.work * b.left.work, right = a.right.work * b.right.work;
    if (forced_path < 0 && std::min(left, right) <= 32 * static_cast<std::int64_t>(cells)) {
      return left <= right ? fill_left_or_right<false>(n_, true, m_, true)
                           : fill_left_or_right<true>(n_, true, m_, true);
    }
    strategy_.choose(a, b, forced_path, stop_);
    return follow_paths();
  }

  // Returns the mapping of the last pair. Of all mappings that save the most it is this one: of the forests
  // that remain, the last roots are matched if a best mapping does so. Otherwise the last root of a is
  // deleted if a best mapping does so, and else that of b.
  TreeMapping mapping() {
    TreeMapping matched;
    if (n_ == 0 || m_ == 0) return matched;
    struct Forests {
      std::int32_t x0, x1, y0, y1;  // nodes x0..x1 - 1 and y0..y1 - 1
    };
    grow(table_, static_cast<std::size_t>(n_ + 1) * static_cast<std::size_t>(m_ + 1));
    std::vector<Forests> pending{{0, n_, 0, m_}};
    while (!pending.empty()) {
      const auto [x0, x1, y0, y1] = pending.back();
      pending.pop_back();
      fill_table(x0, x1, y0, y1);
      for (std::int32_t x = x1, y = y1; x > x0 && y > y0;) {
        const std::int32_t fx = a_->left.first[x - 1], fy = b_->left.first[y - 1];
        if (cell(x, y) == match_saving(x - 1, y - 1) + cell(fx, fy)) {
          matched.emplace_back(a_->token[x - 1], b_->token[y - 1]);
          if (fx == x0 && fy == y0) {  // this table also has everything below them
            --x, --y;
          } else {
            if (fx < x - 1 && fy < y - 1) pending.push_back({fx, x - 1, fy, y - 1});
            x = fx, y = fy;
          }
        } else if (cell(x, y) == cell(x - 1, y)) {
          --x;
        } else {
          --y;
        }
      }
    }
    std::sort(matched.begin(), matched.end());
    return matched;
  }

  int forced_path = -1;  // for tests: one of the six paths, used wherever possible

 private:
  const Stop& stop_;
  const DependencyTree *a_ = nullptr, *b_ = nullptr;
  std::int32_t n_ = 0, m_ = 0;
  std::vector<Value> match_savings_;  // S(x, y) at x * (m + 1) + y, with 0 at the end of each row
  std::vector<Value> table_;          // M of two forests, by the number of nodes up to the last one of each
  std::vector<Value> window_, rows_;
  PathStrategy strategy_;

  // A column of a table: a node of b, or the empty forest at the beginning of the table.
  struct Column {
    std::int32_t node, outside;     // `outside` is the column without the node's subtree
    std::int32_t is_node, on_path;  // masks: whether it is a node; whether the path goes through the node
  };
  std::vector<Column> columns_;

  template <class T>
  static void grow(std::vector<T>& memory, std::size_t size) {
    if (memory.size() < size) memory.resize(size);
  }

  Value& match_saving(std::int32_t x, std::int32_t y) {
    return match_savings_[static_cast<std::size_t>(x) * static_cast<std::size_t>(m_ + 1) +
                          static_cast<std::size_t>(y)];
  }
  Value& cell(std::int32_t x, std::int32_t y) { return *row(x, y); }
  Value* row(std::int32_t x, std::int32_t y = 0) {
    return table_.data() + static_cast<std::size_t>(x) * static_cast<std::size_t>(m_ + 1) +
           static_cast<std::size_t>(y);
  }
  void check_stop() const {
    if (stop_.load(std::memory_order_relaxed)) throw Interrupted();
  }

  // Fills the table with M of all forests from x0 and y0 on. S must be known.
  void fill_table(std::int32_t x0, std::int32_t x1, std::int32_t y0, std::int32_t y1) {
    check_stop();
    std::fill(row(x0, y0), row(x0, y1) + 1, Value{0});
    for (std::int32_t x = x0; x < x1; ++x) {
      cell(x + 1, y0) = 0;
      for (std::int32_t y = y0; y < y1; ++y) {
        const Value match = match_saving(x, y) + cell(a_->left.first[x], b_->left.first[y]);
        cell(x + 1, y + 1) = std::max({match, cell(x, y + 1), cell(x + 1, y)});
      }
    }
  }

  // Fills Zhang and Shasha's tables for the subtree of v, or of every keyroot in it, against that of w, or of
  // every keyroot in it. Nodes are numbered in the postorder of the tree or of the mirrored tree. This finds
  // S of all pairs of nodes on the paths of first children; S of all other pairs and of leaves must be known.
  // The tables of several keyroots of b are side by side, because their rows are short and it takes longer
  // to start a row than to fill it.
  template <bool mirrored>
  Value fill_left_or_right(std::int32_t v, bool every_v, std::int32_t w, bool every_w) {
    const Postorder& f = mirrored ? a_->right : a_->left;
    const Postorder& g = mirrored ? b_->right : b_->left;
    // As many columns as fit into a small cache, or at least one table.
    const std::int32_t most_columns = std::max(m_ + 1, std::min(512, (1 << 18) / (n_ + 1)));
    Value last = 0;
    for (std::int32_t y = every_w ? g.first[w] : w; y <= w;) {
      columns_.clear();
      for (; y <= w; ++y) {
        if (g.first[y] == y || (y < w && !g.keyroot[y])) continue;
        const std::int32_t y1 = b_->last(y);
        const auto start = static_cast<std::int32_t>(columns_.size()), y0 = g.first[y];
        if (start > 0 && start + y1 - y0 + 2 > most_columns) break;
        columns_.push_back({m_, start, 0, 0});
        for (std::int32_t u = y0; u <= y1; ++u)
          columns_.push_back({g.node[u], start + g.first[u] - y0, -1, g.first[u] == y0 ? -1 : 0});
      }
      if (columns_.empty()) break;
      for (std::int32_t x = every_v ? f.first[v] : v; x <= v; ++x) {
        if (f.first[x] < x && (x == v || f.keyroot[x])) last = fill_rows(f, x);
      }
    }
    return last;
  }

  // Fills the rows of one keyroot of a, over all columns.
  Value fill_rows(const Postorder& f, std::int32_t v) {
    check_stop();
    const std::size_t width = columns_.size();
    const std::int32_t x0 = f.first[v], x1 = a_->last(v);
    grow(table_, static_cast<std::size_t>(x1 - x0 + 2) * width);
    const auto row = [&](std::int32_t x) { return table_.data() + static_cast<std::size_t>(x - x0) * width; };
    const Column* const columns = columns_.data();
    std::fill(row(x0), row(x0) + width, Value{0});
    for (std::int32_t x = x0; x <= x1; ++x) {
      const Value* const above = row(x);
      const Value* const outside = row(f.first[x]);
      Value* const here = row(x + 1);
      Value* const s = &match_saving(f.node[x], 0);
      Value before = here[0] = 0;
      if (f.first[x] == x0) {  // nothing is outside the subtree of x
        for (std::size_t c = 1; c < width; ++c) {
          const Value match = s[columns[c].node] += above[c - 1] & columns[c].on_path;
          before = here[c] = std::max(std::max(match, above[c]), before & columns[c].is_node);
        }
      } else {
        for (std::size_t c = 1; c < width; ++c) {
          const Value match = s[columns[c].node] + outside[columns[c].outside];
          before = here[c] = std::max(std::max(match, above[c]), before & columns[c].is_node);
        }
      }
    }
    return row(x1 + 1)[width - 1];
  }

  // Processes the heavy path of v in one tree, f, against the subtree of w in the other, g. A window (p, q)
  // of g is the forest of its nodes from preorder position p on and before postorder position q. M of the
  // visited part of f and every window is updated while that part grows from the leaf: first by the nodes to
  // the right of the path, then by those to its left, then by the next node of the path. S(x, y) is at
  // x * sx + y * sy.
  Value fill_heavy(const DependencyTree& f, const TreeShape& shape, const DependencyTree& g, std::int32_t v,
                   std::int32_t w, std::size_t sx, std::size_t sy) {
    const std::int32_t post0 = g.left.first[w], pre0 = std::max(g.pre[w], 0), size = g.last(w) - post0 + 1;
    const auto s = [&](std::int32_t x, std::int32_t y) -> Value& {
      return match_savings_[static_cast<std::size_t>(x) * sx + static_cast<std::size_t>(y) * sy];
    };
    const auto width = static_cast<std::size_t>(size) + 1;
    window_.assign(width * width, 0);
    const auto window = [&](std::int32_t p, std::int32_t q) -> Value& {
      return window_[static_cast<std::size_t>(p) * width + static_cast<std::size_t>(q)];
    };
    const auto rows = [&](std::int32_t r) { return rows_.data() + static_cast<std::size_t>(r) * width; };

    std::int32_t x = v;
    while (shape.heavy_child[x] >= 0) x = shape.heavy_child[x];
    for (std::int32_t below = -1;; below = x, x = shape.parent[x]) {
      check_stop();  // also if nothing branches off the path
      if (below >= 0) {
        const std::int32_t on_right = x - below - 1, on_left = f.pre[below] - f.pre[x] - 1;
        grow(rows_, width * static_cast<std::size_t>(std::max(on_right, on_left) + 1));
        for (std::int32_t p = size - 1; p >= 0 && on_right > 0; --p) {
          check_stop();
          const std::int32_t q0 =
              g.left.first[g.at_pre[pre0 + p]] - post0;  // windows that end before it are empty
          std::copy(&window(p, q0), &window(p, size) + 1, rows(0) + q0);
          for (std::int32_t r = 1; r <= on_right; ++r) {
            const Value* const above = rows(r - 1);
            const Value* const outside = rows(r - f.subtree_size(below + r));
            Value* const here = rows(r);
            here[q0] = 0;
            for (std::int32_t q = q0; q < size; ++q) {
              const std::int32_t y = post0 + q;
              here[q + 1] =
                  g.pre[y] < pre0 + p
                      ? here[q]
                      : std::max({here[q], above[q + 1], s(below + r, y) + outside[g.left.first[y] - post0]});
            }
          }
          std::copy(rows(on_right) + q0, rows(on_right) + size + 1, &window(p, q0));
        }
        for (std::int32_t q = 1; q <= size && on_left > 0; ++q) {
          check_stop();
          const std::int32_t end = post0 + q - 1, p0 = g.pre[end] - pre0 + g.subtree_size(end);
          for (std::int32_t p = 0; p <= p0; ++p) rows(0)[p] = window(p, q);
          for (std::int32_t r = 1; r <= on_left; ++r) {
            const std::int32_t u = f.at_pre[f.pre[below] - r];
            const Value* const above = rows(r - 1);
            const Value* const outside = rows(r - f.subtree_size(u));
            Value* const here = rows(r);
            here[p0] = 0;
            for (std::int32_t p = p0 - 1; p >= 0; --p) {
              const std::int32_t y = g.at_pre[pre0 + p];
              here[p] = y > end ? here[p + 1]
                                : std::max({here[p + 1], above[p], s(u, y) + outside[p + g.subtree_size(y)]});
            }
          }
          for (std::int32_t p = 0; p < p0; ++p) window(p, q) = rows(on_left)[p];
        }
      }
      if (x == f.size()) break;
      for (std::int32_t q = 0; q < size; ++q) {
        const std::int32_t y = post0 + q;
        s(x, y) += window(g.pre[y] - pre0 + 1, q);
      }
      if (x == v) break;
      for (std::int32_t p = 0; p < size; ++p) {
        for (std::int32_t q = g.left.first[g.at_pre[pre0 + p]] - post0; q < size; ++q) {
          const std::int32_t y = post0 + q;
          const Value match = g.pre[y] < pre0 + p ? 0 : s(x, y);
          window(p, q + 1) = std::max({window(p, q + 1), window(p, q), match});
        }
      }
    }
    return window(0, size);
  }

  // Processes all paths, each after the subtrees that branch off it.
  Value follow_paths() {
    struct Task {
      std::int32_t v, w;
      bool ready;
    };
    std::vector<Task> pending{{n_, m_, false}};
    Value whole = 0;
    while (!pending.empty()) {
      const Task task = pending.back();
      const std::int32_t v = task.v, w = task.w;
      pending.pop_back();
      const TreePath path = strategy_.best(v, w);
      if (task.ready) {
        whole = follow(path, v, w);
        continue;
      }
      pending.push_back({v, w, true});
      const bool in_a = path <= TreePath::a_heavy;
      const auto add_branch = [&](std::int32_t x) { pending.push_back({in_a ? x : v, in_a ? w : x, false}); };
      (in_a ? strategy_.a : strategy_.b)
          .for_each_branch(in_a ? v : w, static_cast<int>(path) % 3, add_branch);
    }
    return whole;
  }

  Value follow(TreePath path, std::int32_t v, std::int32_t w) {
    const std::int32_t mirrored_v = n_ - 1 - a_->pre[v], mirrored_w = m_ - 1 - b_->pre[w];
    const auto across = static_cast<std::size_t>(m_) + 1;
    switch (path) {
      case TreePath::a_left:
        return fill_left_or_right<false>(v, false, w, true);
      case TreePath::b_left:
        return fill_left_or_right<false>(v, true, w, false);
      case TreePath::a_right:
        return fill_left_or_right<true>(mirrored_v, false, mirrored_w, true);
      case TreePath::b_right:
        return fill_left_or_right<true>(mirrored_v, true, mirrored_w, false);
      case TreePath::a_heavy:
        return fill_heavy(*a_, strategy_.a, *b_, v, w, across, 1);
      default:
        return fill_heavy(*b_, strategy_.b, *a_, w, v, 1, across);
    }
  }
};

}  // namespace hyperbaton
