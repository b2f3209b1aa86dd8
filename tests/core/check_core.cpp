// Runs the algorithms of the core on fixed cases, without Python, on any system that has a C++ compiler.
//
//   check_core tests/core/cases.tsv
//
// Prints every value, numbers with all their bits, so that the outputs of two systems can be compared byte by
// byte. The status is 1 if a value differs from the expected one, which the naive twins have computed.
#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "alignment/alignment_search.hpp"
#include "alignment/mutual_links.hpp"
#include "alignment/word_matcher.hpp"
#include "cyk.hpp"
#include "edit/cder.hpp"
#include "edit/inversion_distance.hpp"
#include "ngrams/bleu.hpp"
#include "ngrams/chrf.hpp"
#include "permutations/binarization.hpp"
#include "permutations/measures.hpp"
#include "softorder/order_statistics.hpp"
#include "softorder/pair_counter.hpp"
#include "softorder/precedence.hpp"
#include "support/exact_sum.hpp"
#include "support/resampling.hpp"
#include "support/split_mix.hpp"
#include "text/tokenizer_13a.hpp"
#include "trees/tree_edit_distance.hpp"

namespace {

using namespace hyperbaton;
using Fields = std::vector<std::string>;
using Tokens = std::vector<std::int32_t>;

const Stop never{false};
constexpr std::uint64_t budget = 1'000'000'000;

Fields split(const std::string& text, char separator) {
  Fields fields;
  std::istringstream stream(text);
  for (std::string field; std::getline(stream, field, separator);)
    if (separator != ' ' || !field.empty()) fields.push_back(field);
  if (separator == '\t' && text.ends_with('\t')) fields.emplace_back();
  return fields;
}

template <class Number>
std::vector<Number> numbers(const std::string& text) {
  std::vector<Number> out;
  for (const std::string& field : split(text, ' ')) {
    if constexpr (std::is_floating_point_v<Number>)
      out.push_back(std::strtod(field.c_str(), nullptr));
    else
      out.push_back(static_cast<Number>(std::strtoull(field.c_str(), nullptr, 10)));
  }
  return out;
}

template <class Numbers>
std::string join(const Numbers& values) {
  std::string out;
  for (const auto& value : values) out += (out.empty() ? "" : " ") + std::to_string(value);
  return out;
}

// Numbers the words of all sentences of a case.
class WordNumbers {
 public:
  std::vector<std::string> words;

  Tokens operator()(const std::string& sentence) {
    Tokens out;
    for (const std::string& word : split(sentence, ' ')) {
      const auto [at, is_new] = numbers_.try_emplace(word, static_cast<std::int32_t>(words.size()));
      if (is_new) words.push_back(word);
      out.push_back(at->second);
    }
    return out;
  }

 private:
  std::map<std::string, std::int32_t> numbers_;
};

// What an algorithm returns: a number with a fraction, or a text.
struct Value {
  std::string text;
  double number = 0;
  bool is_number = false;

  Value(double value) : number(value), is_number(true) {}
  Value(std::string value) : text(std::move(value)) {}

  std::string written() const {
    if (!is_number) return text;
    char bits[64];
    std::snprintf(bits, sizeof bits, "%016" PRIx64 " %.9f", std::bit_cast<std::uint64_t>(number), number);
    return bits;
  }
  bool is(const std::string& expected) const {
    if (!is_number) return text == expected;
    const double wanted = std::strtod(expected.c_str(), nullptr);
    return std::fabs(number - wanted) <= 1e-12 * std::fmax(1, std::fabs(wanted));
  }
};

Permutation permutation(const std::string& text) {
  Permutation pi;
  const Tokens values = numbers<std::int32_t>(text);
  pi.load(std::span<const std::int32_t>(values));
  return pi;
}

Value canonical_operators(const Fields& given) {
  const Permutation pi = permutation(given[1]);
  PermutationTreeBuilder builder;
  const PermutationTree tree = binarize(pi, builder.build(pi), {});
  std::string out;
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    Tokens op;
    append_operator(pi, tree, k, op);
    out += (k == 0 ? "" : ",") + join(op);
  }
  return out;
}

std::uint64_t inversion_cost(const Tokens& s, const Tokens& t) {
  InversionSolver solver(never);
  solver.load(s, t, {1, 1, 1, 1});
  const Bounds bounds = solver.distance(budget);
  const Parse parse = solver.parse(budget);
  if (bounds.lower != bounds.upper || parse.cost != bounds.upper)
    throw std::runtime_error("the parse does not have the distance as its cost");
  return bounds.upper;
}

Value inversion_distance(const Fields& given) {
  WordNumbers number;
  const Tokens s = number(given[1]), t = number(given[2]);
  return std::to_string(inversion_cost(s, t));
}

