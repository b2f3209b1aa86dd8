// Fuzz target: the Levenshtein distance with bit vectors against the table of distances.
#include "edit/levenshtein.hpp"

#include <cstdlib>
#include <iterator>

#include "input.hpp"
#include "interruption.hpp"
#include "plain_edit_distance.hpp"
#include "support/split_mix.hpp"

using namespace hyperbaton;
using fuzz::Input;
using fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const bool stopped = input.byte() == 255;
  const auto types = static_cast<std::int32_t>(input.number(0, 7));
  const auto sentence = [&] {
    if (input.flag()) {  // several blocks
      std::vector<std::int32_t> tokens(input.size(300));
      SplitMix64 random(input.byte());
      for (auto& token : tokens) token = static_cast<std::int32_t>(random.bits() % (types + 1u));
      return tokens;
    }
    auto tokens = input.numbers(input.size(14), 0, types);
    if (input.flag())  // any numbers are tokens
      for (auto& token : tokens) token = token % 2 == 0 ? INT32_MIN + token : INT32_MAX - token;
    return tokens;
  };
  const auto s = sentence(), t = sentence();
  static Stop stop{false};
  static Levenshtein levenshtein;
  const std::int64_t expected = plain::edit_distance(s, t);
  if (stopped) {  // nothing is computed if one sentence has only a middle part more
    const bool interrupted = fuzz::interrupts(stop, [&] { levenshtein(s, t, stop); });
    require(interrupted || expected == std::abs(std::ssize(s) - std::ssize(t)), "a stop interrupts");
  }
  require(levenshtein(s, t, stop) == expected, "the distances are equal");
  return 0;
}
