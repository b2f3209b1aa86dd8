// Finds the phrases of two sentences that a table lists as paraphrases of each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "support/parallel.hpp"

namespace hyperbaton {

// A trie of phrases, and the pairs of its nodes that are paraphrases. Node 0 is the root. edges[k] = parent ·
// words + word leads to node k + 1; the edges ascend. The pairs of node k are other[first[k]:first[k + 1]].
// Each pair is stored at one of its two nodes.
struct ParaphraseIndex {
  std::int64_t words;
  std::span<const std::int64_t> edges;
  std::span<const std::int32_t> first, other;
};

// Words [h, h + h_length) and [r, r + r_length), and the index of the pair in `other`.
struct Paraphrase {
  std::int32_t h, h_length, r, r_length, pair;
  auto operator<=>(const Paraphrase&) const = default;
};

// Works on one pair of sentences after another. Each thread needs its own.
class ParaphraseFinder {
 public:
  explicit ParaphraseFinder(const ParaphraseIndex& index) : index_(index) {}

  std::vector<Paraphrase> found;  // sorted
  bool truncated = false;         // whether some were left out because there were too many

  // Words are given by their numbers in the table, or −1 for words that are not in it.
  void run(std::span<const std::int32_t> hypothesis, std::span<const std::int32_t> reference,
           const Stop& stop) {
    found.clear();
    truncated = false;
    find_spans(hypothesis, hyp_spans_, hyp_by_node_);
    find_spans(reference, ref_spans_, ref_by_node_);
    const double ratio =
        static_cast<double>(reference.size() + 1) / static_cast<double>(hypothesis.size() + 1);
    each_pair(hyp_spans_, ref_spans_, ref_by_node_, ratio, stop,
              [&](const Span& a, const Span& b, std::int32_t pair) {
                found.push_back({a.start, a.length, b.start, b.length, pair});
              });
    each_pair(ref_spans_, hyp_spans_, hyp_by_node_, 1 / ratio, stop,
              [&](const Span& b, const Span& a, std::int32_t pair) {
                found.push_back({a.start, a.length, b.start, b.length, pair});
              });
    std::sort(found.begin(), found.end());
  }

 private:
  struct Span {
    std::int32_t start, length, node;
  };
  using NodeSpan =
      std::pair<std::int32_t, std::uint32_t>;  // a node, and the index of a span that leads to it

  // About the largest number of paraphrases of two sentences. Sentences that repeat one word would have
  // as many as the product of their lengths.
  static constexpr std::size_t most_paraphrases = 1 << 16;

  ParaphraseIndex index_;
  std::vector<Span> hyp_spans_, ref_spans_;
  std::vector<NodeSpan> hyp_by_node_, ref_by_node_;  // spans by node, sorted
  std::vector<std::pair<const Span*, std::int32_t>> partners_;

  // Finds all phrases of a sentence that are in the trie.
  void find_spans(std::span<const std::int32_t> words, std::vector<Span>& spans,
                  std::vector<NodeSpan>& by_node) const {
    const auto size = static_cast<std::int32_t>(words.size());
    spans.clear();
    for (std::int32_t start = 0; start < size; ++start) {
      std::int64_t node = 0;
      for (std::int32_t end = start; end < size && words[end] >= 0; ++end) {
        const std::int64_t wanted = node * index_.words + words[end];
        const auto edge = std::lower_bound(index_.edges.begin() + node, index_.edges.end(), wanted);
        if (edge == index_.edges.end() || *edge != wanted) break;
        node = edge - index_.edges.begin() + 1;
        spans.push_back({start, end - start + 1, static_cast<std::int32_t>(node)});
      }
    }
    by_node.clear();
    for (std::uint32_t k = 0; k < spans.size(); ++k) by_node.push_back({spans[k].node, k});
    std::sort(by_node.begin(), by_node.end());
  }

  // Calls body(a, b, pair) for spans a of one side and b of the other that are paraphrases. If there are too
  // many b, only those nearest to the relative position of a are used. `ratio` is the length of the other
  // side divided by that of this side.
  template <class Body>
  void each_pair(const std::vector<Span>& spans, const std::vector<Span>& others,
                 const std::vector<NodeSpan>& by_node, double ratio, const Stop& stop, Body body) {
    const std::size_t limit = most_paraphrases / (spans.size() + 1) + 16;
    for (const Span& span : spans) {
      if (stop.load(std::memory_order_relaxed)) throw Interrupted();
      const std::int32_t begin = index_.first[span.node], end = index_.first[span.node + 1];
      if (begin < 0 || end > static_cast<std::int64_t>(index_.other.size()))
        throw std::invalid_argument("the paraphrase index is damaged");
      partners_.clear();
      for (std::int32_t pair = begin; pair < end; ++pair) {
        auto at = std::lower_bound(by_node.begin(), by_node.end(), NodeSpan{index_.other[pair], 0});
        for (; at != by_node.end() && at->first == index_.other[pair]; ++at)
          partners_.push_back({&others[at->second], pair});
      }
      if (partners_.size() > limit) {
        truncated = true;
        const auto expected_start = static_cast<std::int32_t>(span.start * ratio);
        const auto nearer = [&](const auto& a, const auto& b) {
          const auto distance_a = std::abs(a.first->start - expected_start),
                     distance_b = std::abs(b.first->start - expected_start);
          return std::tie(distance_a, a.first->start, a.first->length, a.second) <
                 std::tie(distance_b, b.first->start, b.first->length, b.second);
        };
        std::nth_element(partners_.begin(), partners_.begin() + static_cast<std::ptrdiff_t>(limit),
                         partners_.end(), nearer);
        partners_.resize(limit);
      }
      for (const auto& [other, pair] : partners_) body(span, *other, pair);
    }
  }
};

}  // namespace hyperbaton
