// PETscore and PEFscore: recursive scores of permutation trees and forests, computed on the
// flattened tree.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "permutations/catalan.hpp"
#include "permutations/tree.hpp"
#include "support/parallel.hpp"

namespace hyperbaton {

// opScore: 1 for <1,2>, gamma for <2,1>, else 0. Alternatively a score of each node's operator that
// the caller has computed, in pre-order.
struct OperatorScore {
  double gamma = 0;
  std::span<const double> scores{};

  double operator()(const PermutationTree& tree, std::size_t k) const {
    if (!scores.empty()) return scores[k];
    switch (tree.nodes[k].kind) {
      case OperatorKind::rising:
        return 1;
      case OperatorKind::falling:
        return gamma;
      default:
        return 0;
    }
  }
};

inline constexpr double default_beta = 0.6;

// Computes a score for every node, children before parents, and returns the score of the root. A
// primal node averages over its children. pet, pef and pef_beer differ in how they score a chain.
// pet and pef are figure 6 of Stanojević & Sima'an 2014.
class RecursiveScores {
 public:
  explicit RecursiveScores(const Stop& stop) : stop_(stop) {}

  // beta op + (1 - beta) x is always computed as op + (1 - beta) (x - op): if x equals opScore, the
  // score is exactly opScore, without a rounding error.

  // phi_node with one inference, the canonical one: a left-branching chain, prefix by prefix.
  double pet(const PermutationTree& tree, std::size_t n, double beta, const OperatorScore& op) {
    return score_tree(tree, n, beta, op, [&](std::span<const std::int32_t> children, double op_score) {
      // The prefix so far: its score minus opScore, and whether it is more than a leaf.
      bool inner = !is_leaf(children[0]);
      double gain = inner ? score_[children[0]] - op_score : 0;
      for (const std::int32_t child : children.subspan(1)) {
        double mean = gain;
        if (!is_leaf(child)) {
          const double other = score_[child] - op_score;
          mean = inner ? (gain + other) / 2 : other;
        }
        gain = (1 - beta) * mean;  // two leaves: 0
        inner = true;
      }
      return op_score + gain;
    });
  }

