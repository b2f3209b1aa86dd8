#include "edit/levenshtein.hpp"

#include "bindings/edit/pair_distances.hpp"

namespace hyperbaton::bindings {

void bind_levenshtein(nb::module_& m) {
  bind_pair_distances<Levenshtein>(
      m, "levenshtein", [](std::size_t from, std::size_t to) { return (from / 64 + 20) * to / 4; });
}

}  // namespace hyperbaton::bindings
