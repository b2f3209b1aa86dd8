// Permutation trees and forests as their definitions say, for short permutations: Stanojević & Sima'an
// 2014 and 2016. Values count from 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "input.hpp"
#include "permutations/permutation.hpp"

namespace plain {

using Values = std::vector<std::int32_t>;
using Span = std::pair<std::int32_t, std::int32_t>;  // positions [first, second)

inline std::int32_t lowest(const Values& pi, Span span) {
  return *std::min_element(pi.begin() + span.first, pi.begin() + span.second);
}

inline bool is_subpermutation(const Values& pi, Span span) {
  const auto highest = *std::max_element(pi.begin() + span.first, pi.begin() + span.second);
  return highest - lowest(pi, span) + 1 == span.second - span.first;
}

// The ranks of neighbouring parts, from 1.
inline Values ranks(const Values& pi, const std::vector<Span>& parts) {
  Values result;
  for (const Span& part : parts) {
    std::int32_t rank = 1;
    for (const Span& other : parts) rank += lowest(pi, other) < lowest(pi, part);
    result.push_back(rank);
  }
  return result;
}

struct Node {
  Span span;
  std::vector<Span> children;
  Values ranks;

  bool rising() const { return std::is_sorted(ranks.begin(), ranks.end()); }
  bool falling() const { return std::is_sorted(ranks.rbegin(), ranks.rend()); }
  Values operators() const {
    if (rising()) return {1, 2};
    if (falling()) return {2, 1};
    return ranks;
  }
};

// The flattened tree in pre-order: the sub-permutations of two or more words that overlap no other.
inline std::vector<Node> flat_tree(const Values& pi) {
  const auto n = static_cast<std::int32_t>(pi.size());
  std::vector<Span> all, strong;
  for (std::int32_t start = 0; start < n; ++start)
    for (std::int32_t end = n; end > start; --end)
      if (is_subpermutation(pi, {start, end})) all.push_back({start, end});
  for (const Span& a : all) {
    const bool overlaps = std::any_of(all.begin(), all.end(), [&](const Span& b) {
      return (a.first < b.first && b.first < a.second && a.second < b.second) ||
             (b.first < a.first && a.first < b.second && b.second < a.second);
    });
    if (!overlaps) strong.push_back(a);
  }
  std::vector<Node> nodes;
  for (const Span& span : strong) {  // in pre-order: by start, and longer ones first
    if (span.second - span.first < 2) continue;
    Node node{span, {}, {}};
    for (std::int32_t at = span.first; at < span.second; at = node.children.back().second) {
      const auto longest = std::find_if(strong.begin(), strong.end(), [&](const Span& part) {
        return part.first == at && part.second <= span.second && part != span;
      });
      node.children.push_back(*longest);
    }
    node.ranks = ranks(pi, node.children);
    nodes.push_back(node);
  }
  return nodes;
}

// The operators of the canonical PET: a shift-reduce parser reduces as early and as little as possible.
inline std::vector<Node> canonical_tree(const Values& pi) {
  std::vector<Span> stack;
  std::vector<Node> nodes;
  for (std::int32_t y = 0; y < static_cast<std::int32_t>(pi.size()); ++y) {
    stack.push_back({y, y + 1});
    for (std::size_t take = 2; take <= stack.size(); ++take) {
      const std::vector<Span> parts(stack.end() - static_cast<std::ptrdiff_t>(take), stack.end());
      const Span whole{parts.front().first, y + 1};
      if (!is_subpermutation(pi, whole)) continue;
      nodes.push_back({whole, parts, ranks(pi, parts)});
      stack.resize(stack.size() - take);
      stack.push_back(whole);
      take = 1;
    }
  }
  return nodes;
}

// The forest: all minimal factorizations of a span into sub-permutations.
class Forest {
 public:
  using Parts = std::vector<Span>;

  explicit Forest(const Values& pi) : pi_(pi) {}

  const std::vector<Parts>& inferences(Span span) {
    auto [at, is_new] = inferences_.try_emplace(span);
    if (!is_new || span.second - span.first < 2) return at->second;
    std::vector<Parts> shortest;
    Parts parts;
    extend(span, span.first, parts, shortest);
    return inferences_[span] = shortest;
  }

  // The number of PETs.
  double count(Span span) {
    if (span.second - span.first < 2) return 1;
    double sum = 0;
    for (const Parts& parts : std::vector<Parts>(inferences(span))) {
      double product = 1;
      for (const Span& part : parts) product *= count(part);
      sum += product;
    }
    return sum;
  }

 private:
  const Values& pi_;
  std::map<Span, std::vector<Parts>> inferences_;

  void extend(Span whole, std::int32_t at, Parts& parts, std::vector<Parts>& shortest) {
    if (!shortest.empty() && parts.size() > shortest.front().size()) return;
    if (at == whole.second) {
      if (!shortest.empty() && parts.size() < shortest.front().size()) shortest.clear();
      shortest.push_back(parts);
      return;
    }
    for (std::int32_t end = whole.second; end > at; --end) {
      const Span part{at, end};
      if (part == whole || !is_subpermutation(pi_, part)) continue;
      parts.push_back(part);
      extend(whole, end, parts, shortest);
      parts.pop_back();
    }
  }
};

// Reads a permutation from an input: any, or one with many sub-permutations, made by reversing runs.
inline hyperbaton::Permutation read_permutation(fuzz::Input& input, std::size_t most) {
  const std::size_t n = input.size(most);
  std::vector<std::int32_t> values;
  if (input.flag()) {
    values = input.permutation(n);
  } else {
    for (std::size_t k = 0; k < n; ++k) values.push_back(static_cast<std::int32_t>(k) + 1);
    for (std::size_t turns = n == 0 ? 0 : input.size(8); turns > 0; --turns) {
      const std::size_t start = input.size(n - 1), length = input.size(n - start);
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(start);
      const auto last = first + static_cast<std::ptrdiff_t>(length);
      input.flag()
          ? std::reverse(first, last)
          : static_cast<void>(std::rotate(
                first, first + static_cast<std::ptrdiff_t>(length == 0 ? 0 : input.size(length - 1)), last));
    }
  }
  hyperbaton::Permutation pi;
  pi.load(std::span<const std::int32_t>(values));
  return pi;
}

}  // namespace plain
