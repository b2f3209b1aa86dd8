#include "inversion.hpp"

#include "batch.hpp"

namespace hyperbaton::bindings {

namespace {

std::span<const std::int32_t> sentence(const Ragged<std::int32_t>& batch, std::size_t k) {
  return batch[k];
}

// A rough number of steps: what a pair takes grows with about the square of its table.
std::size_t expected_work(const Ragged<std::int32_t>& s, const Ragged<std::int32_t>& t) {
  constexpr std::size_t much = std::size_t{1} << 40;
  std::size_t sum = 0;
  for (std::size_t k = 0; k < s.size() && sum < much; ++k) {
    const std::size_t boxes = s[k].size() * t[k].size() / 20;
    sum += boxes < (std::size_t{1} << 20) ? boxes * boxes + s[k].size() + t[k].size() : much;
  }
  return std::min(sum, much);
}

}  // namespace

void bind_inversion(nb::module_& m) {
  m.def(
      "inversion_bounds",
      [](const Array<std::int32_t>& s, const Array<std::int64_t>& s_offsets, const Array<std::int32_t>& t,
         const Array<std::int64_t>& t_offsets, std::uint64_t inversion, std::uint64_t substitution,
         std::uint64_t deletion, std::uint64_t insertion, std::uint64_t budget, int threads) {
        const EditCosts costs{inversion, substitution, deletion, insertion};
        const auto from = ragged(s, s_offsets), to = ragged(t, t_offsets);
        if (from.size() != to.size()) throw std::invalid_argument("as many sentences on both sides, please");
        std::vector<std::uint64_t> lower(from.size()), upper(from.size());
        run(from.size(), expected_work(from, to), threads, [&](const Stop& stop) {
          return [&, solver = std::make_shared<InversionSolver>(stop)](std::size_t k) {
            solver->load(sentence(from, k), sentence(to, k), costs);
            const Bounds bounds = solver->distance(budget);
            lower[k] = bounds.lower;
            upper[k] = bounds.upper;
          };
        });
        return nb::make_tuple(to_numpy(std::move(lower)), to_numpy(std::move(upper)));
      },
      nb::arg("s").noconvert(), nb::arg("s_offsets").noconvert(), nb::arg("t").noconvert(),
      nb::arg("t_offsets").noconvert(), nb::arg("inversion"), nb::arg("substitution"), nb::arg("deletion"),
      nb::arg("insertion"), nb::arg("budget"), nb::arg("threads"));

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
            solver.load(sentence(from, k), sentence(to, k), costs);
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
        return nb::make_tuple(parse.cost, parse.lower, to_numpy(std::move(kinds)), to_numpy(std::move(i)),
                              to_numpy(std::move(j)));
      },
      nb::arg("s").noconvert(), nb::arg("t").noconvert(), nb::arg("inversion"), nb::arg("substitution"),
      nb::arg("deletion"), nb::arg("insertion"), nb::arg("budget"));

  // For tests: the vector units of this machine, and the one to use from now on.
  m.def("vector_units", [] {
    std::vector<int> units;
    for (int unit = 0; unit <= static_cast<int>(widest_vector_unit()); ++unit) units.push_back(unit);
    return to_numpy(std::move(units));
  });
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
