#include "softorder/anchors.hpp"

#include <string>

#include "bindings/batch.hpp"
#include "support/errors.hpp"

namespace hyperbaton::bindings {

void bind_anchors(nb::module_& m) {
  m.def(
      "find_anchors",
      [](const Array<std::int32_t>& hyps, const Array<std::int64_t>& hyp_offsets,
         const Array<std::int32_t>& refs, const Array<std::int64_t>& ref_offsets,
         const Array<std::int64_t>& starts, int threads) {
        // Numbers of words are only compared, each after the core has copied it.
        const auto from = ragged(hyps, hyp_offsets), to = ragged(refs, ref_offsets);
        const auto first = copied(starts);
        check_same_size(from.size() + 1, first.size());
        if (first.front() != 0 || !std::is_sorted(first.begin(), first.end()) ||
            first.back() != static_cast<std::int64_t>(to.size()))
          throw std::invalid_argument("the starts of references are invalid");
        // Each segment has room for all that it may have, so that threads need no memory of their own for it.
        std::vector<std::int64_t> offsets{0};
        for (std::size_t k = 0; k < from.size(); ++k) {
          std::size_t most = 0;
          for (auto j = first[k]; j < first[k + 1]; ++j)
            most += 2 + std::min(from[k].size(), to[static_cast<std::size_t>(j)].size());
          offsets.push_back(offsets.back() + static_cast<std::int64_t>(most));
        }
        std::vector<std::int32_t> values(static_cast<std::size_t>(offsets.back()));
        std::vector<std::size_t> lengths(from.size());
        const std::size_t cost = 20 * (from.values.size() + to.values.size());
        run(from.size(), cost, threads, [&](const Stop&) {
          return [&, finder = AnchorFinder(), found = std::vector<std::int32_t>()](std::size_t k) mutable {
            found.clear();
            finder.load(from[k]);
            for (auto j = first[k]; j < first[k + 1]; ++j)
              finder.append(to[static_cast<std::size_t>(j)], found);
            lengths[k] = found.size();
            std::copy(found.begin(), found.end(), values.begin() + offsets[k]);
          };
        });
        std::int64_t end = 0;
        for (std::size_t k = 0; k < from.size(); ++k) {  // without the room that is left
          const auto begin = values.begin() + offsets[k];
          std::copy(begin, begin + static_cast<std::int64_t>(lengths[k]), values.begin() + end);
          offsets[k] = end;
          end += static_cast<std::int64_t>(lengths[k]);
        }
        offsets.back() = end;
        values.resize(static_cast<std::size_t>(end));
        return to_tuple(std::move(values), std::move(offsets));
      },
      nb::arg("hyps").noconvert(), nb::arg("hyp_offsets").noconvert(), nb::arg("refs").noconvert(),
      nb::arg("ref_offsets").noconvert(), nb::arg("starts").noconvert(), nb::arg("threads"),
      "For each segment, and each of its references: the number of words, that of anchors, and their\n"
      "positions.");
  m.def(
      "pair_anchors",
      [](const Array<std::int32_t>& a, const Array<std::int64_t>& a_offsets, const Array<std::int32_t>& b,
         const Array<std::int64_t>& b_offsets, int threads) {
        const auto first = copied_ragged(a, a_offsets), second = copied_ragged(b, b_offsets);
        check_same_size(first.size(), second.size());
        std::vector<std::int32_t> weights(first.size()), tokens(first.size());
        std::vector<double> kept_a(first.size()), kept_b(first.size());
        const std::size_t cost = 40 * (first.values.size() + second.values.size());
        run(first.size(), cost, threads, [&](const Stop&) {
          return [&, pair = AnchorPairing()](std::size_t k) mutable {
            try {
              const SharedAnchors shared = pair(first[k], second[k]);
              weights[k] = shared.weight;
              kept_a[k] = shared.a;
              kept_b[k] = shared.b;
              tokens[k] = shared.tokens;
            } catch (const InputError& error) {
              throw InputError("segment " + std::to_string(k + 1) + ": " + error.what());
            }
          };
        });
        return to_tuple(std::move(weights), std::move(kept_a), std::move(kept_b), std::move(tokens));
      },
      nb::arg("a").noconvert(), nb::arg("a_offsets").noconvert(), nb::arg("b").noconvert(),
      nb::arg("b_offsets").noconvert(), nb::arg("threads"),
      "The number of shared anchors of each segment, the neighbours that each system keeps among them, and\n"
      "the words of the reference.");
}

}  // namespace hyperbaton::bindings
