// The measures over a permutation as a flat sequence: figure 2 of Stanojević & Sima'an 2014 and two more.
//
// Each is one division of whole numbers, so that it is right to the last digit while these are
// below 2^53 (n up to about 200,000). n = 0 scores 0 and n = 1 scores 1.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

namespace hyperbaton {

using Values = std::span<const std::int32_t>;  // 0-based
using Scratch = std::vector<std::int32_t>;

// Pairs in the wrong order, by a Fenwick tree over the values seen so far: O(n log n).
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
inline double kendall(Values pi, Scratch& scratch) {
  return kendall(pi.size(), count_inversions(pi, scratch));
}

// 1 - sqrt(1 - kendall), as Moses' scorer has it.
inline double kendall_sqrt(std::size_t n, std::int64_t inversions) {
  if (n < 2) return static_cast<double>(n);
  return 1 - std::sqrt(static_cast<double>(inversions) / static_cast<double>(count_pairs(n)));
}
inline double kendall_sqrt(Values pi, Scratch& scratch) {
  return kendall_sqrt(pi.size(), count_inversions(pi, scratch));
}

// 128 bits: sums of squares pass 2^64 at n of about 3.8 million.
struct Wide {
  std::uint64_t high = 0, low = 0;

  void add(std::uint64_t x) {
    low += x;
    high += low < x;
  }
  double minus(const Wide& other) const {  // rounded once; other <= *this
    const std::uint64_t borrow = low < other.low;
    return static_cast<double>(high - other.high - borrow) * 0x1p64 + static_cast<double>(low - other.low);
  }
};

// Written as (M - S) / M with S the sum of (pi_i - i)^2 and M = (n - 1) n (n + 1) / 3 its maximum.
inline double spearman(Values pi, Scratch&) {
  const std::uint64_t n = pi.size();
  if (n < 2) return static_cast<double>(n);
  Wide squares;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t d = pi[i] - static_cast<std::int64_t>(i);
    squares.add(static_cast<std::uint64_t>(d * d));
  }
  // the product of two factors, one of them divided by 3 if it can be, times the third
  const std::uint64_t two = (n - 1) * n % 3 == 0 ? (n - 1) * n / 3 : (n - 1) * n;
  const std::uint64_t third = (n - 1) * n % 3 == 0 ? n + 1 : (n + 1) / 3;
  Wide most{(two >> 32) * third >> 32, (two >> 32) * third << 32};
  most.add((two & 0xffffffff) * third);
  return most.minus(squares) / most.minus({});
}

inline double footrule(Values pi, Scratch&) {
  const auto n = static_cast<std::int64_t>(pi.size());
  if (n < 2) return static_cast<double>(n);
  std::int64_t moved = 0;
  for (std::int64_t i = 0; i < n; ++i) moved += std::abs(pi[i] - i);
  const std::int64_t all = n * n / 2;
  return static_cast<double>(all - moved) / static_cast<double>(all);
}

inline double hamming(Values pi, Scratch&) {
  const auto n = static_cast<std::int32_t>(pi.size());
  if (n < 2) return n;
  std::int32_t fixed = 0;
  for (std::int32_t i = 0; i < n; ++i) fixed += pi[i] == i;
  return static_cast<double>(fixed) / n;
}

// LCS with the identity is the longest increasing subsequence: patience sorting, O(n log n).
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

// c, the monotone sub-permutations, are the maximal runs of values that follow one another:
// 1 - (c - 1) / (n - 1) is the share of neighbours that belong together.
inline double fuzzy(Values pi, Scratch&) {
  const std::size_t n = pi.size();
  if (n < 2) return static_cast<double>(n);
  std::size_t joined = 0;
  for (std::size_t i = 1; i < n; ++i) joined += pi[i] == pi[i - 1] + 1;
  return static_cast<double>(joined) / static_cast<double>(n - 1);
}

using FlatMeasure = double (*)(Values, Scratch&);

}  // namespace hyperbaton
