#include "softorder/order_statistics.hpp"

#include "bindings/batch.hpp"
#include "bindings/numbered_words.hpp"

namespace hyperbaton::bindings {

namespace {

// The core keeps its threads, so that a cache lasts from one batch to the next.
WordWeights& thread_weights() {
  static thread_local WordWeights weights;
  return weights;
}

}  // namespace

void bind_order_statistics(nb::module_& m) {
  m.def(
      "order_statistics",
      [](const Array<std::int32_t>& hyps, const Array<std::int64_t>& hyp_offsets,
         const Array<std::int32_t>& refs, const Array<std::int64_t>& ref_offsets,
         const Array<std::int32_t>& characters, const Array<std::int64_t>& character_offsets,
         std::uint64_t vocabulary, double tau, double pi, double theta, bool count_lost, int threads) {
        const auto from = copied_ragged(hyps, hyp_offsets), to = copied_ragged(refs, ref_offsets);
        check_same_size(from.size(), to.size());
        const auto bounds = checked_word_offsets(characters.size(), character_offsets);
        check_words(from.values, bounds.size() - 1);
        check_words(to.values, bounds.size() - 1);
        // Any characters will do, so a view of them suffices.
        const WordCharacters words{view(characters), bounds, vocabulary};
        std::vector<double> matched(from.size()), lost(from.size()), distinguishable(from.size());
        std::size_t cost = 0;
        for (std::size_t k = 0; k < from.size(); ++k) cost += 10 * (from[k].size() + 2) * (to[k].size() + 2);
        run(from.size(), cost, threads, [&](const Stop& stop) {
          return [&, compare =
                         OrderComparison(words, {tau, pi, theta}, thread_weights())](std::size_t k) mutable {
            const OrderStatistics found = compare(from[k], to[k], count_lost, stop);
            matched[k] = found.matched;
            lost[k] = found.lost;
            distinguishable[k] = found.distinguishable;
          };
        });
        return to_tuple(std::move(matched), std::move(lost), std::move(distinguishable));
      },
      nb::arg("hyps").noconvert(), nb::arg("hyp_offsets").noconvert(), nb::arg("refs").noconvert(),
      nb::arg("ref_offsets").noconvert(), nb::arg("characters").noconvert(),
      nb::arg("character_offsets").noconvert(), nb::arg("vocabulary"), nb::arg("tau"), nb::arg("pi"),
      nb::arg("theta"), nb::arg("count_lost"), nb::arg("threads"),
      "The matched words of each pair, those of them that are lost (0 if these are not counted), and the "
      "words that can be told apart.");
  m.def(
      "matched_steps",
      [](const Array<std::int32_t>& hyp, const Array<std::int32_t>& ref,
         const Array<std::int32_t>& characters, const Array<std::int64_t>& character_offsets, double tau,
         double pi, double theta) {
        const auto bounds = checked_word_offsets(characters.size(), character_offsets);
        const auto from = copied(hyp), to = copied(ref);
        check_words(from, bounds.size() - 1);
        check_words(to, bounds.size() - 1);
        const WordCharacters words{view(characters), bounds, 0};
        WordWeights weights;
        const Stop stop{false};
        SoftAdjacency adjacency(words, {tau, pi, theta}, weights);
        adjacency.link(from, to, stop);
        StepLosses losses = adjacency.steps();
        Counterparts counterparts = adjacency.counterparts();
        return to_tuple(std::move(losses.hyp), std::move(losses.ref), std::move(counterparts.hyp),
                        std::move(counterparts.ref));
      },
      nb::arg("hyp").noconvert(), nb::arg("ref").noconvert(), nb::arg("characters").noconvert(),
      nb::arg("character_offsets").noconvert(), nb::arg("tau"), nb::arg("pi"), nb::arg("theta"),
      "The losses of the steps of both sides, and how far each of their words has counterparts.");
}

}  // namespace hyperbaton::bindings
