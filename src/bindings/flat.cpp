#include "flat.hpp"

#include "batch.hpp"

namespace hyperbaton::bindings {

void bind_flat(nb::module_& m) {
  auto bind = [&](const char* name, FlatMeasure measure) {
    for_both_widths([&]<class Value>(Value) {
      m.def(
          name,
          [measure](const Array<Value>& values, const Array<std::int64_t>& offsets, int threads) {
            return map(values, offsets, threads,
                       [measure](Analyzer& analyzer, std::size_t) { return analyzer.flat(measure); });
          },
          nb::arg("values").noconvert(), nb::arg("offsets").noconvert(), nb::arg("threads"));
    });
  };
  bind("kendall", kendall);
  bind("kendall_sqrt", kendall_sqrt);
  bind("spearman", spearman);
  bind("footrule", footrule);
  bind("hamming", hamming);
  bind("ulam", ulam);
  bind("fuzzy", fuzzy);
}

}  // namespace hyperbaton::bindings
