// Fuzz target: shared n-grams by sorted suffixes, and the statistics of BLEU, against bags of n-grams.
#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <vector>

#include "input.hpp"
#include "interruption.hpp"
#include "ngrams/bleu.hpp"
#include "support/split_mix.hpp"

using namespace hyperbaton;
using fuzz::Input;
using fuzz::require;

namespace {

using Tokens = std::vector<Symbol>;
using Bag = std::map<Tokens, std::int64_t>;

Bag ngrams(const Tokens& tokens, std::size_t n) {
  Bag bag;
  for (auto end = tokens.begin(); static_cast<std::size_t>(tokens.end() - end) >= n; ++end)
    ++bag[Tokens(end, end + static_cast<std::ptrdiff_t>(n))];
  return bag;
}

std::int64_t plain_matches(const std::vector<Tokens>& references, const Tokens& tokens, std::size_t n) {
  Bag most;
  for (const Tokens& reference : references)
    for (const auto& [ngram, count] : ngrams(reference, n)) most[ngram] = std::max(most[ngram], count);
  std::int64_t matches = 0;
  for (const auto& [ngram, count] : ngrams(tokens, n))
    if (const auto found = most.find(ngram); found != most.end()) matches += std::min(count, found->second);
  return matches;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const bool stopped = input.byte() == 255;
  constexpr std::array<std::size_t, 6> lengths{1, 2, 4, 6, 33, 100};
  static std::map<std::size_t, BleuCounter> counters;
  const std::size_t longest = lengths[input.size(lengths.size() - 1)];
  BleuCounter& counter = counters.try_emplace(longest, longest).first->second;
  const auto types = static_cast<Symbol>(input.flag() ? input.number(0, 5) : input.number(0, 3000));
  const auto sentence = [&](Symbol lowest) {
    if (!input.flag()) return input.numbers(input.size(14), lowest, types);
    Tokens tokens(input.size(120));  // with more distinct symbols
    SplitMix64 random(input.byte());
    for (Symbol& token : tokens)
      token = static_cast<Symbol>(random.bits() % static_cast<std::uint64_t>(types + 1));
    return tokens;
  };
  std::vector<Tokens> references(1 + input.size(2));
  for (Tokens& reference : references) reference = sentence(0);
  if (input.flag()) references.back() = references.front();
  const Tokens hypothesis = input.flag() ? references[0] : sentence(-1);  // unknown words are negative

  static Stop stop{false};
  const std::vector<std::span<const Symbol>> views(references.begin(), references.end());
  const BleuReferences prepared = counter.prepare(views);
  std::vector<double> found(counter.statistics());
  if (stopped) fuzz::interrupts(stop, [&] { counter(prepared, hypothesis, stop, found.data()); });
  counter(prepared, hypothesis, stop, found.data());
  const std::size_t length = hypothesis.size();
  require(found[0] == static_cast<double>(length), "the length is that of the hypothesis");
  const auto distance = [&](std::size_t other) { return other < length ? length - other : other - length; };
  for (const Tokens& reference : references) {
    const std::size_t closest = static_cast<std::size_t>(found[1]);
    require(distance(closest) < distance(reference.size()) ||
                (distance(closest) == distance(reference.size()) && closest <= reference.size()),
            "the reference length is the closest, and the shorter one of two");
  }
  for (std::size_t n = 1; n <= longest; ++n) {
    require(found[1 + n] == static_cast<double>(plain_matches(references, hypothesis, n)),
            "as many n-grams match as in the bags");
    require(found[1 + longest + n] == static_cast<double>(length < n ? 0 : length - n + 1),
            "all n-grams of the hypothesis are counted");
  }
  return 0;
}
