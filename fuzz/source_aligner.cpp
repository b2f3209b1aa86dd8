// Fuzz target: the aligner of two languages against a plain version: the order of pairs, the Gibbs sampler,
// the posterior probabilities, the links of each symmetrization, and counts as a damaged model has them.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "input.hpp"
#include "interruption.hpp"
#include "plain_translation.hpp"
#include "support/split_mix.hpp"
#include "translation/pair_aligner.hpp"
#include "translation/training.hpp"

using namespace hyperbaton;
using fuzz::require;

namespace {

using plain::Cells, plain::Lexicons, plain::Pair, plain::Rows, plain::Words;

bool near(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b));
}

Lexicons read_lexicons(fuzz::Input& input) {
  Lexicons lexicons;
  for (std::size_t side = 0; side < 2; ++side) {
    const std::size_t words = 1 + input.size(5);
    for (std::size_t k = 0; k < words; ++k) {
      const auto text = static_cast<std::int32_t>(input.size(15));
      lexicons.text[side].push_back(text);
      // Equal words have equal beginnings.
      lexicons.prefix[side].push_back(text % 4 == 0 ? -1 : text % 5);
    }
  }
  return lexicons;
}

std::vector<Pair> read_pairs(fuzz::Input& input, const Lexicons& lexicons, std::size_t most_pairs,
                             std::size_t most_words) {
  std::vector<Pair> pairs(input.size(most_pairs));
  for (Pair& pair : pairs)
    for (std::size_t side = 0; side < 2; ++side)
      pair[side] =
          input.numbers(input.size(most_words), 0, static_cast<std::int32_t>(lexicons.text[side].size()) - 1);
  return pairs;
}

Words renumber(const Words& words, const Words& table) {
  Words renumbered;
  for (const std::int32_t word : words) renumbered.push_back(table[word]);
  return renumbered;
}

Words to_words(WordNumbers words) {
  return {words.begin(), words.end()};
}

// Fills a bitext and checks it. Returns the pairs that it keeps, in their order.
std::vector<Pair> arrange(Bitext& bitext, const std::vector<Pair>& pairs,
                          const std::array<Words, 2>& tables) {
  std::vector<Pair> kept;
  std::size_t empty = 0;
  std::set<Words> sources;
  for (const Pair& pair : pairs) {
    bitext.add(pair[0], pair[1]);
    if (pair[0].empty() || pair[1].empty()) {
      ++empty;
      continue;
    }
    sources.insert(pair[0]);
    kept.push_back({renumber(pair[0], tables[0]), renumber(pair[1], tables[1])});
  }
  const Words too_long(Bitext::max_words + 1);
  bitext.add(too_long, too_long);
  require(bitext.size() == kept.size() && bitext.empty_pairs() == empty && bitext.long_pairs() == 1,
          "pairs are kept or counted");
  require(bitext.distinct_sources() == sources.size(), "sources are told apart");
  bitext.arrange(tables[0], tables[1]);
  const auto key = [](const Pair& pair) {
    return std::tuple(plain::hash(plain::hash(0, pair[0]), pair[1]), pair[0], pair[1]);
  };
  std::sort(kept.begin(), kept.end(), [&](const Pair& a, const Pair& b) { return key(a) < key(b); });
  for (std::size_t k = 0; k < kept.size(); ++k)
    for (std::size_t side = 0; side < 2; ++side)
      require(to_words(bitext.side(side)[bitext.order()[k]]) == kept[k][side],
              "the order is that of the words");
  return kept;
}

struct Sums {
  std::map<std::pair<std::int32_t, std::int32_t>, std::uint64_t> links;
  std::vector<std::uint64_t> null_links;
  JumpCounts::Counts jumps;
  bool operator==(const Sums&) const = default;
};

Sums sums_of(const SampledCounts& counts) {
  Sums sums;
  counts.links.each(
      [&](const LinkCounts::Entry& entry) { sums.links[{entry.from, entry.to}] = entry.count; });
  sums.null_links = counts.null_links;
  sums.jumps = counts.jumps.counts();
  return sums;
}

