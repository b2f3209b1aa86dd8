#include "edit/inversion_distance.hpp"

#include "bindings/batch.hpp"

namespace hyperbaton::bindings {

namespace {

// A rough number of steps: the time for a pair grows with about the square of its table.
std::size_t expected_work(const Ragged<std::int32_t>& s, const Ragged<std::int32_t>& t) {
  constexpr std::size_t very_much = std::size_t{1} << 40;
  std::size_t sum = 0;
  for (std::size_t k = 0; k < s.size() && sum < very_much; ++k) {
    const std::size_t boxes = s[k].size() * t[k].size() / 20;
    sum += boxes < (std::size_t{1} << 20) ? boxes * boxes + s[k].size() + t[k].size() : very_much;
  }
  return std::min(sum, very_much);
}

}  // namespace

void bind_inversion_distance(nb::module_& m) {
  m.def(
      "inversion_bounds",
      [](const Array<std::int32_t>& s, const Array<std::int64_t>& s_offsets, const Array<std::int32_t>& t,
         const Array<std::int64_t>& t_offsets, std::uint64_t inversion, std::uint64_t substitution,
         std::uint64_t deletion, std::uint64_t insertion, std::uint64_t budget, int threads) {
        const EditCosts costs{inversion, substitution, deletion, insertion};
        // The core copies each pair of sentences, so views suffice.
        const auto from = ragged(s, s_offsets), to = ragged(t, t_offsets);
        check_same_size(from.size(), to.size());
        std::vector<std::uint64_t> lower(from.size()), upper(from.size());
        run(from.size(), expected_work(from, to), threads, [&](const Stop& stop) {
          return [&, solver = std::make_shared<InversionSolver>(stop)](std::size_t k) {
            solver->load(from[k], to[k], costs);
            const Bounds bounds = solver->distance(budget);
            lower[k] = bounds.lower;
            upper[k] = bounds.upper;
          };
        });
        return to_tuple(std::move(lower), std::move(upper));
      },
      nb::arg("s").noconvert(), nb::arg("s_offsets").noconvert(), nb::arg("t").noconvert(),
      nb::arg("t_offsets").noconvert(), nb::arg("inversion"), nb::arg("substitution"), nb::arg("deletion"),
      nb::arg("insertion"), nb::arg("budget"), nb::arg("threads"),
      "The lower and upper bounds of the distance of each pair; they are equal where the budget suffices.");

  m.def(
      "inversion_parse",
      [](const Array<std::int32_t>& s, const Array<std::int32_t>& t, std::uint64_t inversion,
         std::uint64_t substitution, std::uint64_t deletion, std::uint64_t insertion, std::uint64_t budget) {
        const EditCosts costs{inversion, substitution, deletion, insertion};
        const Ragged<std::int32_t> from(view(s), {0, static_cast<std::int64_t>(s.size())});
        const Ragged<std::int32_t> to(view(t), {0, static_cast<std::int64_t>(t.size())});
        Parse parse;
        run(1, expected_work(from, to), 1, [&](const Stop& stop) {
          return [&](std::size_t k) {
            InversionSolver solver(stop);
            solver.load(from[k], to[k], costs);
            parse = solver.parse(budget);
          };
        });
        std::vector<std::uint8_t> kinds;
        std::vector<std::int32_t> i, j;
        for (const EditStep& step : parse.steps) {
          kinds.push_back(static_cast<std::uint8_t>(step.kind));
          i.push_back(step.i);
          j.push_back(step.j);
        }
        return std::tuple(parse.cost, parse.lower, to_numpy(std::move(kinds)), to_numpy(std::move(i)),
                          to_numpy(std::move(j)));
      },
      nb::arg("s").noconvert(), nb::arg("t").noconvert(), nb::arg("inversion"), nb::arg("substitution"),
      nb::arg("deletion"), nb::arg("insertion"), nb::arg("budget"),
      "The cost of the cheapest parse found, a lower bound of the distance, and the parse's steps: their\n"
      "kinds and their positions in both sentences.");

  m.def(
      "vector_units",
      [] {
        std::vector<int> units;
        for (int unit = 0; unit <= static_cast<int>(widest_vector_unit()); ++unit) units.push_back(unit);
        return to_numpy(std::move(units));
      },
      "The vector units of this machine. Tests run on each of them.");
  m.def(
      "use_vector_unit",
      [](int unit) {
        if (unit < 0 || unit > static_cast<int>(widest_vector_unit()))
          throw std::invalid_argument("this machine has no such vector unit");
        vector_unit() = static_cast<VectorUnit>(unit);
      },
      nb::arg("unit"));
}

}  // namespace hyperbaton::bindings
