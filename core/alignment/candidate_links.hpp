// The words and phrases of two sentences that could be linked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hyperbaton {

// Links words [h, h + h_length) of the hypothesis to words [r, r + r_length) of the reference.
struct Link {
  std::int32_t h, h_length, r, r_length, matcher;
};

// All candidate links of a pair of sentences. Equal words have equal links, so words share lists of
// links between single words. Links between phrases are stored one by one.
struct CandidateLinks {
  struct WordLink {
    std::int32_t r, matcher;
  };
  std::size_t n = 0, m = 0;            // words of the hypothesis and the reference
  std::vector<WordLink> word_links;    // list after list, each sorted by r
  std::vector<std::uint32_t> begin;    // where each list begins, and the end of the last one
  std::vector<std::uint32_t> list_of;  // the list of each word of the hypothesis
  std::vector<Link> phrases;           // sorted by h

  void clear(std::size_t hypothesis_size, std::size_t reference_size) {
    n = hypothesis_size, m = reference_size;
    word_links.clear();
    begin.assign(1, 0);
    list_of.assign(n, 0);
    phrases.clear();
  }
  std::span<const WordLink> word_links_of(std::size_t h) const {
    const std::uint32_t list = list_of[h];
    return {word_links.data() + begin[list], word_links.data() + begin[list + 1]};
  }
};

}  // namespace hyperbaton
