#include "support/exact_sum.hpp"

#include "bindings/batch.hpp"

namespace hyperbaton::bindings {

void bind_exact_sum(nb::module_& m) {
  m.def(
      "exact_partials", [](const Array<double>& numbers) { return to_numpy(exact_partials(view(numbers))); },
      nb::arg("numbers").noconvert());
}

}  // namespace hyperbaton::bindings
