// Fuzz target: the Levenshtein distance with bit vectors against the table of distances.
#include "edit/levenshtein.hpp"

#include <numeric>

#include "input.hpp"
#include "support/split_mix.hpp"

using namespace hyperbaton;
using fuzz::Input;
using fuzz::require;

namespace {

using Words = std::vector<std::int32_t>;

// The table of distances, cell by cell.
std::int64_t plain_distance(const Words& s, const Words& t) {
  std::vector<std::int64_t> row(t.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < s.size(); ++i) {
    std::int64_t diagonal = row[0]++;
    for (std::size_t j = 0; j < t.size(); ++j) {
      const auto value = std::min({diagonal + (s[i] != t[j]), row[j] + 1, row[j + 1] + 1});
      diagonal = row[j + 1];
      row[j + 1] = value;
    }
  }
  return row.back();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const bool stopped = input.byte() == 255;
  const auto types = static_cast<std::int32_t>(input.number(0, 7));
  const auto sentence = [&] {
    if (input.flag()) {  // several blocks
      Words tokens(input.size(300));
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
  if (stopped) {  // and go on with the same memory
    stop = true;
    try {
      levenshtein(s, t, stop);
      require(s.empty() || plain_distance(s, t) == std::abs(std::ssize(s) - std::ssize(t)),
              "a stop interrupts");
    } catch (const Interrupted&) {
    }
    stop = false;
  }
  require(levenshtein(s, t, stop) == plain_distance(s, t), "the distances are equal");
  return 0;
}