Value cder(const Fields& given) {
  WordNumbers number;
  const Tokens hyp = number(given[1]), ref = number(given[2]);
  return std::to_string(Cder()(hyp, ref, never));
}

// Covered words, minus the chunks, minus the distance of the links.
Value alignment(const Fields& given) {
  WordNumbers number;
  const Tokens hyp = number(given[1]), ref = number(given[2]);
  const Vocabulary vocabulary(number.words.size(), true, {}, {}, {});
  WordMatcher matcher(vocabulary);
  matcher.run(hyp, ref, {});
  AlignmentSearch search(std::vector<std::int64_t>(matcher_count, 1), 1000, never);
  search.run(matcher.links);
  std::int64_t covered = 0, chunks = 0, distance = 0;
  for (std::size_t k = 0; k < search.links.size(); ++k) {
    const Link& link = search.links[k];
    covered += link.h_length + link.r_length;
    distance += std::abs(link.h - link.r);
    chunks += k == 0 || link.h != search.links[k - 1].h + 1 || link.r != search.links[k - 1].r + 1;
  }
  return join(std::vector<std::int64_t>{covered, -chunks, -distance});
}

Value mutual_links(const Fields& given) {
  std::vector<std::vector<double>> rows;
  for (const std::string& row : split(given[1], '|')) rows.push_back(numbers<double>(row));
  const auto weights = numbers<double>(given[3]);
  Tokens links(rows.size());
  MutualLinker({weights[0], weights[1], weights[2]})(
      rows.size(), numbers<std::size_t>(given[2])[0],
      [&](std::size_t i, std::span<double> row) { std::copy(rows[i].begin(), rows[i].end(), row.begin()); },
      links, never);
  std::string out;
  for (std::size_t i = 0; i < links.size(); ++i)
    if (links[i] >= 0) out += (out.empty() ? "" : " ") + std::to_string(i) + "-" + std::to_string(links[i]);
  return out;
}

// X, without precedence.
Value lost_words(const Fields& given) {
  WordNumbers number;
  const Tokens hyp = number(given[1]), ref = number(given[2]);
  Tokens characters;
  std::vector<std::int64_t> offsets{0};
  for (const std::string& word : number.words) {
    characters.insert(characters.end(), word.begin(), word.end());
    offsets.push_back(static_cast<std::int64_t>(characters.size()));
  }
  WordWeights weights;
  const WordCharacters words{characters, offsets, 1};
  return OrderComparison(words, {0.1, 0.5, 0.5}, weights)(hyp, ref, true, never).lost;
}

Value precedence(const Fields& given) {
  WordNumbers number;
  PairCounter counter;
  for (const std::string& line : split(given[1], '|')) counter.add(number(line));
  const std::size_t words = number.words.size();
  Tokens same(words + 2);  // words keep their numbers, and each of them is a class
  for (std::size_t k = 0; k < same.size(); ++k) same[k] = static_cast<std::int32_t>(k);
  std::vector<std::int64_t> counts = counter.word_counts();
  const auto lines = static_cast<std::int64_t>(split(given[1], '|').size());
  counts.insert(counts.end(), 2, lines);
  const CountedPairs next = counter.take_table(1, same, words), after = counter.take_table(2, same, words);
  const PrecedenceModel model(counts, {next.offsets, next.followers, next.counts},
                              {after.offsets, after.followers, after.counts}, same, same.size());
  PairCache cache;
  const Tokens hyp = number(given[2]), ref = number(given[3]);
  return Precedence(model, 1, same, cache)(hyp, ref);
}

Value statistics(const std::vector<double>& counts) {
  return join(std::vector<std::int64_t>(counts.begin(), counts.end()));
}

Value bleu_statistics(const Fields& given) {
  WordNumbers number;
  std::vector<Tokens> references;
  for (const std::string& line : split(given[2], '|')) references.push_back(number(line));
  const std::vector<std::span<const Symbol>> views(references.begin(), references.end());
  BleuCounter counter(static_cast<std::size_t>(std::stoi(given[3])));
  std::vector<double> counts(counter.statistics());
  counter(counter.prepare(views), number(given[1]), never, counts.data());
  return statistics(counts);
}

Value chrf_statistics(const Fields& given) {
  const auto lengths = numbers<std::size_t>(given[3]);
  const ChrfOptions options{lengths[0], lengths[1], lengths[2] == 1, 2, true};
  StringNumbers words;
  for_each_chrf_word(given[2], [&](std::string_view word) { words.add(word); });
  ChrfCounter counter(options, words);
  const ChrfReference reference = counter.prepare(given[2]);
  std::vector<double> counts(options.statistics());
  counter({&reference, 1}, given[1], never, counts.data());
  return statistics(counts);
}

