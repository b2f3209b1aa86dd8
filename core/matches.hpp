// Words and phrases of two sentences that could be linked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hyperbaton {

// Words [h, h + h_length) of the hypothesis and [r, r + r_length) of the reference.
struct Match {
  std::int32_t h, h_length, r, r_length, matcher;
};

// All matches of a pair. Equal words have equal matches, so those of single words are lists that words
// share; longer ones stand for themselves.
struct Matches {
  struct Single {
    std::int32_t r, matcher;
  };
  std::size_t n = 0, m = 0;            // words of the hypothesis and the reference
  std::vector<Single> singles;         // list after list, each by r
  std::vector<std::uint32_t> begin;    // of each list, and the end of the last
  std::vector<std::uint32_t> list_of;  // by word of the hypothesis
  std::vector<Match> phrases;          // by h

  void clear(std::size_t hypothesis, std::size_t reference) {
    n = hypothesis, m = reference;
    singles.clear();
    begin.assign(1, 0);
    list_of.assign(n, 0);
    phrases.clear();
  }
  std::span<const Single> of(std::size_t h) const {
    const std::uint32_t list = list_of[h];
    return {singles.data() + begin[list], singles.data() + begin[list + 1]};
  }
};

}  // namespace hyperbaton
