#include "permutations/block_moves.hpp"

#include "bindings/permutations/permutation_batch.hpp"

namespace hyperbaton::bindings {

void bind_block_moves(nb::module_& m) {
  m.def(
      "block_moves",
      [](const Integers& values, const Array<std::int64_t>& offsets, const Array<std::uint8_t>& minor,
         int threads) {
        const IntegerBatch batch(values, offsets);
        if (minor.size() != 0 && minor.size() != batch.value_count())
          throw std::invalid_argument("minor must have as many items as values");
        std::vector<std::vector<BlockMove>> by_permutation(batch.size());
        for_each_permutation(batch, threads, [&](const Stop& stop) {
          return [&, builder = PermutationTreeBuilder(), finder = BlockMoveFinder()](const Permutation& pi,
                                                                                     std::size_t k) mutable {
            std::span<const std::uint8_t> flags;
            if (minor.size() != 0) flags = view(minor).subspan(batch.begin(k), pi.value.size());
            finder.append_moves(pi, builder.build(pi), flags, stop, by_permutation[k]);
          };
        });
        std::vector<std::int64_t> ends{0};
        std::vector<std::int32_t> starts, stops, anchor_starts, anchor_stops, distances;
        std::vector<std::uint8_t> before, is_minor;
        for (const auto& moves : by_permutation) {
          for (const BlockMove& move : moves) {
            starts.push_back(move.start);
            stops.push_back(move.end);
            anchor_starts.push_back(move.anchor_start);
            anchor_stops.push_back(move.anchor_end);
            distances.push_back(move.distance);
            before.push_back(move.before);
            is_minor.push_back(move.minor);
          }
          ends.push_back(static_cast<std::int64_t>(starts.size()));
        }
        return to_tuple(std::move(ends), std::move(starts), std::move(stops), std::move(anchor_starts),
                        std::move(anchor_stops), std::move(distances), std::move(before),
                        std::move(is_minor));
      },
      nb::arg("values").noconvert(), nb::arg("offsets").noconvert(), nb::arg("minor").noconvert(),
      nb::arg("threads"),
      "The block moves that put each permutation in order: where the moves of each permutation begin; the "
      "starts and ends of the blocks and of their anchors; distances; whether a block goes before its "
      "anchor, and whether all of its words are minor. `minor` says so of each word; it may be empty.");
}

}  // namespace hyperbaton::bindings
