#include "edit/cder.hpp"

#include "bindings/edit/pair_distances.hpp"

namespace hyperbaton::bindings {

void bind_cder(nb::module_& m) {
  bind_pair_distances<Cder>(m, "cder", [](std::size_t from, std::size_t to) { return from * to / 8; });
}

}  // namespace hyperbaton::bindings
