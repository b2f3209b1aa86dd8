#include "permutations/tree.hpp"

#include <optional>

#include "bindings/permutations/permutation_batch.hpp"
#include "permutations/binarization.hpp"

namespace hyperbaton::bindings {
namespace {

auto to_arrays(PermutationTree&& tree) {
  const std::size_t size = tree.nodes.size();
  std::vector<std::int32_t> start(size), end(size), low(size), first_child(size + 1);
  std::vector<std::uint8_t> chain(size);
  for (std::size_t k = 0; k < size; ++k) {
    const PermutationTreeNode& node = tree.nodes[k];
    start[k] = node.start;
    end[k] = node.end;
    low[k] = node.low + 1;
    first_child[k] = node.first_child;
    chain[k] = node.kind != OperatorKind::primal;
  }
  first_child[size] = static_cast<std::int32_t>(tree.children.size());
  return to_tuple(std::move(start), std::move(end), std::move(low), std::move(chain), std::move(first_child),
                  std::move(tree.children));
}

}  // namespace

void bind_tree(nb::module_& m) {
  m.def(
      "flat_tree",
      [](const Array<std::int32_t>& values) {
        PermutationTree tree;
        {
          std::optional<WithoutGil> no_gil;
          if (worth_threads(values.size())) no_gil.emplace();
          Permutation pi;
          pi.load(view(values));
          tree = std::move(PermutationTreeBuilder().build(pi));
        }
        return to_arrays(std::move(tree));
      },
      nb::arg("values").noconvert(),
      "The flattened tree: start, end, low, chain (whether the node is a chain), first_child and children of "
      "its nodes, in pre-order.");

  m.def(
      "pet_tree",
      [](const Array<std::int32_t>& values, const Array<std::int32_t>& reduces) {
        PermutationTree tree;
        {
          std::optional<WithoutGil> no_gil;
          if (worth_threads(values.size())) no_gil.emplace();
          Permutation pi;
          pi.load(view(values));
          const PermutationTree flat =
              std::move(PermutationTreeBuilder().build(pi));  // frees the builder's memory
          tree = binarize(pi, flat, view(reduces));
        }
        return to_arrays(std::move(tree));
      },
      nb::arg("values").noconvert(), nb::arg("reduces").noconvert(),
      "The PET that `reduces` selects (empty: the canonical one), in the form of flat_tree.");

  m.def(
      "operators",
      [](const Integers& values, const Array<std::int64_t>& offsets, int threads) {
        const IntegerBatch batch(values, offsets);
        struct Operators {
          std::vector<std::int32_t> values;
          std::vector<std::int64_t> ends;
        };
        std::vector<Operators> by_permutation(batch.size());
        for_each_permutation(batch, threads, [&](const Stop&) {
          return [&, builder = PermutationTreeBuilder()](const Permutation& pi, std::size_t k) mutable {
            const PermutationTree& tree = builder.build(pi);
            Operators& operators = by_permutation[k];
            for (std::size_t node = 0; node < tree.nodes.size(); ++node) {
              append_operator(pi, tree, node, operators.values);
              operators.ends.push_back(static_cast<std::int64_t>(operators.values.size()));
            }
          };
        });
        std::vector<std::int32_t> flat;
        std::vector<std::int64_t> operator_offsets{0}, node_offsets{0};
        for (const Operators& operators : by_permutation) {
          const auto base = static_cast<std::int64_t>(flat.size());
          flat.insert(flat.end(), operators.values.begin(), operators.values.end());
          for (const std::int64_t end : operators.ends) operator_offsets.push_back(base + end);
          node_offsets.push_back(static_cast<std::int64_t>(operator_offsets.size()) - 1);
        }
        return to_tuple(std::move(flat), std::move(operator_offsets), std::move(node_offsets));
      },
      nb::arg("values").noconvert(), nb::arg("offsets").noconvert(), nb::arg("threads"),
      "The operators of all nodes of all flattened trees, in pre-order: flat values, the offset of each "
      "operator, and the index of each permutation's first operator.");
}

}  // namespace hyperbaton::bindings
