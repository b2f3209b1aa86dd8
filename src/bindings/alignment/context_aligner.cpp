#include "alignment/context_aligner.hpp"

#include "bindings/batch.hpp"

namespace hyperbaton::bindings {

void bind_context_aligner(nb::module_& m) {
  m.def(
      "context_links",
      [](const Array<std::int32_t>& hyps, const Array<std::int64_t>& hyp_offsets,
         const Array<std::int32_t>& refs, const Array<std::int64_t>& ref_offsets, int threads) {
        const auto from = copied_ragged(hyps, hyp_offsets), to = copied_ragged(refs, ref_offsets);
        check_same_size(from.size(), to.size());
        std::vector<std::int32_t> out(hyps.size());
        std::size_t cost = 0;
        for (std::size_t k = 0; k < from.size(); ++k)
          cost += from[k].size() * (from[k].size() + to[k].size()) / 4 + 1;
        run(from.size(), cost, threads, [&](const Stop& stop) {
          return [&, align = ContextAligner()](std::size_t k) mutable {
            const auto begin = static_cast<std::size_t>(from.offsets[k]);
            align(from[k], to[k], std::span(out).subspan(begin, from[k].size()), stop);
          };
        });
        return to_numpy(std::move(out));
      },
      nb::arg("hyps").noconvert(), nb::arg("hyp_offsets").noconvert(), nb::arg("refs").noconvert(),
      nb::arg("ref_offsets").noconvert(), nb::arg("threads"),
      "For each word of the hypotheses, the word of the reference that its context identifies, or -1.");
}

}  // namespace hyperbaton::bindings
