// Fuzz target: what links say about order, against the definitions: chunks, coverage, permutations.
#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "alignment/link_order.hpp"
#include "input.hpp"

using namespace hyperbaton;
using fuzz::require;

namespace {

using Values = std::vector<std::int64_t>;

LinkSummary plain_counts(const std::vector<Link>& links, std::int64_t n, std::int64_t m) {
  std::set<std::int64_t> hyp, ref;
  std::set<std::pair<std::int64_t, std::int64_t>> starts, ends;
  for (const Link& link : links) {
    for (std::int32_t i = 0; i < link.h_length; ++i) hyp.insert(link.h + i);
    for (std::int32_t i = 0; i < link.r_length; ++i) ref.insert(link.r + i);
    starts.insert({link.h, link.r});
    ends.insert({link.h + link.h_length, link.r + link.r_length});
  }
  LinkSummary counts;
  for (const Link& link : links) counts.chunks += !ends.count({link.h, link.r});
  counts.boundaries = static_cast<std::int64_t>(starts.count({0, 0}) + ends.count({n, m}));
  counts.hyp_covered = static_cast<std::int64_t>(hyp.size());
  counts.ref_covered = static_cast<std::int64_t>(ref.size());
  return counts;
}

// The words of both sides at each place.
std::pair<Values, Values> plain_places(const std::vector<Link>& links) {
  std::pair<Values, Values> places;
  for (const Link& link : links)
    for (std::int64_t word = link.r; word < link.r + link.r_length; ++word)
      if (std::find(places.second.begin(), places.second.end(), word) == places.second.end()) {
        places.first.push_back(link.h);
        places.second.push_back(word);
      }
  return places;
}

Values plain_permutation(const Values& covered, Unaligned unaligned, std::int64_t m) {
  if (covered.empty()) return {};
  Values order = covered;
  const auto find = [&](std::int64_t word) { return std::find(order.begin(), order.end(), word); };
  if (unaligned == Unaligned::left) {
    // After the word before it, or at the beginning.
    for (std::int64_t word = 0; word < m; ++word)
      if (find(word) == order.end()) order.insert(word == 0 ? order.begin() : find(word - 1) + 1, word);
  } else if (unaligned == Unaligned::right) {
    // Before the word after it, or at the end.
    for (std::int64_t word = m; word-- > 0;)
      if (find(word) == order.end()) order.insert(word == m - 1 ? order.end() : find(word + 1), word);
  }
  Values ranks;
  for (const std::int64_t word : order)
    ranks.push_back(1 + std::count_if(order.begin(), order.end(), [&](auto other) { return other < word; }));
  return ranks;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::size_t n = 1 + input.size(15), m = 1 + input.size(15);
  std::vector<Link> links;
  for (std::size_t k = input.size(20); k > 0; --k) {
    const auto h = static_cast<std::int32_t>(input.size(n - 1)),
               r = static_cast<std::int32_t>(input.size(m - 1));
    const bool is_phrase = input.flag();
    const auto h_most = static_cast<std::int32_t>(n) - h, r_most = static_cast<std::int32_t>(m) - r;
    links.push_back({h, is_phrase ? static_cast<std::int32_t>(input.number(1, h_most)) : 1, r,
                     is_phrase ? static_cast<std::int32_t>(input.number(1, r_most)) : 1, 0});
  }
  std::sort(links.begin(), links.end(), [](const Link& a, const Link& b) {
    return std::tie(a.h, a.r, a.h_length, a.r_length) < std::tie(b.h, b.r, b.h_length, b.r_length);
  });

  static LinkOrder order;  // its memory of other pairs must not matter
  const LinkSummary counts = order.count(links, static_cast<std::int64_t>(n), static_cast<std::int64_t>(m)),
                    expected =
                        plain_counts(links, static_cast<std::int64_t>(n), static_cast<std::int64_t>(m));
  require(counts.chunks == expected.chunks, "chunks start where no link ends");
  require(counts.boundaries == expected.boundaries, "boundaries are linked once at most");
  require(counts.hyp_covered == expected.hyp_covered && counts.ref_covered == expected.ref_covered,
          "words are covered once at most");

  const auto [hyp_places, ref_places] = plain_places(links);
  Values hyp(m), ref(m), values(m);
  const std::size_t places = order.places(links, hyp, ref);
  hyp.resize(places), ref.resize(places);
  require(hyp == hyp_places && ref == ref_places, "places are in the order of the hypothesis");
  for (const Unaligned unaligned : {Unaligned::drop, Unaligned::left, Unaligned::right}) {
    values.assign(m, -1);
    values.resize(order.permutation(links, unaligned, values));
    require(values == plain_permutation(ref_places, unaligned, static_cast<std::int64_t>(m)),
            "the permutation is that of the definition");
  }
  return 0;
}
