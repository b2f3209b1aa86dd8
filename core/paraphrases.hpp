// Which parts of two sentences a table has as paraphrases of each other.
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

#include "parallel.hpp"

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
  bool cut = false;               // whether there were too many, and some are left out

  // Words by their numbers in the table; those that are not in it are −1.
  void run(std::span<const std::int32_t> hypothesis, std::span<const std::int32_t> reference,
           const Stop& stop) {
    found.clear();
    cut = false;
    find_spans(hypothesis, hyp_, in_hyp_);
    find_spans(reference, ref_, in_ref_);
    const double ratio =
        static_cast<double>(reference.size() + 1) / static_cast<double>(hypothesis.size() + 1);
    each_pair(hyp_, ref_, in_ref_, ratio, stop, [&](const Span& a, const Span& b, std::int32_t pair) {
      found.push_back({a.start, a.length, b.start, b.length, pair});
    });
    each_pair(ref_, hyp_, in_hyp_, 1 / ratio, stop, [&](const Span& b, const Span& a, std::int32_t pair) {
      found.push_back({a.start, a.length, b.start, b.length, pair});
    });
    std::sort(found.begin(), found.end());
  }

 private:
  struct Span {
    std::int32_t start, length, node;
  };
  using Place = std::pair<std::int32_t, std::uint32_t>;  // a node, and a span that leads to it

  // So many of two sentences, about: texts of one word repeated would have as many as words times words.
  static constexpr std::size_t most = 1 << 16;

  ParaphraseIndex index_;
  std::vector<Span> hyp_, ref_;
  std::vector<Place> in_hyp_, in_ref_;  // spans by node, sorted
  std::vector<std::pair<const Span*, std::int32_t>> some_;

  // All parts of a sentence that are in the trie.
  void find_spans(std::span<const std::int32_t> words, std::vector<Span>& spans,
                  std::vector<Place>& by_node) const {
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

  // body(a, b, pair) for spans a of one side and b of the other that are paraphrases; of very many b those
  // that are nearest to where a would be, `ratio` being the lengths' of the other side to this one.
  template <class Body>
  void each_pair(const std::vector<Span>& spans, const std::vector<Span>& others,
                 const std::vector<Place>& by_node, double ratio, const Stop& stop, Body body) {
    const std::size_t limit = most / (spans.size() + 1) + 16;
    for (const Span& span : spans) {
      if (stop.load(std::memory_order_relaxed)) throw Interrupted();
      const std::int32_t begin = index_.first[span.node], end = index_.first[span.node + 1];
      if (begin < 0 || end > static_cast<std::int64_t>(index_.other.size()))
        throw std::invalid_argument("the index of paraphrases is damaged");
      some_.clear();
      for (std::int32_t pair = begin; pair < end; ++pair) {
        auto at = std::lower_bound(by_node.begin(), by_node.end(), Place{index_.other[pair], 0});
        for (; at != by_node.end() && at->first == index_.other[pair]; ++at)
          some_.push_back({&others[at->second], pair});
      }
      if (some_.size() > limit) {
        cut = true;
        const auto there = static_cast<std::int32_t>(span.start * ratio);
        const auto nearer = [&](const auto& a, const auto& b) {
          const auto far_a = std::abs(a.first->start - there), far_b = std::abs(b.first->start - there);
          return std::tie(far_a, a.first->start, a.first->length, a.second) <
                 std::tie(far_b, b.first->start, b.first->length, b.second);
        };
        std::nth_element(some_.begin(), some_.begin() + static_cast<std::ptrdiff_t>(limit), some_.end(),
                         nearer);
        some_.resize(limit);
      }
      for (const auto& [other, pair] : some_) body(span, *other, pair);
    }
  }
};

}  // namespace hyperbaton
