#include "permutations/reorderings.hpp"

#include "bindings/permutations/permutation_batch.hpp"

namespace hyperbaton::bindings {

void bind_reorderings(nb::module_& m) {
  m.def(
      "reorderings",
      [](const Integers& values, const Array<std::int64_t>& offsets, int threads) {
        const IntegerBatch batch(values, offsets);
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
        return to_tuple(std::move(all.rising), std::move(all.falling), std::move(all.primal),
                        std::move(primal_offsets), std::move(all.operators), std::move(all.ends),
                        std::move(all.distances), std::move(all.sizes));
      },
      nb::arg("values").noconvert(), nb::arg("offsets").noconvert(), nb::arg("threads"),
      "The reorderings in the canonical trees of all permutations: the spans of <1,2>, of <2,1> and of "
      "longer operators; the index of each permutation's first longer operator; the longer operators as "
      "flat values and offsets; and the distances and lengths of the blocks that move.");
}

}  // namespace hyperbaton::bindings
