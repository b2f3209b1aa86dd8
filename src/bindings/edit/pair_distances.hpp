// Binds a distance of two sentences as a function of many pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bindings/batch.hpp"

namespace hyperbaton::bindings {

// `Distance` is called with both sentences and a stop. `cost` estimates the nanoseconds for two lengths.
template <class Distance, class Cost>
void bind_pair_distances(nb::module_& m, const char* name, Cost cost) {
  m.def(
      name,
      [cost](const Array<std::int32_t>& hypotheses, const Array<std::int64_t>& hypothesis_offsets,
             const Array<std::int32_t>& references, const Array<std::int64_t>& reference_offsets,
             int threads) {
        // Words are only compared with each other, so views of them suffice.
        const auto from = ragged(hypotheses, hypothesis_offsets), to = ragged(references, reference_offsets);
        check_same_size(from.size(), to.size());
        std::vector<std::int64_t> out(from.size());
        std::size_t total = 0;
        for (std::size_t k = 0; k < from.size(); ++k) total += cost(from[k].size(), to[k].size()) + 1;
        run(from.size(), total, threads, [&](const Stop& stop) {
          return
              [&, distance = Distance()](std::size_t k) mutable { out[k] = distance(from[k], to[k], stop); };
        });
        return to_numpy(std::move(out));
      },
      nb::arg("hypotheses").noconvert(), nb::arg("hypothesis_offsets").noconvert(),
      nb::arg("references").noconvert(), nb::arg("reference_offsets").noconvert(), nb::arg("threads"));
}

}  // namespace hyperbaton::bindings
