// Aligns two lines of words over three letters, and prints how many candidates the relaxation went through.
//
//   count_work WORDS
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "alignment/alignment_search.hpp"
#include "alignment/word_matcher.hpp"
#include "support/split_mix.hpp"

int main(int, char** arguments) {
  using namespace hyperbaton;
  const auto words = static_cast<std::size_t>(std::atoi(arguments[1]));
  SplitMix64 rng(1);
  std::vector<std::int32_t> hyp(words), ref(words);
  for (auto* line : {&hyp, &ref})
    for (auto& word : *line) word = static_cast<std::int32_t>(rng.bits() % 3);
  const Vocabulary vocabulary(3, true, {}, {}, {});
  WordMatcher matcher(vocabulary);
  matcher.run(hyp, ref, {});
  const Stop never{false};
  AlignmentSearch search(std::vector<std::int64_t>(matcher_count, 1), 1, never);
  search.run(matcher.links);
  std::printf("%llu\n", static_cast<unsigned long long>(search.visits()));
}
