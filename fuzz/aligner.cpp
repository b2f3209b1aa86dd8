// Fuzz target: the aligner with all matchers against the best selection by plain dynamic programming.
//
// An input has the options, the vocabulary (stems and synsets), the words of a pair, its phrases, and, if no
// matcher is used, which words are candidates.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <tuple>
#include <utility>

#include "alignment/alignment_search.hpp"
#include "alignment/word_matcher.hpp"
#include "input.hpp"
#include "interruption.hpp"
#include "support/split_mix.hpp"

using namespace hyperbaton;
using fuzz::require;

namespace {

using Words = std::vector<std::int32_t>;
using Quality = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // coverage, −chunks, −distance

auto fields(const Link& link) {
  return std::tie(link.h, link.r, link.h_length, link.r_length, link.matcher);
}

struct Lexicon {
  std::size_t words;
  bool exact;
  Words stems, synsets;
  std::vector<std::int64_t> offsets;

  // The first matcher that links two words, or -1.
  std::int32_t matcher(std::int32_t a, std::int32_t b) const {
    if (exact && a == b) return exact_match;
    if (!stems.empty() && stems[a] == stems[b]) return stem_match;
    if (offsets.empty()) return -1;
    for (auto x = offsets[a]; x < offsets[a + 1]; ++x)
      for (auto y = offsets[b]; y < offsets[b + 1]; ++y)
        if (synsets[x] == synsets[y]) return synonym_match;
    return -1;
  }
};

struct Case {
  Words hyp, ref;
  std::vector<Link> phrases;
};

Lexicon read_lexicon(fuzz::Input& input) {
  Lexicon lexicon;
  lexicon.words = 1 + input.size(11);
  const auto matchers = input.byte();
  lexicon.exact = (matchers & 1) == 0;
  const auto last = static_cast<std::int32_t>(lexicon.words) - 1;
  if (matchers & 2) lexicon.stems = input.numbers(lexicon.words, 0, last);
  if (matchers & 4) {
    lexicon.offsets.push_back(0);
    for (std::size_t word = 0; word < lexicon.words; ++word) {
      for (std::size_t k = input.size(3); k > 0; --k)
        lexicon.synsets.push_back(input.flag() ? INT32_MIN + input.byte() % 4 : input.byte() % 8);
      lexicon.offsets.push_back(static_cast<std::int64_t>(lexicon.synsets.size()));
    }
  }
  return lexicon;
}

Case read_case(fuzz::Input& input, const Lexicon& lexicon, std::size_t n, std::size_t m, bool has_phrases) {
  Case pair;
  const auto last = static_cast<std::int32_t>(lexicon.words) - 1;
  pair.hyp = input.numbers(n, 0, last);
  pair.ref = input.numbers(m, 0, last);
  if (!has_phrases || n == 0 || m == 0) return pair;
  for (std::size_t k = input.size(6); k > 0; --k) {
    const auto h = input.size(n - 1), r = input.size(m - 1);
    const auto h_length = 1 + input.size(std::min<std::size_t>(3, n - h - 1)),
               r_length = 1 + input.size(std::min<std::size_t>(3, m - r - 1));
    const auto matcher = input.number(0, matcher_count - 1);
    pair.phrases.push_back({static_cast<std::int32_t>(h), static_cast<std::int32_t>(h_length),
                            static_cast<std::int32_t>(r), static_cast<std::int32_t>(r_length),
                            static_cast<std::int32_t>(matcher)});
  }
  std::stable_sort(pair.phrases.begin(), pair.phrases.end(),
                   [](const Link& a, const Link& b) { return a.h < b.h; });
  return pair;
}

std::vector<Link> all_candidates(const Lexicon& lexicon, const Case& pair) {
  std::vector<Link> candidates = pair.phrases;
  for (std::size_t h = 0; h < pair.hyp.size(); ++h)
    for (std::size_t r = 0; r < pair.ref.size(); ++r)
      if (const auto matcher = lexicon.matcher(pair.hyp[h], pair.ref[r]); matcher >= 0)
        candidates.push_back({static_cast<std::int32_t>(h), 1, static_cast<std::int32_t>(r), 1, matcher});
  std::sort(candidates.begin(), candidates.end(),
            [](const Link& a, const Link& b) { return fields(a) < fields(b); });
  return candidates;
}

// Candidate links of any words, which no matcher would find.
CandidateLinks read_links(fuzz::Input& input, const Case& pair, bool is_large) {
  CandidateLinks links;
  links.clear(pair.hyp.size(), pair.ref.size());
  SplitMix64 random(input.byte());
  const auto density = is_large ? input.byte() : std::uint8_t{0};
  for (std::uint32_t h = 0; h < links.n; ++h) {
    const auto chosen = is_large ? std::uint8_t{0} : input.byte();
    for (std::int32_t r = 0; r < static_cast<std::int32_t>(links.m); ++r)
      if (is_large ? random.bits() % 1024 < density : chosen >> r & 1)
        links.word_links.push_back({r, static_cast<std::int32_t>(random.bits() % matcher_count)});
    links.begin.push_back(static_cast<std::uint32_t>(links.word_links.size()));
    links.list_of[h] = h;
  }
  links.phrases = pair.phrases;
  return links;
}

std::vector<Link> all_candidates(const CandidateLinks& links) {
  std::vector<Link> candidates = links.phrases;
  for (std::size_t h = 0; h < links.n; ++h)
    for (const auto& link : links.word_links_of(h))
      candidates.push_back({static_cast<std::int32_t>(h), 1, link.r, 1, link.matcher});
  std::sort(candidates.begin(), candidates.end(),
            [](const Link& a, const Link& b) { return fields(a) < fields(b); });
  return candidates;
}

Quality quality(const std::vector<Link>& links, const std::vector<std::int64_t>& weights) {
  std::int64_t coverage = 0, chunks = 0, distance = 0;
  for (const Link& link : links) {
    coverage += weights[link.matcher] * (link.h_length + link.r_length);
    distance += std::abs(link.h - link.r);
    chunks += std::none_of(links.begin(), links.end(), [&](const Link& other) {
      return other.h + other.h_length == link.h && other.r + other.r_length == link.r;
    });
  }
  return {coverage, -chunks, -distance};
}

// The quality of the best selection: by position in the hypothesis, set of taken words and end of the last
// link, if the link ends at the position. One number has all three criteria; distances and chunks are small.
Quality best_quality(const std::vector<Link>& candidates, std::size_t n, std::size_t m,
                     const std::vector<std::int64_t>& weights) {
  constexpr std::int64_t unit = 1 << 12, unreached = INT64_MIN;
  const std::size_t sets = std::size_t{1} << m, no_end = m + 1, ends = m + 2;
  std::vector<std::vector<std::int64_t>> table(n + 1, std::vector<std::int64_t>(sets * ends, unreached));
  const auto improve = [](std::int64_t& state, std::int64_t value) { state = std::max(state, value); };
  table[0][no_end] = 0;
  for (std::size_t h = 0; h < n; ++h)
    for (std::size_t taken = 0; taken < sets; ++taken)
      for (std::size_t end = 0; end < ends; ++end) {
        const std::int64_t before = table[h][taken * ends + end];
        if (before == unreached) continue;
        improve(table[h + 1][taken * ends + no_end], before);
        for (const Link& link : candidates) {
          if (link.h < static_cast<std::int32_t>(h)) continue;
          if (link.h > static_cast<std::int32_t>(h)) break;
          const std::size_t words = ((std::size_t{1} << link.r_length) - 1) << link.r;
          if (taken & words) continue;
          const std::int64_t value = weights[link.matcher] * (link.h_length + link.r_length) * unit * unit -
                                     (static_cast<std::size_t>(link.r) != end) * unit -
                                     std::abs(link.h - link.r);
          improve(table[h + static_cast<std::size_t>(link.h_length)]
                       [(taken | words) * ends + static_cast<std::size_t>(link.r + link.r_length)],
                  before + value);
        }
      }
  const std::int64_t best = *std::max_element(table[n].begin(), table[n].end());
  const std::int64_t coverage = (best + unit * unit - 1) / (unit * unit),
                     rest = coverage * unit * unit - best;
  return {coverage, -(rest / unit), -(rest % unit)};
}

void check_selection(const std::vector<Link>& links, const std::vector<Link>& candidates, const Case& pair) {
  std::vector<char> hyp(pair.hyp.size()), ref(pair.ref.size());
  for (std::size_t k = 0; k < links.size(); ++k) {
    const Link& link = links[k];
    require(k == 0 || links[k - 1].h < link.h, "links are sorted");
    require(std::binary_search(candidates.begin(), candidates.end(), link,
                               [](const Link& a, const Link& b) { return fields(a) < fields(b); }),
            "every link is a candidate");
    for (std::int32_t i = 0; i < link.h_length; ++i)
      require(!std::exchange(hyp[link.h + i], 1), "a word of the hypothesis is linked once");
    for (std::int32_t i = 0; i < link.r_length; ++i)
      require(!std::exchange(ref[link.r + i], 1), "a word of the reference is linked once");
  }
}

// The size of a maximum matching without some words, one augmenting path at a time (Kuhn).
class PlainMatching {
 public:
  PlainMatching(const std::vector<Link>& candidates, std::size_t n, std::size_t m)
      : targets_(n), mate_(m), n_(n), m_(m) {
    for (const Link& link : candidates) targets_[link.h].push_back(link.r);
  }
  std::size_t size(std::size_t without_h = SIZE_MAX, std::size_t without_r = SIZE_MAX) {
    mate_.assign(m_, -1);
    std::size_t size = 0;
    for (std::size_t h = 0; h < n_; ++h) {
      visited_.assign(m_, 0);
      if (without_r < m_) visited_[without_r] = 1;
      if (h != without_h) size += augment(h);
    }
    return size;
  }