  // phi_node with all inferences. All splits of the sub-chain a..b, of length L, have the same
  // weight, and a split scores the mean of its sides that are not leaves. So with g = phi - op, and
  // g = 0 for a leaf,
  //   g(a, b) = (1 - beta) / (2 (L - 1)) * (  sum of g(a, m), m < b,  +  sum of g(m, b), m > a
  //                                         + g(a + 1, b) if a is a leaf
  //                                         + g(a, b - 1) if b is a leaf).
  // The sums over m are updated as L grows, so a chain of k children takes O(k^2) time and O(k)
  // memory. A chain of leaves has g = 0: it scores opScore.
  double pef(const PermutationTree& tree, std::size_t n, double beta, const OperatorScore& op) {
    return score_tree(tree, n, beta, op, [&](std::span<const std::int32_t> children, double op_score) {
      const std::size_t k = children.size();
      gain_.resize(k);
      leaf_.resize(k);
      for (std::size_t a = 0; a < k; ++a) {
        leaf_[a] = is_leaf(children[a]);
        gain_[a] = is_leaf(children[a]) ? 0 : score_[children[a]] - op_score;
      }
      sum_by_start_ = gain_;
      sum_by_end_ = gain_;
      for (std::size_t length = 2; length <= k; ++length) {
        if (stop_.load(std::memory_order_relaxed)) throw Interrupted();
        const double share = (1 - beta) / (2 * static_cast<double>(length - 1));
        double* const g = gain_.data();  // g[a] becomes g(a, a + length - 1)
        double* const start = sum_by_start_.data();
        double* const end = sum_by_end_.data() + (length - 1);
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
      return op_score + gain_[0];
    });
  }

  // The variant in the authors' released code, BEER 1.1. Every node scores beta op + (1 - beta) *
  // mean over all children, weighted by their spans, where leaves score 1. This is averaged over all
  // PETs and scaled so that <n, .., 1> scores 0.
  //
  // Take a child i of a chain at depth D in one binarization, and q = 1 - beta. It contributes to the
  // chain's score, weighted by its span, q^D of its own score plus (1 - q^D) of opScore. So
  //   score = op + sum over i of E_i * span_i / span * (score_i - op),  E_i = mean of q^D
  // over all binary trees with k leaves; see depth_weights().
  double pef_beer(const PermutationTree& tree, std::size_t n, double beta) {
    if (n < 2) return static_cast<double>(n);
    const OperatorScore op{};
    score_.resize(tree.nodes.size());
    for (std::size_t k = tree.nodes.size(); k-- > 0;) {
      const PermutationTreeNode& node = tree.nodes[k];
      const auto children = tree.children_of(k);
      const double op_score = op(tree, k);
      const double span = node.end - node.start;
      auto gain = [&](std::int32_t child) {  // span times (score - op)
        return is_leaf(child)
                   ? 1 - op_score
                   : (tree.nodes[child].end - tree.nodes[child].start) * (score_[child] - op_score);
      };
      double sum = 0;
      if (node.kind == OperatorKind::primal) {
        for (const std::int32_t child : children) sum += gain(child);
        sum *= 1 - beta;
      } else if (static_cast<double>(children.size()) == span) {
        sum = op_score == 1 ? 0 : mean_depth_weight(children.size(), beta) * span * (1 - op_score);
      } else {
        const auto weights = depth_weights(children.size(), beta);
        for (std::size_t i = 0; i < children.size(); ++i) sum += weights[i] * gain(children[i]);
      }
      score_[k] = op_score + sum / span;
    }
    const double reversed = mean_depth_weight(n, beta);
    return std::min((score_[0] - reversed) / (1 - reversed), 1.0);
  }

 private:
  template <class ScoreChain>
  double score_tree(const PermutationTree& tree, std::size_t n, double beta, const OperatorScore& op,
                    ScoreChain score_chain) {
    if (n < 2) return static_cast<double>(n);
    score_.resize(tree.nodes.size());
    for (std::size_t k = tree.nodes.size(); k-- > 0;) {
      const auto children = tree.children_of(k);
      const double op_score = op(tree, k);
      double sum = 0;
      std::size_t inner = 0;
      for (const std::int32_t child : children)
        if (!is_leaf(child)) {
          sum += score_[child];
          ++inner;
        }
      if (inner == 0)
        score_[k] = op_score;
      else if (children.size() == 2 || tree.nodes[k].kind == OperatorKind::primal)
        score_[k] = op_score + (1 - beta) * (sum / static_cast<double>(inner) - op_score);
      else
        score_[k] = score_chain(children, op_score);
    }
    return std::clamp(score_[0], 0.0, 1.0);  // outside [0, 1] only by rounding
  }

  // The mean of E_i over i = 1 .. k, which is the raw score of <k, .., 1>. With m = k - 1 and B the
  // generating function of binary trees, it is the coefficient of x^m in 1 / (1 - 2 q B(x)), divided
  // by k Cat(m): a sum over depths u of (2q)^u u / (2m - u) C(2m - u, m). All terms are positive.
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
  // The trapezoidal rule in u, with t = exp(u - exp(-u)) and steps of 1/8, is exact to about 1e-15.
  // It has about 100 nodes, so this takes O(k), where a recursion over sub-chains takes O(k^3).
  std::span<const double> depth_weights(std::size_t k, double beta) {
    if (beta != weights_beta_) {
      weights_.clear();
      weights_beta_ = beta;
    }
    const bool keep = k <= 512;
    if (keep && weights_.size() <= k) weights_.resize(k + 1);
    if (keep && !weights_[k].empty()) return weights_[k];

    std::vector<double>& row = row_;  // kept only when it is complete: a stop may interrupt this
    row.assign(k, 0);
    power_.resize(k);
    const double largest = 60 + 20 * std::sqrt(static_cast<double>(k));
    const ScaledNumber all = catalan(static_cast<std::int64_t>(k) - 1);
    const double norm =
        std::ldexp(all.mantissa, static_cast<int>(all.exponent - 2 * static_cast<std::int64_t>(k - 1)));
    constexpr double step = 0.125;
    for (double u = -3.75;; u += step) {
      if (stop_.load(std::memory_order_relaxed)) throw Interrupted();
      const double t = std::exp(u - std::exp(-u));
      if (t > largest) break;
      compute_powers((1 - beta) * t, t / 2);
      const double weight = step * t * (1 + std::exp(-u)) / norm;
      for (std::size_t i = 0; i < k; ++i) row[i] += weight * (power_[i] * power_[k - 1 - i]);
    }
    if (keep) return weights_[k] = row;
    return row;
  }

  // Computes power_[p] = e^-h F_p(z) / 4^p, kept in range by a running power of two.
  void compute_powers(double z, double h) {
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
  std::vector<double> gain_, sum_by_start_, sum_by_end_, leaf_;
  std::vector<std::vector<double>> weights_;  // by k, for weights_beta_
  std::vector<double> row_, power_;
  double weights_beta_ = -1;
};

}  // namespace hyperbaton
