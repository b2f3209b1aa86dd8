// Fuzz target: the inversion distance against the plain CYK algorithm, and the cost of every parse, for any
// costs and any budget. Pairs that are too long for the plain algorithm are checked against themselves.
#include <utility>

#include "cyk.hpp"
#include "edit/inversion_distance.hpp"
#include "input.hpp"
#include "interruption.hpp"

using namespace hyperbaton;
using fuzz::Input;
using fuzz::require;

namespace {

// Follows the steps of a parse and adds up its cost. The steps must read t in order.
struct ParseReader {
  const std::vector<std::int32_t>&s, &t;
  const EditCosts& costs;
  const std::vector<EditStep>& steps;
  std::size_t at = 0, i = 0;
  std::uint64_t cost = 0;

  std::vector<std::int32_t> part() {
    std::vector<std::int32_t> read;
    for (; at < steps.size(); ++at) {
      const EditStep step = steps[at];
      if (step.kind == EditKind::turn || step.kind == EditKind::close) break;
      if (step.kind == EditKind::invert) {
        cost += costs.inversion;
        ++at;
        const auto left = part();
        require(at < steps.size() && steps[at++].kind == EditKind::turn, "an inverted box has two parts");
        auto right = part();
        require(at < steps.size() && steps[at].kind == EditKind::close, "an inverted box is closed");
        read.insert(read.end(), right.begin(), right.end());
        read.insert(read.end(), left.begin(), left.end());
        continue;
      }
      if (step.kind != EditKind::insert) require(step.i == static_cast<std::int32_t>(i++), "s in order");
      if (step.kind != EditKind::remove) read.push_back(step.j);
      const bool pair = step.kind == EditKind::match || step.kind == EditKind::substitute;
      if (pair) require((s[step.i] == t[step.j]) == (step.kind == EditKind::match), "a match matches");
      if (step.kind == EditKind::substitute) cost += costs.substitution;
      if (step.kind == EditKind::remove) cost += costs.deletion;
      if (step.kind == EditKind::insert) cost += costs.insertion;
    }
    return read;
  }
};

void check(const std::vector<std::int32_t>& s, const std::vector<std::int32_t>& t, const EditCosts& costs,
           const Parse& parse) {
  ParseReader reader{s, t, costs, parse.steps};
  const auto read = reader.part();
  require(reader.at == parse.steps.size() && reader.i == s.size() && read.size() == t.size(), "all is read");
  for (std::size_t j = 0; j < read.size(); ++j)
    require(read[j] == static_cast<std::int32_t>(j), "t in order");
  require(reader.cost == parse.cost, "the cost is that of the parse");
  require(parse.lower <= parse.cost, "the lower bound is not above the cost");
}

// Costs of 1, small ones, small ones on one scale, or any: larger costs need wider cells.
EditCosts read_costs(Input& input) {
  const int kind = static_cast<int>(input.number(0, 3));
  if (kind == 0) return {1, 1, 1, 1};
  EditCosts costs{};
  const int scale = kind == 2 ? static_cast<int>(input.number(0, 58)) : 0;
  for (std::uint64_t* cost : {&costs.inversion, &costs.substitution, &costs.deletion, &costs.insertion})
    *cost = static_cast<std::uint64_t>(input.number(0, 7)) << (kind == 3 ? input.number(0, 60) : scale);
  return costs;
}

// Two sentences of any tokens, or a sentence and a copy in which all tokens or a few blocks have moved. Some
// tokens of the copy may be others.
std::pair<std::vector<std::int32_t>, std::vector<std::int32_t>> read_pair(Input& input, std::size_t most) {
  const auto types = static_cast<std::int32_t>(input.number(1, 40));
  const std::int32_t lowest = input.flag() ? -20 : 0;  // numbers that the solver has to replace
  const auto tokens = [&](std::size_t size) { return input.numbers(size, lowest, lowest + types - 1); };
  const int kind = static_cast<int>(input.number(0, 2));
  auto s = tokens(input.size(most));
  if (kind == 0) return {s, tokens(input.size(most))};
  std::vector<std::int32_t> t = s;
  if (kind == 1) {
    t.clear();
    for (const auto value : input.permutation(s.size())) t.push_back(s[static_cast<std::size_t>(value) - 1]);
  } else {
    for (std::size_t moves = input.size(3); moves > 0; --moves) {
      std::size_t places[3] = {input.size(t.size()), input.size(t.size()), input.size(t.size())};
      std::sort(places, places + 3);
      const auto at = [&](int k) { return t.begin() + static_cast<std::ptrdiff_t>(places[k]); };
      std::rotate(at(0), at(1), at(2));
    }
  }
  for (std::size_t edits = input.size(3); edits > 0 && !t.empty(); --edits)
    t[input.size(t.size() - 1)] = tokens(1)[0];
  return {s, t};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t most_plain = 8, most_words = 36;
  Input input(data, size);
  const int units = static_cast<int>(widest_vector_unit()) + 1;
  vector_unit() = static_cast<VectorUnit>(input.byte() % units);
  const EditCosts costs = read_costs(input);
  const auto budget = static_cast<std::uint64_t>(input.number(0, (1 << 19) - 1));
  const bool stopped = input.number(0, 255) == 255;
  const auto [s, t] = read_pair(input, input.number(0, 3) == 3 ? most_words : most_plain);

  static Stop stop{false};
  static InversionSolver solver(stop);
  try {
    solver.load(s, t, costs);
  } catch (const InputError&) {
    const auto largest = std::max({costs.inversion, costs.substitution, costs.deletion, costs.insertion});
    require(largest >= (std::uint64_t{1} << 62) / (s.size() + t.size() + 1), "only large costs are refused");
    return 0;
  }
  if (stopped) fuzz::interrupts(stop, [&] { solver.parse(budget); });
  const bool plain = std::max(s.size(), t.size()) <= most_plain;
  const std::uint64_t enough = plain ? std::uint64_t{1} << 40 : budget / 4;  // which may also be too little
  const Bounds best = solver.distance(enough);
  const std::uint64_t lower = best.lower;
  std::uint64_t upper = best.upper;
  require(lower <= upper, "the lower bound is not above the upper one");
  if (plain) {
    const cyk::Costs signed_costs{
        static_cast<std::int64_t>(costs.inversion), static_cast<std::int64_t>(costs.substitution),
        static_cast<std::int64_t>(costs.deletion), static_cast<std::int64_t>(costs.insertion)};
    const auto distance =
        static_cast<std::uint64_t>(cyk::inversion_distance<std::int64_t>(s, t, signed_costs));
    require(lower == distance && upper == distance, "the distance is that of the plain CYK");
  }
  const Parse parse = solver.parse(enough);
  check(s, t, costs, parse);
  require(parse.cost <= upper && parse.lower == lower, "a parse is no worse than what is known");
  upper = std::min(upper, parse.cost);

  const Bounds bounds = solver.distance(budget);
  require(bounds.lower <= upper && lower <= bounds.upper, "the bounds contain the distance");
  const Parse some = solver.parse(budget);
  check(s, t, costs, some);
  require(some.lower <= upper && lower <= some.cost, "the bounds of a parse contain the distance");
  require(some.cost <= bounds.upper, "a parse is no worse than what is known with the same budget");
  return 0;
}
