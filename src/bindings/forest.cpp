#include "forest.hpp"

#include "batch.hpp"

namespace hyperbaton::bindings {
namespace {

using RecursiveScore = double (NodeScores::*)(const Tree&, std::size_t, double, const OperatorScore&);
using TreeMeasure = double (*)(const Tree&, std::size_t);

}  // namespace

void bind_forest(nb::module_& m) {
  auto bind_recursive = [&](const char* name, RecursiveScore score) {
    for_both_widths([&]<class Value>(Value) {
      m.def(
          name,
          [score](const Array<Value>& values, const Array<std::int64_t>& offsets, int threads, double beta,
                  double gamma) {
            return map(values, offsets, threads, [&](Analyzer& analyzer, std::size_t) {
              const Tree& tree = analyzer.build();
              return (analyzer.scores().*score)(tree, analyzer.size(), beta, {gamma, {}});
            });
          },
          nb::arg("values").noconvert(), nb::arg("offsets").noconvert(), nb::arg("threads"), nb::arg("beta"),
          nb::arg("gamma"));
      m.def(
          name,
          [score](const Array<Value>& values, const Array<std::int64_t>& offsets, int threads, double beta,
                  const Array<double>& scores, const Array<std::int64_t>& node_offsets) {
            if (node_offsets.size() != offsets.size())
              throw std::invalid_argument("one range of operator scores is needed for each permutation");
            const Ragged<double> given = ragged(scores, node_offsets);
            return map(values, offsets, threads, [&](Analyzer& analyzer, std::size_t k) {
              const Tree& tree = analyzer.build();
              if (given[k].size() != tree.nodes.size())
                throw std::invalid_argument("one operator score is needed for each node");
              return (analyzer.scores().*score)(tree, analyzer.size(), beta, {0, given[k]});
            });
          },
          nb::arg("values").noconvert(), nb::arg("offsets").noconvert(), nb::arg("threads"), nb::arg("beta"),
          nb::arg("scores").noconvert(), nb::arg("node_offsets").noconvert());
    });
  };
  bind_recursive("pet", &NodeScores::pet);
  bind_recursive("pef", &NodeScores::pef);

  for_both_widths([&]<class Value>(Value) {
    m.def(
        "pef_beer",
        [](const Array<Value>& values, const Array<std::int64_t>& offsets, int threads, double beta) {
          return map(values, offsets, threads, [&](Analyzer& analyzer, std::size_t) {
            const Tree& tree = analyzer.build();
            return analyzer.scores().pef_beer(tree, analyzer.size(), beta);
          });
        },
        nb::arg("values").noconvert(), nb::arg("offsets").noconvert(), nb::arg("threads"), nb::arg("beta"));
  });

  auto bind_shape = [&](const char* name, TreeMeasure measure) {
    for_both_widths([&]<class Value>(Value) {
      m.def(
          name,
          [measure](const Array<Value>& values, const Array<std::int64_t>& offsets, int threads) {
            return map(values, offsets, threads, [measure](Analyzer& analyzer, std::size_t) {
              const Tree& tree = analyzer.build();
              return measure(tree, analyzer.size());
            });
          },
          nb::arg("values").noconvert(), nb::arg("offsets").noconvert(), nb::arg("threads"));
    });
  };
  bind_shape("pet_size", pet_size);
  bind_shape("pet_count", pet_count);
  bind_shape("max_operator", max_operator);
  bind_shape("average_operator", average_operator);
}

}  // namespace hyperbaton::bindings
