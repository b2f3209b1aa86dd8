#include "edit/translation_edit_rate.hpp"

#include "bindings/batch.hpp"

namespace hyperbaton::bindings {

void bind_translation_edit_rate(nb::module_& m) {
  m.def(
      "translation_edits",
      [](const Array<std::int32_t>& hypotheses, const Array<std::int64_t>& hypothesis_offsets,
         const Array<std::int32_t>& references, const Array<std::int64_t>& reference_offsets, int threads) {
        // Words are only compared with each other, so views of them suffice.
        const auto from = ragged(hypotheses, hypothesis_offsets), to = ragged(references, reference_offsets);
        check_same_size(from.size(), to.size());
        std::vector<std::int64_t> out(from.size());
        std::size_t cost = 0;
        for (std::size_t k = 0; k < from.size(); ++k) cost += 1000 * (from[k].size() + to[k].size()) + 1;
        run(from.size(), cost, threads, [&](const Stop& stop) {
          return [&, translation_edits = TranslationEdits()](std::size_t k) mutable {
            out[k] = translation_edits(from[k], to[k], stop);
          };
        });
        return to_numpy(std::move(out));
      },
      nb::arg("hypotheses").noconvert(), nb::arg("hypothesis_offsets").noconvert(),
      nb::arg("references").noconvert(), nb::arg("reference_offsets").noconvert(), nb::arg("threads"));
}

}  // namespace hyperbaton::bindings
