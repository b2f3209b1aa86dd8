// Fuzz target: the inversion distance against the plain CYK algorithm, and the cost of every parse.
//
// An input has one byte for the vector unit and the scale, four for the costs, two for a budget, one for
// the length of s, and then the tokens of both sentences.
#include "cyk.hpp"
#include "edit/inversion_distance.hpp"
#include "input.hpp"

using namespace hyperbaton;
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
           const Parse& parse, std::uint64_t distance) {
  ParseReader reader{s, t, costs, parse.steps};
  const auto read = reader.part();
  require(reader.at == parse.steps.size() && reader.i == s.size() && read.size() == t.size(), "all is read");
  for (std::size_t j = 0; j < read.size(); ++j)
    require(read[j] == static_cast<std::int32_t>(j), "t in order");
  require(reader.cost == parse.cost, "the cost is that of the parse");
  require(parse.lower <= distance && distance <= parse.cost, "the bounds contain the distance");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 8) return 0;
  const auto units = static_cast<int>(widest_vector_unit()) + 1;
  vector_unit() = static_cast<VectorUnit>(data[0] % units);
  // Larger costs need wider cells.
  const std::uint64_t scale = std::uint64_t{1} << (data[0] / 64 * 9);
  const EditCosts plain{data[1] % 8u, data[2] % 8u, data[3] % 8u, data[4] % 8u};
  const bool unit = data[0] & 8;
  const EditCosts one = unit ? EditCosts{1, 1, 1, 1} : plain;
  const EditCosts costs{one.inversion * scale, one.substitution * scale, one.deletion * scale,
                        one.insertion * scale};
  const std::uint64_t budget = data[5] * 256u + data[6];
  const std::vector<std::int32_t> tokens(data + 8, data + size);
  const std::size_t split = data[7] % (tokens.size() + 1);
  const std::vector<std::int32_t> s(tokens.begin(), tokens.begin() + split),
      t(tokens.begin() + split, tokens.end());

  const auto distance =
      scale * static_cast<std::uint64_t>(cyk::inversion_distance(
                  s, t,
                  {static_cast<std::int64_t>(one.inversion), static_cast<std::int64_t>(one.substitution),
                   static_cast<std::int64_t>(one.deletion), static_cast<std::int64_t>(one.insertion)}));
  static const Stop stop{false};
  static InversionSolver solver(stop);
  solver.load(s, t, costs);
  const Bounds exact = solver.distance(std::uint64_t{1} << 40);
  require(exact.lower == distance && exact.upper == distance, "the distance is that of the plain CYK");
  const Parse parse = solver.parse(std::uint64_t{1} << 40);
  check(s, t, costs, parse, distance);
  require(parse.cost == distance && parse.lower == distance, "with enough work a parse is the cheapest");
  const Bounds bounds = solver.distance(budget);
  require(bounds.lower <= distance && distance <= bounds.upper, "the bounds contain the distance");
  const Parse some = solver.parse(budget);
  check(s, t, costs, some, distance);
  require(some.cost <= bounds.upper, "a parse is no worse than what is known");
  return 0;
}
