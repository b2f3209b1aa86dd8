// Which parts of two sentences a table has as paraphrases of each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "multimap.hpp"

namespace hyperbaton {

// A trie of phrases, and the pairs of its nodes. Node 0 is the root; edges[k] = parent · words + word leads
// to node k + 1, and they ascend. The pairs that node k holds are at first[k]:first[k + 1] in `other`; each
// is held by one of its two nodes.
struct ParaphraseIndex {
  std::int64_t words;
  std::span<const std::int64_t> edges;
  std::span<const std::int32_t> first, other;
};

// Words [h, h + h_length) and [r, r + r_length), and the place of the pair in `other`.
struct Paraphrase {
  std::int32_t h, h_length, r, r_length, pair;
  auto operator<=>(const Paraphrase&) const = default;
};

// Works on one pair of sentences after another. One for each thread.
class ParaphraseFinder {
 public:
  explicit ParaphraseFinder(const ParaphraseIndex& index) : index_(index) {}

  std::vector<Paraphrase> found;  // in order

  // Words by their numbers in the table; those that are not in it are −1.
  void run(std::span<const std::int32_t> hypothesis, std::span<const std::int32_t> reference) {
    found.clear();
    find_spans(hypothesis, hyp_, in_hyp_);
    find_spans(reference, ref_, in_ref_);
    each_pair(hyp_, in_ref_, [&](const Span& a, std::uint32_t b, std::int32_t pair) {
      found.push_back({a.start, a.length, ref_[b].start, ref_[b].length, pair});
    });
    each_pair(ref_, in_hyp_, [&](const Span& b, std::uint32_t a, std::int32_t pair) {
      found.push_back({hyp_[a].start, hyp_[a].length, b.start, b.length, pair});
    });
    std::sort(found.begin(), found.end());
  }

 private:
  struct Span {
    std::int32_t start, length, node;
  };
  ParaphraseIndex index_;
  std::vector<Span> hyp_, ref_;
  Multimap in_hyp_, in_ref_;  // spans by node

  // All parts of a sentence that are in the trie.
  void find_spans(std::span<const std::int32_t> words, std::vector<Span>& spans, Multimap& by_node) const {
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
    by_node.clear(spans.size());
    for (std::uint32_t k = 0; k < spans.size(); ++k) by_node.add(spans[k].node, k);
  }

  template <class Body>
  void each_pair(const std::vector<Span>& spans, const Multimap& others, Body body) const {
    for (const Span& span : spans) {
      const std::int32_t begin = index_.first[span.node], end = index_.first[span.node + 1];
      if (begin < 0 || end > static_cast<std::int64_t>(index_.other.size()))
        throw std::invalid_argument("the index of paraphrases is damaged");
      for (std::int32_t pair = begin; pair < end; ++pair)
        others.each(index_.other[pair], [&](std::uint32_t other) { body(span, other, pair); });
    }
  }
};

}  // namespace hyperbaton