template <class Posteriors>
Rows check_posteriors(const Posteriors& posteriors, std::size_t targets, std::size_t sources) {
  Rows rows;
  for (std::size_t j = 0; j < targets; ++j) {
    rows.push_back({posteriors.none(j)});
    for (std::size_t i = 0; i < sources; ++i) rows.back().push_back(posteriors(j, i));
    double sum = 0;
    for (const double value : rows.back()) {
      require(std::isfinite(value) && value >= 0, "posteriors are probabilities");
      sum += value;
    }
    require(near(sum, 1), "posteriors of a word add up to 1");
  }
  return rows;
}

// Probabilities of any kind, as no model gives them.
struct AnyPosteriors {
  Rows rows;
  double operator()(std::size_t j, std::size_t i) const { return rows[j][i + 1]; }
  double none(std::size_t j) const { return rows[j][0]; }
};

void check_symmetrization(const Rows& p, const Rows& r, Symmetrization method, double threshold,
                          const std::vector<WordLink>& links) {
  const Cells expected = plain::symmetrized_links(p, r, method, threshold);
  require(std::equal(links.begin(), links.end(), expected.begin(), expected.end(),
                     [](const WordLink& link, const auto& cell) {
                       return link.source == cell.first && link.target == cell.second;
                     }),
          "the links are those of the definition");
  for (const auto& [i, j, posterior] : links)
    require(posterior == (p[j][i + 1] + r[i][j + 1]) / 2, "a posterior is the mean of both directions");
}

// From 0, where all links that are possible at all are kept, to nearly 1.
double read_threshold(fuzz::Input& input) {
  return static_cast<double>(input.byte() % 100) / 100;
}

void check_any_posteriors(fuzz::Input& input) {
  const std::size_t sources = 1 + input.size(7), targets = 1 + input.size(7);
  const auto read = [&](std::size_t words, std::size_t others) {
    AnyPosteriors posteriors;
    for (std::size_t word = 0; word < words; ++word) {
      // One link stands out, as it does in most models; two bits of a byte are the weight of none.
      std::vector<double> row(others + 1, 0.125);
      const auto byte = input.byte();
      row[1 + byte / 4 % others] = 0.75;
      row[0] = byte % 4 / 3.0;
      posteriors.rows.push_back(row);
    }
    return posteriors;
  };
  const AnyPosteriors p = read(targets, sources), r = read(sources, targets);
  const Stop stop{false};
  const double threshold = read_threshold(input);
  for (const auto method : {Symmetrization::mean, Symmetrization::geometric, Symmetrization::intersection,
                            Symmetrization::grow_diag_final_and})
    check_symmetrization(p.rows, r.rows, method, threshold,
                         Symmetrizer(method, threshold, stop).links(p, r, sources, targets));
}

