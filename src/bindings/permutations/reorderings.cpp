#include "permutations/reorderings.hpp"

#include "bindings/permutations/permutation_batch.hpp"

namespace hyperbaton::bindings {

void bind_reorderings(nb::module_& m) {
  for_both_widths([&]<class Value>(Value) {
    m.def(
        "reorderings",
        [](const Array<Value>& values, const Array<std::int64_t>& offsets, int threads) {
          const auto batch = ragged(values, offsets);
          std::vector<Reorderings> by_permutation(batch.size());
          for_each_permutation(batch, threads, [&](const Stop&) {
            return [&, builder = PermutationTreeBuilder()](const Permutation& pi, std::size_t k) mutable {
              by_permutation[k].add(pi, builder.build(pi));
            };
          });
          Reorderings all;
          std::vector<std::int64_t> primal_offsets{0};
          for (Reorderings& reorderings : by_permutation) {
            all.append(reorderings);
            reorderings = {};  // frees its memory
            primal_offsets.push_back(static_cast<std::int64_t>(all.primal.size()));
          }
          all.ends.insert(all.ends.begin(), 0);
          return nb::make_tuple(to_numpy(std::move(all.rising)), to_numpy(std::move(all.falling)),
                                to_numpy(std::move(all.primal)), to_numpy(std::move(primal_offsets)),
                                to_numpy(std::move(all.operators)), to_numpy(std::move(all.ends)),
                                to_numpy(std::move(all.distances)), to_numpy(std::move(all.sizes)));
        },
        nb::arg("values").noconvert(), nb::arg("offsets").noconvert(), nb::arg("threads"),
        "The reorderings in the canonical trees of all permutations: the spans of <1,2>, of <2,1> and of "
        "longer operators; the index of each permutation's first longer operator; the longer operators as "
        "flat values and offsets; and the distances and lengths of the blocks that move.");
  });
}

}  // namespace hyperbaton::bindings
