// The edit distance of ordered forests, and the mapping behind it.
//
// Deleting a node lets its children take its place; a mapping keeps the order and the ancestors of what it
// matches. A match of x and y is worth what it saves: delete(x) + delete(y) - match(x, y). The distance is
// the cost of deleting everything, less the most that matches can save; so only savings are computed here.
//
// With S(x, y) for the most that the subtrees of x and y can save if x and y are matched, and x and y the
// last roots of two forests F and G,
//   M(F, G) = max(M(F - x, G), M(F, G - y), S(x, y) + M(F without x's subtree, G without y's)),
//   S(x, y) = saving(x, y) + M(children of x, children of y),
// and likewise for the first roots. What differs between algorithms is which forests they meet. Every node
// of one tree lies on some path that goes from a subtree's root down to a leaf; one path of one tree is
// done at a time, against a subtree of the other:
// - left (Zhang & Shasha 1989): the path of first children, and forests that lose their last roots only;
// - right: the mirror image;
// - heavy (Klein 1998; Demaine et al. 2009): the path of largest children. The forests of the other tree
//   lose roots at both ends, so there are about half the square of its size.
// Which tree and which path is best for each pair of subtrees is found out beforehand, by counting (Pawlik
// & Augsten 2011): never more than the O(n³) steps of Demaine et al., and for flat trees far fewer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "dependency.hpp"
#include "parallel.hpp"
#include "tree_paths.hpp"

namespace hyperbaton {

// Every match saves the same: 1 + 1 - 1, if everything costs 1.
struct UnitSavings {
  using Value = std::int32_t;
  Value operator()(std::int32_t, std::int32_t) const { return 1; }
};

// One saving for each pair of tokens. What may not be matched saves less than nothing.
struct TableSavings {
  using Value = std::int64_t;
  std::span<const Value> savings;  // of token i of a and token j of b, at i * |b| + j
  const DependencyTree *a = nullptr, *b = nullptr;

  Value operator()(std::int32_t x, std::int32_t y) const {
    const std::size_t across = b->token.size();
    const Value saving =
        savings[static_cast<std::size_t>(a->token[x]) * across + static_cast<std::size_t>(b->token[y])];
    const Value largest = (Value{1} << 62) / (std::min(a->size(), b->size()) + 1);
    if (saving > largest || saving < -largest)
      throw std::invalid_argument("the savings are too large to be added up");
    return saving;
  }
};

// Tokens from 0: matched pairs, in the order of a.
using TreeMapping = std::vector<std::pair<std::int32_t, std::int32_t>>;

// Computes with what Savings says, for one pair after another in the same memory, which is O(n·m).
template <class Savings>
class TreeEdit {
 public:
  using Value = typename Savings::Value;
  static constexpr std::size_t most_cells = std::size_t{1} << 26;

  explicit TreeEdit(const Stop& stop) : stop_(stop) {}

  // The most that matches can save.
  Value saved(const DependencyTree& a, const DependencyTree& b, const Savings& savings) {
    a_ = &a;
    b_ = &b;
    n_ = a.size();
    m_ = b.size();
    if (n_ == 0 || m_ == 0) return 0;
    const std::size_t cells = static_cast<std::size_t>(n_) * static_cast<std::size_t>(m_);
    if (cells > most_cells) throw std::length_error("the product of the sizes of two trees is at most 2^26");
    grow(both_, cells + static_cast<std::size_t>(n_));
    // What is below x and y is added later, and once. With a leaf there is nothing below: leaves need no
    // tables of their own.
    for (std::int32_t x = 0; x < n_; ++x) {
      for (std::int32_t y = 0; y < m_; ++y) both(x, y) = savings(x, y);
      both(x, m_) = 0;
    }
    // Finding the best paths takes a while itself: not where it cannot save much.
    const std::int64_t left = a.left.work * b.left.work, right = a.right.work * b.right.work;
    if (forced < 0 && std::min(left, right) <= 32 * static_cast<std::int64_t>(cells)) {
      return left <= right ? forests<false>(n_, true, m_, true) : forests<true>(n_, true, m_, true);
    }
    paths_.choose(a, b, forced, stop_);
    return follow_paths();
  }

