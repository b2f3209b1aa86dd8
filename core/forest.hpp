// Scores over permutation trees and forests, computed on the flattened tree.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "catalan.hpp"
#include "parallel.hpp"
#include "tree.hpp"

namespace hyperbaton {

// opScore: 1 for <1,2>, gamma for <2,1>, else 0; or a score of each node's operator,
// in pre-order, which a caller has computed.
struct OperatorScore {
  double gamma = 0;
  std::span<const double> scores{};

  double operator()(const Tree& tree, std::size_t k) const {
    if (!scores.empty()) return scores[k];
    switch (tree.nodes[k].kind) {
      case Kind::rising:
        return 1;
      case Kind::falling:
        return gamma;
      default:
        return 0;
    }
  }
};

// ---- figure 7 of Stanojević & Sima'an 2016; n = 2 is 0/0 there and counts as 1, n = 0 scores 0 ----

// COUNT_node: a chain of k children stands for k − 1 operators.
inline std::size_t count_operators(const Tree& tree) {
  std::size_t size = 0;
  for (std::size_t k = 0; k < tree.nodes.size(); ++k)
    size += tree.nodes[k].kind == Kind::primal ? 1 : tree.children_of(k).size() - 1;
  return size;
}

inline double pet_size(const Tree& tree, std::size_t n) {
  if (n < 3) return n > 0;
  return static_cast<double>(count_operators(tree) - 1) / static_cast<double>(n - 2);
}

inline double max_operator(const Tree& tree, std::size_t n) {
  if (n < 3) return n > 0;
  std::size_t longest = 2;
  for (std::size_t k = 0; k < tree.nodes.size(); ++k)
    if (tree.nodes[k].kind == Kind::primal) longest = std::max(longest, tree.children_of(k).size());
  return static_cast<double>(n - longest) / static_cast<double>(n - 2);
}

// 1 − (AVG − 2)/(n − 2), with AVG = 1 + (n − 1)/size because Σ (|op| − 1) = n − 1.
inline double average_operator(const Tree& tree, std::size_t n) {
  if (n < 3) return n > 0;
  const std::size_t size = count_operators(tree);
  return static_cast<double>((n - 1) * (size - 1)) / static_cast<double>((n - 2) * size);
}

inline double pet_count(const Tree& tree, std::size_t n) {
  if (n < 3) return n > 0;
  Scaled count{1, 0};
  for (std::size_t k = 0; k < tree.nodes.size(); ++k)
    if (tree.nodes[k].kind != Kind::primal && tree.children_of(k).size() > 2)
      count *= catalan(static_cast<std::int64_t>(tree.children_of(k).size()) - 1);
  return ratio(minus_one(count), minus_one(catalan(static_cast<std::int64_t>(n) - 1)));
}

// ---- figure 6 of Stanojević & Sima'an 2014 ----

// Shared by pet, pef and pef_beer: a score for every node, children before parents.
// A primal node averages over its children; how a chain does it is the scorer's matter.
class NodeScores {
 public:
  explicit NodeScores(const Stop& stop) : stop_(stop) {}

  // Throughout, beta op + (1 - beta) x is computed as op + (1 - beta) (x - op): where all is as
  // good as the operator, the score is just opScore, without a rounding error.

  // phi_node with one inference, the canonical one: a left-branching chain, prefix by prefix.
  double pet(const Tree& tree, std::size_t n, double beta, const OperatorScore& op) {
    return recursive(tree, n, beta, op, [&](std::span<const std::int32_t> children, double score_of_op) {
      // of the prefix so far: its score less opScore, and whether it is more than a leaf
      bool inner = !is_leaf(children[0]);
      double moved = inner ? score_[children[0]] - score_of_op : 0;
      for (const std::int32_t child : children.subspan(1)) {
        double mean = moved;
        if (!is_leaf(child)) {
          const double other = score_[child] - score_of_op;
          mean = inner ? (moved + other) / 2 : other;
        }
        moved = (1 - beta) * mean;  // two leaves: 0
        inner = true;
      }
      return score_of_op + moved;
    });
  }

