#include "permutations/recursive_scores.hpp"

#include "bindings/permutations/permutation_batch.hpp"

namespace hyperbaton::bindings {
namespace {

// Scores every permutation with score(scores, tree, n, k).
template <class Score>
Result<double> score_batch(const Integers& values, const Array<std::int64_t>& offsets, int threads,
                           Score score) {
  const IntegerBatch batch(values, offsets);
  std::vector<double> out(batch.size());
  for_each_permutation(batch, threads, [&](const Stop& stop) {
    return [&, builder = PermutationTreeBuilder(), scores = RecursiveScores(stop)](const Permutation& pi,
                                                                                   std::size_t k) mutable {
      const PermutationTree& tree = builder.build(pi);
      out[k] = score(scores, tree, pi.value.size(), k);
    };
  });
  return to_numpy(std::move(out));
}

}  // namespace

void bind_recursive_scores(nb::module_& m) {
  using Method =
      double (RecursiveScores::*)(const PermutationTree&, std::size_t, double, const OperatorScore&);
  auto bind = [&](const char* name, Method method) {
    m.def(
        name,
        [method](const Integers& values, const Array<std::int64_t>& offsets, int threads, double beta,
                 double gamma) {
          return score_batch(values, offsets, threads,
                             [&](RecursiveScores& scores, const PermutationTree& tree, std::size_t n,
                                 std::size_t) { return (scores.*method)(tree, n, beta, {gamma, {}}); });
        },
        nb::arg("values").noconvert(), nb::arg("offsets").noconvert(), nb::arg("threads"), nb::arg("beta"),
        nb::arg("gamma"));
    m.def(
        name,
        [method](const Integers& values, const Array<std::int64_t>& offsets, int threads, double beta,
                 const Array<double>& scores, const Array<std::int64_t>& node_offsets) {
          if (node_offsets.size() != offsets.size())
            throw std::invalid_argument("offsets and node_offsets must have the same length");
          const Ragged<double> op_scores = ragged(scores, node_offsets);
          return score_batch(
              values, offsets, threads,
              [&](RecursiveScores& scores, const PermutationTree& tree, std::size_t n, std::size_t k) {
                if (op_scores[k].size() != tree.nodes.size())
                  throw std::invalid_argument("each node needs one operator score");
                return (scores.*method)(tree, n, beta, {0, op_scores[k]});
              });
        },
        nb::arg("values").noconvert(), nb::arg("offsets").noconvert(), nb::arg("threads"), nb::arg("beta"),
        nb::arg("scores").noconvert(), nb::arg("node_offsets").noconvert());
  };
  bind("pet", &RecursiveScores::pet);
  bind("pef", &RecursiveScores::pef);

  m.def(
      "pef_beer",
      [](const Integers& values, const Array<std::int64_t>& offsets, int threads, double beta) {
        return score_batch(values, offsets, threads,
                           [&](RecursiveScores& scores, const PermutationTree& tree, std::size_t n,
                               std::size_t) { return scores.pef_beer(tree, n, beta); });
      },
      nb::arg("values").noconvert(), nb::arg("offsets").noconvert(), nb::arg("threads"), nb::arg("beta"));
}

}  // namespace hyperbaton::bindings
