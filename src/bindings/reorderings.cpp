#include "reorderings.hpp"

#include "batch.hpp"

namespace hyperbaton::bindings {

void bind_reorderings(nb::module_& m) {
  for_both_widths([&]<class Value>(Value) {
    m.def(
        "reorderings",
        [](const Array<Value>& values, const Array<std::int64_t>& offsets, int threads) {
          const auto batch = ragged(values, offsets);
          std::vector<Reorderings> of(batch.size());
          for_each_permutation(batch, threads, [&](Analyzer& analyzer, std::size_t k) {
            const Tree& tree = analyzer.build();
            of[k].add(analyzer.permutation(), tree);
          });
          Reorderings all;
          std::vector<std::int64_t> primal_offsets{0};
          for (Reorderings& one : of) {
            all.append(one);
            one = {};
            primal_offsets.push_back(static_cast<std::int64_t>(all.primal.size()));
          }
          all.ends.insert(all.ends.begin(), 0);
          return nb::make_tuple(to_numpy(std::move(all.rising)), to_numpy(std::move(all.falling)),
                                to_numpy(std::move(all.primal)), to_numpy(std::move(primal_offsets)),
                                to_numpy(std::move(all.operators)), to_numpy(std::move(all.ends)),
                                to_numpy(std::move(all.distances)), to_numpy(std::move(all.sizes)));
        },
        nb::arg("values").noconvert(), nb::arg("offsets").noconvert(), nb::arg("threads"),
        "Of the canonical trees of all permutations: spans of <1,2>, of <2,1> and of longer operators, which "
        "of these each permutation starts with, the longer operators as flat values and offsets, and how far "
        "and how long the blocks are that move.");
  });
}

}  // namespace hyperbaton::bindings
