// Drops links of repeated words that lie far from the links of words that occur once.
//
// A link of two single words is an anchor if each of them occurs once in its sentence. Its shift is its
// position in the reference minus that in the hypothesis. Any other link of single words stays if its shift
// differs by at most `reach` words from that of the nearest anchor before it or after it, in the order of the
// hypothesis. Links of phrases stay, and so does every link of a pair without an anchor.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <vector>

#include "alignment/candidate_links.hpp"
#include "alignment/word_matcher.hpp"

namespace hyperbaton {

// Works on one pair after another and keeps its memory. Each thread needs its own.
class AnchoredLinks {
 public:
  // Chosen on paragraphs of five sentences each (docs/evidence.md).
  static constexpr std::int32_t reach = 12;

  explicit AnchoredLinks(const Vocabulary& vocabulary)
      : vocabulary_(&vocabulary), hyp_counts_(vocabulary.size(), 0), ref_counts_(vocabulary.size(), 0) {}

  // `links` are sorted by h.
  void filter(std::span<const std::int32_t> hypothesis, std::span<const std::int32_t> reference,
              std::vector<Link>& links) {
    if (all_are_near(links)) return;
    for (const std::int32_t word : hypothesis) ++hyp_counts_[kind(word)];
    for (const std::int32_t word : reference) ++ref_counts_[kind(word)];
    contexts_.resize(links.size());
    std::optional<std::int32_t> nearest;
    for (std::size_t k = links.size(); k-- > 0;) {
      const Link& link = links[k];
      const bool anchor = is_single(link) && hyp_counts_[kind(hypothesis[link.h])] == 1 &&
                          ref_counts_[kind(reference[link.r])] == 1;
      contexts_[k] = {anchor, nearest};
      if (anchor) nearest = shift(link);
    }
    if (nearest) drop_far_links(links);
    for (const std::int32_t word : hypothesis) hyp_counts_[kind(word)] = 0;
    for (const std::int32_t word : reference) ref_counts_[kind(word)] = 0;
  }

 private:
  struct Context {
    bool anchor;
    std::optional<std::int32_t> next;  // the shift of the nearest anchor after the link
  };
  const Vocabulary* vocabulary_;
  std::vector<std::int32_t> hyp_counts_, ref_counts_;  // by kind, all 0 between pairs
  std::vector<Context> contexts_;                      // by link

  // Words that match by their stems are one kind of word.
  std::int32_t kind(std::int32_t word) const {
    return vocabulary_->uses_stems() ? vocabulary_->stem(word) : word;
  }

  static bool is_single(const Link& link) { return link.h_length == 1 && link.r_length == 1; }
  static std::int32_t shift(const Link& link) { return link.r - link.h; }

  // Whether no two shifts differ by more than `reach`, as in most sentences: then every link stays.
  static bool all_are_near(std::span<const Link> links) {
    if (links.empty()) return true;
    const auto [least, most] = std::minmax_element(
        links.begin(), links.end(), [](const Link& a, const Link& b) { return shift(a) < shift(b); });
    return shift(*most) - shift(*least) <= reach;
  }

  void drop_far_links(std::vector<Link>& links) {
    std::optional<std::int32_t> previous;
    std::size_t kept = 0;
    for (std::size_t k = 0; k < links.size(); ++k) {
      const Link link = links[k];
      const auto near = [&](std::optional<std::int32_t> other) {
        return other && std::abs(*other - shift(link)) <= reach;
      };
      if (contexts_[k].anchor) previous = shift(link);
      if (contexts_[k].anchor || !is_single(link) || near(previous) || near(contexts_[k].next))
        links[kept++] = link;
    }
    links.resize(kept);
  }
};

}  // namespace hyperbaton
