#include "edit/translation_edit_rate.hpp"

#include "bindings/edit/pair_distances.hpp"

namespace hyperbaton::bindings {

void bind_translation_edit_rate(nb::module_& m) {
  bind_pair_distances<TranslationEdits>(m, "translation_edits",
                                        [](std::size_t from, std::size_t to) { return 1000 * (from + to); });
}

}  // namespace hyperbaton::bindings
