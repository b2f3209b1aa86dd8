// Fuzz target: CDER against its definition (Leusch, Ueffing & Ney 2006): the cheapest path through the grid
// of both sentences, where an edit costs 1 and so does a jump to any word of the hypothesis.
#include "edit/cder.hpp"

#include "input.hpp"
#include "interruption.hpp"

using namespace hyperbaton;
using fuzz::Input;
using fuzz::require;

namespace {

// Shortest paths by relaxing every edge until nothing changes.
std::int64_t plain_cder(const std::vector<std::int32_t>& hypothesis,
                        const std::vector<std::int32_t>& reference) {
  const std::size_t n = hypothesis.size(), m = reference.size();
  std::vector<std::vector<std::int64_t>> cost(m + 1, std::vector<std::int64_t>(n + 1, 1 << 20));
  cost[0][0] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    const auto relax = [&](std::int64_t& to, std::int64_t value) {
      if (value < to) to = value, changed = true;
    };
    for (std::size_t l = 0; l <= m; ++l) {
      for (std::size_t i = 0; i <= n; ++i) {
        const std::int64_t here = cost[l][i];
        if (i < n && l < m) relax(cost[l + 1][i + 1], here + (hypothesis[i] != reference[l]));
        if (i < n) relax(cost[l][i + 1], here + 1);
        if (l < m) relax(cost[l + 1][i], here + 1);
        for (std::size_t to = 0; to <= n; ++to) relax(cost[l][to], here + 1);
      }
    }
  }
  return cost[m][n];
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const bool stopped = input.byte() == 255;
  const auto types = static_cast<std::int32_t>(input.number(0, 7));
  const auto sentence = [&] {
    auto tokens = input.numbers(input.size(14), 0, types);
    if (input.flag())  // any numbers are tokens
      for (auto& token : tokens) token = token % 2 == 0 ? INT32_MIN + token : INT32_MAX - token;
    return tokens;
  };
  const auto hypothesis = sentence(), reference = sentence();
  static Stop stop{false};
  static Cder cder;
  if (stopped) {
    const bool interrupted = fuzz::interrupts(stop, [&] { cder(hypothesis, reference, stop); });
    require(interrupted || reference.empty(), "a stop interrupts");
  }
  require(cder(hypothesis, reference, stop) == plain_cder(hypothesis, reference), "the shortest path");
  return 0;
}