  // phi_node with all inferences. Over the sub-chain a..b, of length L, every split weighs the
  // same, and a split gives the mean of its sides that are not leaves. So with g = phi - op, and
  // g = 0 for a leaf,
  //   g(a, b) = (1 - beta) / (2 (L - 1)) * (  sum of g(a, m), m < b,  +  sum of g(m, b), m > a
  //                                         + g(a + 1, b) if a is a leaf
  //                                         + g(a, b - 1) if b is a leaf).
  // The sums over m grow with L, so a chain of k children costs O(k^2) time and O(k) memory. A
  // chain of leaves has g = 0: it scores opScore.
  double pef(const Tree& tree, std::size_t n, double beta, const OperatorScore& op) {
    return recursive(tree, n, beta, op, [&](std::span<const std::int32_t> children, double score_of_op) {
      const std::size_t k = children.size();
      moved_.resize(k);
      leaf_.resize(k);
      for (std::size_t a = 0; a < k; ++a) {
        leaf_[a] = is_leaf(children[a]);
        moved_[a] = is_leaf(children[a]) ? 0 : score_[children[a]] - score_of_op;
      }
      by_start_ = moved_;
      by_end_ = moved_;
      for (std::size_t length = 2; length <= k; ++length) {
        if (stop_.load(std::memory_order_relaxed)) throw Interrupted();
        const double share = (1 - beta) / (2 * static_cast<double>(length - 1));
        double* const g = moved_.data();  // g[a] becomes g(a, a + length - 1)
        double* const start = by_start_.data();
        double* const end = by_end_.data() + (length - 1);
        const double* const leaf_a = leaf_.data();
        const double* const leaf_b = leaf_.data() + (length - 1);
        const std::size_t count = k - length + 1;
        for (std::size_t a = 0; a < count; ++a) {
          const double value = share * (start[a] + end[a] + leaf_a[a] * g[a + 1] + leaf_b[a] * g[a]);
          g[a] = value;
          start[a] += value;
          end[a] += value;
        }
      }
      return score_of_op + moved_[0];
    });
  }

  // ---- the authors' released variant, BEER 1.1 ----
  //
  // Every node scores beta op + (1 - beta) * mean over all children weighted by their spans,
  // leaves scoring 1; averaged over all PETs; scaled so that <n, .., 1> scores 0.
  //
  // Take a child i of a chain at depth D in one binarization. Its span-weighted share reaches the
  // chain's score as q^D of its own score plus (1 - q^D) of opScore, with q = 1 - beta, so
  //   score = op + sum over i of E_i * span_i / span * (score_i - op),  E_i = mean of q^D
  // over all binary trees with k leaves: depth_weights() below.
  double pef_beer(const Tree& tree, std::size_t n, double beta) {
    if (n < 2) return static_cast<double>(n);
    const OperatorScore op{};
    score_.resize(tree.nodes.size());
    for (std::size_t k = tree.nodes.size(); k-- > 0;) {
      const TreeNode& node = tree.nodes[k];
      const auto children = tree.children_of(k);
      const double score_of_op = op(tree, k);
      const double span = node.end - node.start;
      auto moved = [&](std::int32_t child) {  // span times (score - op)
        return is_leaf(child)
                   ? 1 - score_of_op
                   : (tree.nodes[child].end - tree.nodes[child].start) * (score_[child] - score_of_op);
      };
      double sum = 0;
      if (node.kind == Kind::primal) {
        for (const std::int32_t child : children) sum += moved(child);
        sum *= 1 - beta;
      } else if (static_cast<double>(children.size()) == span) {
        sum = score_of_op == 1 ? 0 : mean_depth_weight(children.size(), beta) * span * (1 - score_of_op);
      } else {
        const auto weights = depth_weights(children.size(), beta);
        for (std::size_t i = 0; i < children.size(); ++i) sum += weights[i] * moved(children[i]);
      }
      score_[k] = score_of_op + sum / span;
    }
    const double reversed = mean_depth_weight(n, beta);
    return std::min((score_[0] - reversed) / (1 - reversed), 1.0);
  }

 private:
  template <class Chain>
  double recursive(const Tree& tree, std::size_t n, double beta, const OperatorScore& op, Chain chain) {
    if (n < 2) return static_cast<double>(n);
    score_.resize(tree.nodes.size());
    for (std::size_t k = tree.nodes.size(); k-- > 0;) {
      const auto children = tree.children_of(k);
      const double score_of_op = op(tree, k);
      double sum = 0;
      std::size_t inner = 0;
      for (const std::int32_t child : children)
        if (!is_leaf(child)) {
          sum += score_[child];
          ++inner;
        }
      if (inner == 0)
        score_[k] = score_of_op;
      else if (children.size() == 2 || tree.nodes[k].kind == Kind::primal)
        score_[k] = score_of_op + (1 - beta) * (sum / static_cast<double>(inner) - score_of_op);
      else
        score_[k] = chain(children, score_of_op);
    }
    return std::clamp(score_[0], 0.0, 1.0);  // a mean of means leaves [0, 1] only by rounding
  }