void check_links(fuzz::Input& input, const Lexicons& lexicons, const LinkModel& to_target,
                 const LinkModel& to_source) {
  std::array<std::vector<ModelWord>, 2> words;
  const bool is_long = input.byte() == 255;  // too long for the HMM
  for (std::size_t side = 0; side < 2; ++side) {
    const auto known = static_cast<std::int32_t>(lexicons.text[side].size());
    const std::size_t count = 1 + (is_long && side == 0 ? PairAligner::max_hmm_words : input.size(4));
    for (std::size_t k = 0; k < count; ++k) {
      const auto number = static_cast<std::int32_t>(input.number(-1, known - 1));
      const auto text = static_cast<std::int32_t>(input.size(20));
      if (number < 0)
        words[side].push_back({-1, {text, text % 4 == 0 ? -1 : text % 5}});
      else
        words[side].push_back({number, {lexicons.text[side][number], lexicons.prefix[side][number]}});
    }
  }
  const auto& [sources, targets] = words;
  Stop stop{false};
  Rows p, r;
  const JumpPower power = input.flag() ? JumpPower::half : JumpPower::three_quarters;
  if (is_long) {
    WordPosteriors one, other;
    one.find(to_target, sources, targets, stop);
    other.find(to_source, targets, sources, stop);
    p = check_posteriors(one, targets.size(), sources.size());
    r = check_posteriors(other, sources.size(), targets.size());
  } else {
    static HmmPosteriors one, other;  // their memory must not matter
    one.find(to_target, to_target.jumps(power, static_cast<int>(sources.size()) + 1), sources, targets);
    other.find(to_source, to_source.jumps(power, static_cast<int>(targets.size()) + 1), targets, sources);
    p = check_posteriors(one, targets.size(), sources.size());
    r = check_posteriors(other, sources.size(), targets.size());
    if (sources.size() * targets.size() <= 9) {
      const Rows expected = plain::posteriors(to_target, sources, targets, power);
      for (std::size_t j = 0; j < p.size(); ++j)
        for (std::size_t i = 0; i < p[j].size(); ++i)
          require(near(p[j][i], expected[j][i]), "posteriors are those of all ways to link");
    }
  }
  const auto method = static_cast<Symmetrization>(input.byte() % 4);
  const double threshold = read_threshold(input);
  const Symmetrizer symmetrizer(method, threshold, stop);
  PairAligner aligner(to_target, to_source, power, stop);
  const auto links = aligner.links(sources, targets, symmetrizer);
  check_symmetrization(p, r, method, threshold, links);
  require(near(aligner.expected_kendall(sources, targets), plain::expected_kendall(p, r)),
          "the expected order is that of the definition");
  require(aligner.links({}, targets, symmetrizer).empty() && aligner.links(sources, {}, symmetrizer).empty(),
          "no words, no links");
  require(aligner.expected_kendall({}, targets) == 0, "no words, no order");
  require(fuzz::interrupts(stop, [&] { aligner.links(sources, targets, symmetrizer); }), "a stop interrupts");
}

// Counts that no corpus has, but a file may.
SampledCounts read_counts(fuzz::Input& input, const Lexicons& lexicons, std::size_t from) {
  const auto any = [&](std::uint64_t most) {
    const auto kind = input.byte() % 4;
    if (kind == 0) return std::uint64_t{0};
    return kind == 1 ? most - input.byte() : static_cast<std::uint64_t>(input.byte());
  };
  SampledCounts counts;
  std::map<std::pair<std::int32_t, std::int32_t>, std::uint64_t> expected;
  for (std::size_t k = input.size(6); k > 0; --k) {
    const auto e = static_cast<std::int32_t>(input.size(lexicons.text[from].size() - 1)),
               f = static_cast<std::int32_t>(input.size(lexicons.text[1 - from].size() - 1));
    const auto count = static_cast<std::uint32_t>(any(UINT32_MAX));
    auto& sum = expected[{e, f}];
    try {
      counts.links.add(e, f, count);
      sum += count;
      require(sum <= UINT32_MAX, "a sum that is too large is refused");
    } catch (const std::overflow_error&) {
      require(sum + count > UINT32_MAX, "a sum that fits is not refused");
    }
    require(counts.links.count(e, f) == sum, "links are counted");
  }
  for (std::size_t k = 0; k < lexicons.text[1 - from].size(); ++k)
    counts.null_links.push_back(any(UINT64_MAX));
  JumpCounts::Counts jumps{};
  for (std::size_t k = input.size(6); k > 0; --k) jumps[input.size(jumps.size() - 1)] = any(UINT64_MAX);
  counts.jumps = JumpCounts(jumps);
  return counts;
}

// The hash table of links against a map, with removals and growth.
void check_counts(fuzz::Input& input) {
  LinkCounts counts;
  std::map<std::pair<std::int32_t, std::int32_t>, std::uint32_t> expected;
  SplitMix64 random(input.byte());
  const auto words = static_cast<std::uint64_t>(input.number(1, 60));
  const std::size_t steps = 100 * input.size(40);
  for (std::size_t k = 0; k < steps; ++k) {
    const auto from = static_cast<std::int32_t>(random.bits() % words),
               to = static_cast<std::int32_t>(random.bits() % words);
    auto& count = expected[{from, to}];
    require(counts.count(from, to) == count, "links are counted");
    if (count > 0 && random.bits() % 2) {
      counts.remove(from, to);
      --count;
    } else {
      counts.add(from, to);
      ++count;
    }
  }
  std::size_t pairs = 0;
  for (const auto& [pair, count] : expected) pairs += count > 0;
  require(counts.pairs() == pairs, "pairs are counted");
  counts.each([&](const LinkCounts::Entry& entry) {
    require(expected.at({entry.from, entry.to}) == entry.count, "each pair is there once");
  });
}

