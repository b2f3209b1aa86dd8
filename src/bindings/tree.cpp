#include "tree.hpp"

#include <optional>

#include "batch.hpp"

namespace hyperbaton::bindings {
namespace {

nb::tuple arrays(Tree&& tree) {
  const std::size_t size = tree.nodes.size();
  std::vector<std::int32_t> start(size), end(size), low(size), first_child(size + 1);
  std::vector<std::uint8_t> chain(size);
  for (std::size_t k = 0; k < size; ++k) {
    const TreeNode& node = tree.nodes[k];
    start[k] = node.start;
    end[k] = node.end;
    low[k] = node.low + 1;
    first_child[k] = node.first_child;
    chain[k] = node.kind != Kind::primal;
  }
  first_child[size] = static_cast<std::int32_t>(tree.children.size());
  return nb::make_tuple(to_numpy(std::move(start)), to_numpy(std::move(end)), to_numpy(std::move(low)),
                        to_numpy(std::move(chain)), to_numpy(std::move(first_child)),
                        to_numpy(std::move(tree.children)));
}

}  // namespace

void bind_tree(nb::module_& m) {
  m.def(
      "flat_tree",
      [](const Array<std::int32_t>& values) {
        Tree tree;
        {
          std::optional<WithoutGil> no_gil;
          if (worth_threads(values.size())) no_gil.emplace();
          Permutation pi;
          pi.load(view(values));
          tree = std::move(TreeBuilder().build(pi));
        }
        return arrays(std::move(tree));
      },
      nb::arg("values").noconvert(),
      "The flattened tree: start, end, low, chain (whether a node is one), first_child and children of its "
      "nodes, in pre-order.");

  m.def(
      "pet_tree",
      [](const Array<std::int32_t>& values, const Array<std::int32_t>& reduces) {
        Tree tree;
        {
          std::optional<WithoutGil> no_gil;
          if (worth_threads(values.size())) no_gil.emplace();
          Permutation pi;
          pi.load(view(values));
          const Tree flat = std::move(TreeBuilder().build(pi));  // whose memory is free again here
          tree = binarize(pi, flat, view(reduces));
        }
        return arrays(std::move(tree));
      },
      nb::arg("values").noconvert(), nb::arg("reduces").noconvert(),
      "The PET that `reduces` chooses (empty: the canonical one), as flat_tree gives it.");

  for_both_widths([&]<class Value>(Value) {
    m.def(
        "operators",
        [](const Array<Value>& values, const Array<std::int64_t>& offsets, int threads) {
          const auto batch = ragged(values, offsets);
          struct Operators {
            std::vector<std::int32_t> values;
            std::vector<std::int64_t> ends;
          };
          std::vector<Operators> of(batch.size());
          for_each_permutation(batch, threads, [&](Analyzer& analyzer, std::size_t k) {
            const Tree& tree = analyzer.build();
            for (std::size_t node = 0; node < tree.nodes.size(); ++node) {
              append_operator(analyzer.permutation(), tree, node, of[k].values);
              of[k].ends.push_back(static_cast<std::int64_t>(of[k].values.size()));
            }
          });
          std::vector<std::int32_t> flat;
          std::vector<std::int64_t> operator_offsets{0}, node_offsets{0};
          for (const Operators& one : of) {
            const auto base = static_cast<std::int64_t>(flat.size());
            flat.insert(flat.end(), one.values.begin(), one.values.end());
            for (const std::int64_t end : one.ends) operator_offsets.push_back(base + end);
            node_offsets.push_back(static_cast<std::int64_t>(operator_offsets.size()) - 1);
          }
          return nb::make_tuple(to_numpy(std::move(flat)), to_numpy(std::move(operator_offsets)),
                                to_numpy(std::move(node_offsets)));
        },
        nb::arg("values").noconvert(), nb::arg("offsets").noconvert(), nb::arg("threads"),
        "The operators of every node of every flattened tree, in pre-order: flat values, where each operator "
        "starts, and which operator each permutation starts with.");
  });
}

}  // namespace hyperbaton::bindings