Value tree_distance(const Fields& given) {
  const Tokens a = numbers<std::int32_t>(given[1]), b = numbers<std::int32_t>(given[2]);
  DependencyTree from, to;
  from.load(std::span<const std::int32_t>(a));
  to.load(std::span<const std::int32_t>(b));
  const auto matches = static_cast<std::size_t>(TreeEdit<UnitSavings>(never).most_saved(from, to, {}));
  return std::to_string(a.size() + b.size() - matches);
}

template <void draw(std::uint64_t, std::uint64_t, std::span<std::int32_t>)>
Value draws(const Fields& given) {
  const auto settings = numbers<std::uint64_t>(given[1]);
  Tokens counts(static_cast<std::size_t>(settings[2]));
  draw(settings[0], settings[1], counts);
  return join(counts);
}

Value exact_sum(const Fields& given) {
  double sum = 0;
  for (const double part : grow_expansion(exact_partials(numbers<double>(given[1])))) sum += part;
  return sum;
}

Value tokens_13a(const Fields& given) {
  Tokenizer13a tokenizer;
  std::string out;
  for (const std::string& token : split(tokenizer(given[1]), ' ')) out += (out.empty() ? "" : " ") + token;
  return out;
}

const std::map<std::string, std::function<Value(const Fields&)>> algorithms{
    {"alignment", alignment},
    {"bleu_statistics", bleu_statistics},
    {"bootstrap", draws<draw_with_replacement>},
    {"canonical_operators", canonical_operators},
    {"cder", cder},
    {"chrf_statistics", chrf_statistics},
    {"coins", draws<draw_coins>},
    {"exact_sum", exact_sum},
    {"inversion_distance", inversion_distance},
    {"lost_words", lost_words},
    {"mutual_links", mutual_links},
    {"precedence", precedence},
    {"tokens_13a", tokens_13a},
    {"tree_distance", tree_distance},
};

Value compute(const Fields& fields) {
  if (const auto at = algorithms.find(fields[0]); at != algorithms.end()) return at->second(fields);
  for (const Measure& measure : measures) {
    if (fields[0] != measure.name) continue;
    const Permutation pi = permutation(fields[1]);
    PermutationAnalysis analysis(never);
    analysis.load(pi);
    return measure.score(analysis);
  }
  throw std::runtime_error("there is no such algorithm");
}

// Longer sentences than the cases have, on every vector unit of the machine, beside the recursion of the
// paper.
bool check_vector_units() {
  SplitMix64 random(28);
  bool passed = true;
  for (const std::size_t length : {3, 9, 14, 18}) {
    Tokens s(length), t(length);
    for (Tokens* side : {&s, &t})
      for (std::int32_t& token : *side) token = static_cast<std::int32_t>(random.bits() % (length / 2 + 1));
    const auto expected = static_cast<std::uint64_t>(cyk::inversion_distance(s, t, {}));
    std::printf("inversion_distance of %d random tokens\t%" PRIu64 "\n", static_cast<int>(length), expected);
    for (int unit = 0; unit <= static_cast<int>(widest_vector_unit()); ++unit) {
      vector_unit() = static_cast<VectorUnit>(unit);
      if (inversion_cost(s, t) == expected) continue;
      std::fprintf(stderr, "vector unit %d: the distance differs\n", unit);
      passed = false;
    }
  }
  return passed;
}

// The threads of the pool add up the numbers below 1,000.
bool check_threads() {
  std::atomic<std::int64_t> sum{0};
  for_each(1000, 1'000'000, 4, {},
           [&](const Stop&) { return [&](std::size_t k) { sum += static_cast<std::int64_t>(k); }; });
  if (sum == 499'500) return true;
  std::fprintf(stderr, "the threads left something out\n");
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  std::ifstream file(argc == 2 ? argv[1] : "", std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "usage: check_core tests/core/cases.tsv\n");
    return 2;
  }
  int failed = 0, count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    const Fields fields = split(line, '\t');
    try {
      const Value value = compute(fields);
      std::printf("%s\t%s\n", fields[0].c_str(), value.written().c_str());
      if (value.is(fields.back())) continue;
      std::fprintf(stderr, "%s\n  gives %s\n", line.c_str(), value.written().c_str());
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n  fails: %s\n", line.c_str(), error.what());
    }
    ++failed;
  }
  if (count == 0) ++failed;
  if (!check_vector_units()) ++failed;
  if (!check_threads()) ++failed;
  std::fprintf(stderr, "%d cases on a system of %d bits, %d failed\n", count,
               static_cast<int>(8 * sizeof(std::size_t)), failed);
  std::fflush(stdout);
  std::_Exit(failed == 0 ? 0 : 1);  // the threads of the pool never end
}