  // Of the last pair. Of all mappings that save the most it is this one: of any two forests that are left,
  // the last roots are matched if one of the best mappings does so; if not, that of a is deleted if
  // one of the best does so, and else that of b.
  TreeMapping mapping() {
    TreeMapping matched;
    if (n_ == 0 || m_ == 0) return matched;
    struct Forests {
      std::int32_t x0, x1, y0, y1;  // nodes x0..x1 - 1 and y0..y1 - 1
    };
    grow(table_, static_cast<std::size_t>(n_ + 1) * static_cast<std::size_t>(m_ + 1));
    std::vector<Forests> todo{{0, n_, 0, m_}};
    while (!todo.empty()) {
      const auto [x0, x1, y0, y1] = todo.back();
      todo.pop_back();
      fill(x0, x1, y0, y1);
      for (std::int32_t x = x1, y = y1; x > x0 && y > y0;) {
        const std::int32_t fx = a_->left.first[x - 1], fy = b_->left.first[y - 1];
        if (cell(x, y) == both(x - 1, y - 1) + cell(fx, fy)) {
          matched.emplace_back(a_->token[x - 1], b_->token[y - 1]);
          if (fx == x0 && fy == y0) {  // what is below them is in this table, and all that is left
            --x, --y;
          } else {
            if (fx < x - 1 && fy < y - 1) todo.push_back({fx, x - 1, fy, y - 1});
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

  int forced = -1;  // for tests: one of the six paths, wherever it may be chosen

 private:
  const Stop& stop_;
  const DependencyTree *a_ = nullptr, *b_ = nullptr;
  std::int32_t n_ = 0, m_ = 0;
  std::vector<Value> both_;   // S(x, y) at x * (m + 1) + y, and 0 at the end of each row
  std::vector<Value> table_;  // M of two forests, by the number of nodes up to the last of each
  std::vector<Value> window_, rows_;
  TreePaths paths_;

  // A node of b in a table, or the empty forest that a table begins with, which is no node's.
  struct Column {
    std::int32_t node, outside;    // the column of what is left without the node's subtree
    std::int32_t inside, on_path;  // masks: whether it is a node's; whether the path goes through the node
  };
  std::vector<Column> columns_;

  template <class T>
  static void grow(std::vector<T>& memory, std::size_t size) {
    if (memory.size() < size) memory.resize(size);
  }

  Value& both(std::int32_t x, std::int32_t y) {
    return both_[static_cast<std::size_t>(x) * static_cast<std::size_t>(m_ + 1) +
                 static_cast<std::size_t>(y)];
  }
  Value& cell(std::int32_t x, std::int32_t y) { return *row(x, y); }
  Value* row(std::int32_t x, std::int32_t y = 0) {
    return table_.data() + static_cast<std::size_t>(x) * static_cast<std::size_t>(m_ + 1) +
           static_cast<std::size_t>(y);
  }
  void poll() const {
    if (stop_.load(std::memory_order_relaxed)) throw Interrupted();
  }

  // M of forests of the nodes from x0 and y0, once S is known.
  void fill(std::int32_t x0, std::int32_t x1, std::int32_t y0, std::int32_t y1) {
    poll();
    std::fill(row(x0, y0), row(x0, y1) + 1, Value{0});
    for (std::int32_t x = x0; x < x1; ++x) {
      cell(x + 1, y0) = 0;
      for (std::int32_t y = y0; y < y1; ++y) {
        const Value match = both(x, y) + cell(a_->left.first[x], b_->left.first[y]);
        cell(x + 1, y + 1) = std::max({match, cell(x, y + 1), cell(x + 1, y)});
      }
    }
  }

  // Zhang and Shasha's tables for the subtree of v, or of every keyroot in it, against that of w, or of
  // every keyroot in it; in the numbers of the order, from the left or mirrored. Finds S of all pairs of
  // nodes on the paths of first children; S of other pairs is known. Leaves are done. The tables of several
  // keyroots of b stand side by side: their rows are short, and it takes longer to begin one than to fill it.
  template <bool mirrored>
  Value forests(std::int32_t v, bool every_v, std::int32_t w, bool every_w) {
    const Postorder& f = mirrored ? a_->right : a_->left;
    const Postorder& g = mirrored ? b_->right : b_->left;
    // As many as fit into a little memory, or into that of one table.
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
        if (f.first[x] < x && (x == v || f.keyroot[x])) last = tables(f, x);
      }
    }
    return last;
  }

  // The rows of one keyroot of a over all columns.
  Value tables(const Postorder& f, std::int32_t v) {
    poll();
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
      Value* const s = &both(f.node[x], 0);
      Value before = here[0] = 0;
      if (f.first[x] == x0) {  // nothing is left outside the subtree of x
        for (std::size_t c = 1; c < width; ++c) {
          const Value match = s[columns[c].node] += above[c - 1] & columns[c].on_path;
          before = here[c] = std::max(std::max(match, above[c]), before & columns[c].inside);
        }
      } else {
        for (std::size_t c = 1; c < width; ++c) {
          const Value match = s[columns[c].node] + outside[columns[c].outside];
          before = here[c] = std::max(std::max(match, above[c]), before & columns[c].inside);
        }
      }
    }
    return row(x1 + 1)[width - 1];
  }

  // The heavy path of v in one tree, f, against the subtree of w in the other, g. A window (p, q) of g is
  // the forest of its nodes from place p of the preorder and before place q of the postorder. M of what has
  // been seen of f and every window is kept while f grows from the leaf: by the nodes to the right of the
  // path, then by those to its left, then by the next node of the path. S(x, y) is at x * sx + y * sy.
  Value heavy(const DependencyTree& f, const TreeShape& shape, const DependencyTree& g, std::int32_t v,
              std::int32_t w, std::size_t sx, std::size_t sy) {
    const std::int32_t post0 = g.left.first[w], pre0 = std::max(g.pre[w], 0), size = g.last(w) - post0 + 1;
    const auto s = [&](std::int32_t x, std::int32_t y) -> Value& {
      return both_[static_cast<std::size_t>(x) * sx + static_cast<std::size_t>(y) * sy];
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
      poll();  // also where the path has no node at its sides
      if (below >= 0) {
        const std::int32_t on_right = x - below - 1, on_left = f.pre[below] - f.pre[x] - 1;
        grow(rows_, width * static_cast<std::size_t>(std::max(on_right, on_left) + 1));
        for (std::int32_t p = size - 1; p >= 0 && on_right > 0; --p) {
          poll();
          const std::int32_t q0 = g.left.first[g.at_pre[pre0 + p]] - post0;  // windows up to it are empty
          std::copy(&window(p, q0), &window(p, size) + 1, rows(0) + q0);
          for (std::int32_t r = 1; r <= on_right; ++r) {
            const Value* const above = rows(r - 1);
            const Value* const outside = rows(r - f.subtree(below + r));
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
          poll();
          const std::int32_t end = post0 + q - 1, p0 = g.pre[end] - pre0 + g.subtree(end);
          for (std::int32_t p = 0; p <= p0; ++p) rows(0)[p] = window(p, q);
          for (std::int32_t r = 1; r <= on_left; ++r) {
            const std::int32_t u = f.at_pre[f.pre[below] - r];
            const Value* const above = rows(r - 1);
            const Value* const outside = rows(r - f.subtree(u));
            Value* const here = rows(r);
            here[p0] = 0;
            for (std::int32_t p = p0 - 1; p >= 0; --p) {
              const std::int32_t y = g.at_pre[pre0 + p];
              here[p] = y > end ? here[p + 1]
                                : std::max({here[p + 1], above[p], s(u, y) + outside[p + g.subtree(y)]});
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

  // Does all the paths, each after the subtrees that hang off it.
  Value follow_paths() {
    struct Task {
      std::int32_t v, w;
      bool ready;
    };
    std::vector<Task> todo{{n_, m_, false}};
    Value whole = 0;
    while (!todo.empty()) {
      const Task task = todo.back();
      const std::int32_t v = task.v, w = task.w;
      todo.pop_back();
      const TreePath path = paths_.best(v, w);
      if (task.ready) {
        whole = follow(path, v, w);
        continue;
      }
      todo.push_back({v, w, true});
      const bool in_a = path <= TreePath::a_heavy;
      const auto hanging = [&](std::int32_t x) { todo.push_back({in_a ? x : v, in_a ? w : x, false}); };
      (in_a ? paths_.a : paths_.b).off_path(in_a ? v : w, static_cast<int>(path) % 3, hanging);
    }
    return whole;
  }

  Value follow(TreePath path, std::int32_t v, std::int32_t w) {
    const std::int32_t mirrored_v = n_ - 1 - a_->pre[v], mirrored_w = m_ - 1 - b_->pre[w];
    const auto across = static_cast<std::size_t>(m_) + 1;
    switch (path) {
      case TreePath::a_left:
        return forests<false>(v, false, w, true);
      case TreePath::b_left:
        return forests<false>(v, true, w, false);
      case TreePath::a_right:
        return forests<true>(mirrored_v, false, mirrored_w, true);
      case TreePath::b_right:
        return forests<true>(mirrored_v, true, mirrored_w, false);
      case TreePath::a_heavy:
        return heavy(*a_, paths_.a, *b_, v, w, across, 1);
      default:
        return heavy(*b_, paths_.b, *a_, w, v, 1, across);
    }
  }
};

}  // namespace hyperbaton