 private:
  std::vector<Words> targets_;
  Words mate_;
  std::vector<char> visited_;
  std::size_t n_, m_;

  bool augment(std::size_t h) {
    for (const std::int32_t r : targets_[h]) {
      if (std::exchange(visited_[r], 1)) continue;
      if (mate_[r] < 0 || augment(static_cast<std::size_t>(mate_[r]))) {
        mate_[r] = static_cast<std::int32_t>(h);
        return true;
      }
    }
    return false;
  }
};

void check_graph(const CandidateLinks& links, const std::vector<Link>& candidates,
                 const std::vector<std::int64_t>& weights) {
  CandidateGraph graph;
  graph.load(links, weights);
  std::vector<Link> loaded;
  for (const Candidate& candidate : graph.candidates) loaded.push_back(candidate.link);
  std::sort(loaded.begin(), loaded.end(), [](const Link& a, const Link& b) { return fields(a) < fields(b); });
  require(std::equal(loaded.begin(), loaded.end(), candidates.begin(), candidates.end(),
                     [](const Link& a, const Link& b) { return fields(a) == fields(b); }),
          "the candidates are the words that match and the phrases");
  for (const Candidate& here : graph.candidates)
    for (std::uint32_t k = 0; k < graph.candidates.size(); ++k) {
      const Link &link = here.link, &next = graph.candidates[k].link;
      const bool follows = link.h + link.h_length == next.h && link.r + link.r_length == next.r;
      require(follows == (here.next_begin <= k && k < here.next_end), "successors start where a link ends");
    }
  if (!links.phrases.empty()) return;
  MaximumMatching matching;
  matching.run(graph);
  PlainMatching plain(candidates, links.n, links.m);
  const std::size_t size = plain.size();
  require(matching.size == size, "the matching is a maximum one");
  for (std::size_t h = 0; h < links.n; ++h)
    require(!matching.required_h[h] || plain.size(h) < size, "every maximum matching links a required h");
  for (std::size_t r = 0; r < links.m; ++r)
    require(!matching.required_r[r] || plain.size(SIZE_MAX, r) < size,
            "every maximum matching links a required r");
  const auto required = std::count(matching.required_h.begin(), matching.required_h.end(), 1) +
                        std::count(matching.required_r.begin(), matching.required_r.end(), 1);
  require(required == static_cast<std::ptrdiff_t>(size), "there are as many required words as links");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const auto mode = input.byte();
  const bool is_large = mode % 16 == 15;  // too large for all selections
  const bool has_phrases = mode & 32, has_equal_weights = mode & 64;
  const auto budget = mode & 128 ? static_cast<std::uint64_t>(input.number(0, INT64_MAX))
                                 : static_cast<std::uint64_t>(input.number(0, is_large ? 100 : 65'535));
  std::vector<std::int64_t> weights(matcher_count);
  for (auto& weight : weights)
    weight = has_equal_weights && &weight != weights.data() ? weights[0] : input.number(1, 1'000'000);
  if (!has_equal_weights && input.flag())
    for (auto& weight : weights) weight = 1 + weight % 4;  // so that different links are worth the same
  const Lexicon lexicon = read_lexicon(input);
  const std::size_t n = input.size(is_large ? 90 : 9), m = input.size(is_large ? 90 : 7);
  const Case pair = read_case(input, lexicon, n, m, has_phrases);

  const Vocabulary vocabulary(lexicon.words, lexicon.exact, lexicon.stems, lexicon.synsets, lexicon.offsets);
  WordMatcher matcher(vocabulary);
  Stop stop{false};
  AlignmentSearch search(weights, is_large ? std::min<std::uint64_t>(budget, 8000) : budget, stop);
  matcher.run(pair.hyp, pair.ref, pair.phrases);
  const bool is_matched = !(mode & 16);
  const CandidateLinks matched = is_matched ? matcher.links : read_links(input, pair, is_large);
  const auto candidates = is_matched ? all_candidates(lexicon, pair) : all_candidates(matched);
  if (candidates.size() > 700) return 0;  // it would take too long
  if (!is_large) check_graph(matched, candidates, weights);
  search.run(matched);
  check_selection(search.links, candidates, pair);
  const Quality found = quality(search.links, weights);
  if (is_large) {
    AlignmentSearch other(weights, 0, stop);
    other.run(matched);
    check_selection(other.links, candidates, pair);
    const Quality cheap = quality(other.links, weights);
    require(!search.exact || cheap <= found, "no other selection is better than an exact one");
    require(!other.exact || found <= cheap, "no other selection is better than an exact one");
    if (std::max(n, m) > 60 && pair.phrases.empty())
      require(cheap <= found, "more search gives no worse links of long lines");
    if (has_equal_weights && pair.phrases.empty())
      require(static_cast<std::int64_t>(2 * PlainMatching(candidates, n, m).size()) * weights[0] ==
                  std::get<0>(found),
              "with equal weights the coverage is that of a maximum matching");
    return 0;
  }
  const Quality best = best_quality(candidates, n, m, weights);
  require(found <= best, "no selection is better than the best");
  require(!search.exact || found == best, "an exact selection is the best");

  const auto links = search.links;
  const bool exact = search.exact;
  // The memory of the pair before, or of a search that was stopped, must not matter.
  matcher.run(pair.ref, pair.hyp, {});
  fuzz::interrupts(stop, [&] { search.run(matcher.links); });
  const auto require_same = [&](const AlignmentSearch& again) {
    require(again.exact == exact && again.links.size() == links.size() &&
                std::equal(links.begin(), links.end(), again.links.begin(),
                           [](const Link& a, const Link& b) { return fields(a) == fields(b); }),
            "links do not depend on what was aligned before, nor on threads");
  };
  search.run(matched);
  require_same(search);
  if (mode % 16 == 14)
    for_each(3, 1'000'000, 2, nullptr, [&](const Stop& threads_stop) {
      return [&, aligner = std::make_shared<AlignmentSearch>(weights, budget, threads_stop)](std::size_t) {
        aligner->run(matched);
        require_same(*aligner);
      };
    });
  return 0;
}