  // The mean of E_i over i = 1 .. k, the raw score of <k, .., 1>. With m = k - 1 and B the
  // generating function of binary trees, it is the coefficient of x^m in 1 / (1 - 2 q B(x)) over
  // k Cat(m): a sum over depths u of (2q)^u u / (2m - u) C(2m - u, m), all terms positive.
  double mean_depth_weight(std::size_t k, double beta) {
    const auto m = static_cast<double>(k - 1);
    const double twice_q = 2 * (1 - beta);
    double term = twice_q * (m + 1) / (2 * (2 * m - 1));
    double sum = term;
    for (double u = 1; u < m; ++u) {
      term *= twice_q * ((u + 1) / u) * ((m - u) / (2 * m - u - 1));
      sum += term;
      if (term < 1e-18 * sum && u * u > 4 * m) break;  // past the peak near u = sqrt(2m), at q = 1
    }
    return sum / static_cast<double>(k);
  }

  // E_i for each child of a chain of k. With p children to the left and r to the right of i,
  //   E_i Cat(k - 1) = [x^p y^r] 1 / (1 - q (B(x) + B(y))) = integral over t > 0 of e^-t F_p(qt) F_r(qt),
  // where e^(z B(x)) = sum of F_p(z) x^p, that is F_0 = 1, F_1 = z and
  //   F_{p+2} = 2 (2p + 1) / (p + 2) F_{p+1} + z^2 / ((p + 1)(p + 2)) F_p   (all terms positive).
  // The trapezoidal rule in u, t = exp(u - exp(-u)), with steps of 1/8 is exact to about 1e-15:
  // some 100 nodes, so O(k) where a recursion over sub-chains would take O(k^3).
  std::span<const double> depth_weights(std::size_t k, double beta) {
    if (beta != weights_beta_) {
      weights_.clear();
      weights_beta_ = beta;
    }
    const bool keep = k <= 512;
    if (keep && weights_.size() <= k) weights_.resize(k + 1);
    std::vector<double>& row = keep ? weights_[k] : long_row_;
    if (keep && !row.empty()) return row;

    row.assign(k, 0);
    power_.resize(k);
    const double largest = 60 + 20 * std::sqrt(static_cast<double>(k));
    const Scaled all = catalan(static_cast<std::int64_t>(k) - 1);
    const double norm =
        std::ldexp(all.mantissa, static_cast<int>(all.exponent - 2 * static_cast<std::int64_t>(k - 1)));
    constexpr double step = 0.125;
    for (double u = -3.75;; u += step) {
      if (stop_.load(std::memory_order_relaxed)) throw Interrupted();
      const double t = std::exp(u - std::exp(-u));
      if (t > largest) break;
      powers((1 - beta) * t, t / 2);
      const double weight = step * t * (1 + std::exp(-u)) / norm;
      for (std::size_t i = 0; i < k; ++i) row[i] += weight * (power_[i] * power_[k - 1 - i]);
    }
    return row;
  }

  // power_[p] = e^-h F_p(z) / 4^p, kept in range by a running power of two.
  void powers(double z, double h) {
    constexpr int jump = 512;
    int exponent = 0;
    double scale = 1;
    // e^-h = mantissa * 2^exponent
    double last = 0, current = std::exp(-h);
    if (current < 1e-250) {
      exponent = -static_cast<int>(h / 0.6931471805599453);
      current = std::exp(-h - exponent * 0.6931471805599453);
      scale = std::ldexp(1.0, exponent);
    }
    const double quarter = z / 4, square = z * z / 16;
    for (std::size_t p = 0; p < power_.size(); ++p) {
      power_[p] = current * scale;
      const auto x = static_cast<double>(p);
      const double following =
          p == 0 ? current * quarter : (x - 0.5) / (x + 1) * current + square / (x * (x + 1)) * last;
      last = current;
      current = following;
      if (exponent < 0 && current > 0x1p512) {
        exponent += jump;
        last = std::ldexp(last, -jump);
        current = std::ldexp(current, -jump);
        scale = std::ldexp(1.0, exponent);
      }
    }
  }

  const Stop& stop_;
  std::vector<double> score_;
  std::vector<double> moved_, by_start_, by_end_, leaf_;
  std::vector<std::vector<double>> weights_;  // by k, for weights_beta_
  std::vector<double> long_row_, power_;
  double weights_beta_ = -1;
};

}  // namespace hyperbaton