void check_training(fuzz::Input& input, const Lexicons& lexicons, bool uses_threads) {
  // With threads, many short pairs, so that there is enough work.
  auto pairs = uses_threads ? std::vector<Pair>(300, Pair{Words{0}, Words{0}})
                            : read_pairs(input, lexicons, 4, input.byte() < 16 ? 25 : 5);
  std::array<Words, 2> tables;
  for (std::size_t side = 0; side < 2; ++side)
    for (const std::int32_t number : input.permutation(lexicons.text[side].size()))
      tables[side].push_back(number - 1);
  Bitext bitext;
  const auto kept = arrange(bitext, pairs, tables);

  const auto seed = static_cast<std::uint64_t>(input.number(0, UINT32_MAX));
  const int most = uses_threads ? 4 : 2;
  const TrainingSettings settings{seed, uses_threads ? most : static_cast<int>(input.number(0, most)),
                                  uses_threads ? most : static_cast<int>(input.number(0, most)),
                                  uses_threads ? most : static_cast<int>(input.number(0, most))};
  const auto spellings = lexicons.spellings();
  if (!uses_threads) {
    const Stop stop{false};
    std::atomic<std::uint64_t> done{0};
    const std::size_t from = input.byte() & 1;
    const LexicalPrior prior(spellings[1 - from]);
    GibbsChain chain(bitext, from, spellings, prior, seed);
    plain::Chain plain_chain(kept, lexicons, from, seed);
    chain.link_at_random(stop);
    for (int iteration = 0; iteration < settings.iterations(); ++iteration) {
      chain.iterate(settings.stage(iteration), stop, done);
      plain_chain.iterate(settings.stage(iteration));
    }
    for (std::size_t k = 0; k < kept.size(); ++k) {
      const std::size_t start = bitext.side(1 - from).start(bitext.order()[k]);
      for (std::size_t j = 0; j < kept[k][1 - from].size(); ++j)
        require(chain.links()[start + j] == plain_chain.links()[k][j],
                "links are those of the plain sampler");
    }
  }

  Training training(bitext, spellings, settings);
  training.run(1, nullptr);
  require(training.done() == training.total(), "all work is reported");
  std::rotate(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(pairs.size() / 2), pairs.end());
  Bitext again;
  arrange(again, pairs, tables);
  Training other(again, spellings, settings);
  other.run(3, nullptr);
  std::array<SampledCounts, 2> counts;
  for (std::size_t from = 0; from < 2; ++from) {
    counts[from] = training.take_counts(from);
    require(sums_of(counts[from]) == sums_of(other.take_counts(from)),
            "sums do not depend on threads, nor on the order of pairs");
  }
  const LinkModel to_target(std::move(counts[0]), training.samples(), spellings[0].size(), spellings[1]);
  const LinkModel to_source(std::move(counts[1]), training.samples(), spellings[1].size(), spellings[0]);
  check_links(input, lexicons, to_target, to_source);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const auto mode = input.byte();
  if (mode % 8 == 0) {
    if (mode % 16 == 0)
      check_counts(input);
    else
      check_any_posteriors(input);
    return 0;
  }
  const Lexicons lexicons = read_lexicons(input);
  if (mode % 2 == 1) {
    const auto spellings = lexicons.spellings();
    const auto samples =
        static_cast<std::uint64_t>(input.flag() ? input.number(1, 9) : input.number(1, INT64_MAX));
    const LinkModel to_target(read_counts(input, lexicons, 0), samples, spellings[0].size(), spellings[1]);
    const LinkModel to_source(read_counts(input, lexicons, 1), samples, spellings[1].size(), spellings[0]);
    check_links(input, lexicons, to_target, to_source);
  } else {
    check_training(input, lexicons, mode == 254);
  }
  return 0;
}
