// The measures of a permutation as a sequence: figure 2 of Stanojević & Sima'an 2014 and two more.
//
// Each measure is one division of integers, so that it is correctly rounded while these are below
// 2^53 (n up to about 200,000). n = 0 scores 0 and n = 1 scores 1.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

namespace hyperbaton {

using Values = std::span<const std::int32_t>;  // counted from 0
using Scratch = std::vector<std::int32_t>;     // memory that a measure may use

// The number of pairs in the wrong order, by a Fenwick tree over the values so far: O(n log n).
inline std::int64_t count_inversions(Values pi, Scratch& tree) {
  const auto n = static_cast<std::int32_t>(pi.size());
  tree.assign(pi.size() + 1, 0);
  std::int64_t inversions = 0;
  for (std::int32_t i = 0; i < n; ++i) {
    std::int32_t smaller_before = 0;
    for (std::int32_t k = pi[i]; k > 0; k &= k - 1) smaller_before += tree[k];
    inversions += i - smaller_before;
    for (std::int32_t k = pi[i] + 1; k <= n; k += k & -k) ++tree[k];
  }
  return inversions;
}

inline std::int64_t count_pairs(std::size_t n) {
  return static_cast<std::int64_t>(n) * (static_cast<std::int64_t>(n) - 1) / 2;
}

inline double kendall(std::size_t n, std::int64_t inversions) {
  if (n < 2) return static_cast<double>(n);
  const std::int64_t pairs = count_pairs(n);
  return static_cast<double>(pairs - inversions) / static_cast<double>(pairs);
}

// 1 - sqrt(1 - kendall), as Moses' scorer computes it.
inline double kendall_sqrt(std::size_t n, std::int64_t inversions) {
  if (n < 2) return static_cast<double>(n);
  return 1 - std::sqrt(static_cast<double>(inversions) / static_cast<double>(count_pairs(n)));
}

// A 128-bit integer: sums of squares exceed 2^64 at n of about 3.8 million.
struct WideInteger {
  std::uint64_t high = 0, low = 0;

  void add(std::uint64_t x) {
    low += x;
    high += low < x;
  }
  // The difference, rounded once. Needs other <= *this.
  double minus(const WideInteger& other) const {
    const std::uint64_t borrow = low < other.low;
    return static_cast<double>(high - other.high - borrow) * 0x1p64 + static_cast<double>(low - other.low);
  }
};

// (M - S) / M, with S the sum of (pi_i - i)^2 and M = (n - 1) n (n + 1) / 3 its maximum.
inline double spearman(Values pi) {
  const std::uint64_t n = pi.size();
  if (n < 2) return static_cast<double>(n);
  WideInteger squares;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t d = pi[i] - static_cast<std::int64_t>(i);
    squares.add(static_cast<std::uint64_t>(d * d));
  }
  // M is the product of two factors, divided by 3 if possible, and the third factor.
  const std::uint64_t two = (n - 1) * n % 3 == 0 ? (n - 1) * n / 3 : (n - 1) * n;
  const std::uint64_t third = (n - 1) * n % 3 == 0 ? n + 1 : (n + 1) / 3;
  WideInteger maximum{(two >> 32) * third >> 32, (two >> 32) * third << 32};
  maximum.add((two & 0xffffffff) * third);
  return maximum.minus(squares) / maximum.minus({});
}

inline double footrule(Values pi) {
  const auto n = static_cast<std::int64_t>(pi.size());
  if (n < 2) return static_cast<double>(n);
  std::int64_t distance = 0;
  for (std::int64_t i = 0; i < n; ++i) distance += std::abs(pi[i] - i);
  const std::int64_t maximum = n * n / 2;
  return static_cast<double>(maximum - distance) / static_cast<double>(maximum);
}

inline double hamming(Values pi) {
  const auto n = static_cast<std::int32_t>(pi.size());
  if (n < 2) return n;
  std::int32_t fixed = 0;
  for (std::int32_t i = 0; i < n; ++i) fixed += pi[i] == i;
  return static_cast<double>(fixed) / n;
}

// The LCS with the identity is the longest increasing subsequence: patience sorting, O(n log n).
inline double ulam(Values pi, Scratch& tails) {
  const std::size_t n = pi.size();
  if (n < 2) return static_cast<double>(n);
  tails.clear();
  for (const std::int32_t v : pi) {
    if (tails.empty() || tails.back() < v)
      tails.push_back(v);
    else
      *std::lower_bound(tails.begin(), tails.end(), v) = v;
  }
  return static_cast<double>(tails.size() - 1) / static_cast<double>(n - 1);
}

// 1 - (c - 1) / (n - 1), with c the number of maximal runs of consecutive values. This is the share
// of neighbours that are consecutive values.
inline double fuzzy(Values pi) {
  const std::size_t n = pi.size();
  if (n < 2) return static_cast<double>(n);
  std::size_t consecutive = 0;
  for (std::size_t i = 1; i < n; ++i) consecutive += pi[i] == pi[i - 1] + 1;
  return static_cast<double>(consecutive) / static_cast<double>(n - 1);
}

// 1 - b / (n + 1), with b the number of neighbours in <0, pi, n + 1> that are not consecutive values.
inline double breakpoints(Values pi) {
  const std::size_t n = pi.size();
  if (n == 0) return 0;
  std::size_t consecutive = (pi.front() == 0) + (pi.back() == static_cast<std::int32_t>(n) - 1);
  for (std::size_t i = 1; i < n; ++i) consecutive += pi[i] == pi[i - 1] + 1;
  return static_cast<double>(consecutive) / static_cast<double>(n + 1);
}

}  // namespace hyperbaton
