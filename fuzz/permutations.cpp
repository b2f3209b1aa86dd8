// Fuzz target: trees and measures of a permutation against their definitions (Stanojević & Sima'an 2014,
// figure 2, and 2016, figure 7), and every binarization of a tree.
#include <array>
#include <cmath>
#include <cstring>
#include <string_view>

#include "permutations/binarization.hpp"
#include "permutations/measures.hpp"
#include "plain_permutations.hpp"

using namespace hyperbaton;
using fuzz::Input;
using fuzz::require;

namespace {

OperatorKind kind_of(const plain::Node& node) {
  return node.rising() ? OperatorKind::rising : node.falling() ? OperatorKind::falling : OperatorKind::primal;
}

plain::Span span_of(const PermutationTree& tree, std::int32_t child) {
  if (is_leaf(child)) return {~child, ~child + 1};
  return {tree.nodes[static_cast<std::size_t>(child)].start, tree.nodes[static_cast<std::size_t>(child)].end};
}

void check_node(const Permutation& pi, const PermutationTree& tree, std::size_t k, const plain::Node& node) {
  const PermutationTreeNode& ours = tree.nodes[k];
  require(plain::Span(ours.start, ours.end) == node.span, "a node has its span");
  require(ours.low == plain::lowest(pi.value, node.span), "a node has its lowest value");
  require(ours.kind == kind_of(node), "a node is rising, falling or primal");
  const auto children = tree.children_of(k);
  require(children.size() == node.children.size(), "a node has its children");
  for (std::size_t i = 0; i < children.size(); ++i)
    require(span_of(tree, children[i]) == node.children[i], "a child has its span");
  std::vector<std::int32_t> operators;
  append_operator(pi, tree, k, operators);
  require(operators == node.operators(), "a node has its operator");
}

// The nodes of a PET in any order: each is found by its span.
void check_pet(const Permutation& pi, const PermutationTree& pet) {
  std::size_t below = 0;
  for (std::size_t k = 0; k < pet.nodes.size(); ++k) {
    plain::Node node{{pet.nodes[k].start, pet.nodes[k].end}, {}, {}};
    for (const std::int32_t child : pet.children_of(k)) {
      node.children.push_back(span_of(pet, child));
      below += !is_leaf(child);
    }
    require(plain::is_subpermutation(pi.value, node.span), "a node of a PET is a sub-permutation");
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const std::int32_t expected = i == 0 ? node.span.first : node.children[i - 1].second;
      require(node.children[i].first == expected, "children are neighbours");
    }
    require(node.children.back().second == node.span.second, "children cover their node");
    node.ranks = plain::ranks(pi.value, node.children);
    require(node.ranks.size() == 2 || kind_of(node) == OperatorKind::primal, "chains are binary");
    check_node(pi, pet, k, node);
  }
  require(pet.nodes.empty() || below + 1 == pet.nodes.size(), "every node but the root is a child");
}

void check_binarizations(const Permutation& pi, const PermutationTree& flat, Input& input) {
  const PermutationTree canonical = binarize(pi, flat, {});
  check_pet(pi, canonical);
  auto nodes = plain::canonical_tree(pi.value);
  std::sort(nodes.begin(), nodes.end(), [](const plain::Node& a, const plain::Node& b) {
    return std::pair(a.span.first, -a.span.second) < std::pair(b.span.first, -b.span.second);
  });
  require(nodes.size() == canonical.nodes.size(), "the canonical PET has its operators");
  for (std::size_t k = 0; k < nodes.size(); ++k) check_node(pi, canonical, k, nodes[k]);

  // Any numbers of reductions, or those of a shift-reduce parser that the input controls.
  std::vector<std::int32_t> reduces;
  const bool valid = input.flag();
  for (std::size_t k = 0; k < flat.nodes.size(); ++k) {
    if (flat.nodes[k].kind == OperatorKind::primal) continue;
    const auto arity = static_cast<std::int32_t>(flat.children_of(k).size());
    std::int32_t stack = 0;
    for (std::int32_t i = 0; i < arity; ++i) {
      ++stack;
      const std::int32_t all = stack - 1, wanted = static_cast<std::int32_t>(input.number(0, 3));
      const std::int32_t times = !valid ? wanted - 1 : i + 1 == arity ? all : std::min(wanted, all);
      stack -= times;
      reduces.push_back(times);
    }
  }
  if (!valid) reduces.resize(std::min(reduces.size(), input.size(80)));
  try {
    const PermutationTree pet = binarize(pi, flat, reduces);
    check_pet(pi, pet);
  } catch (const std::invalid_argument&) {
    require(!valid, "the reductions of a parser make a tree");
  }
}

double choose(std::size_t n, std::size_t k) {
  double result = 1;
  for (std::size_t i = 1; i <= k; ++i)
    result = result * static_cast<double>(n - k + i) / static_cast<double>(i);
  return result;
}

std::size_t longest_increasing(const plain::Values& pi) {
  std::vector<std::size_t> best;
  for (std::size_t i = 0; i < pi.size(); ++i) {
    best.push_back(1);
    for (std::size_t j = 0; j < i; ++j)
      if (pi[j] < pi[i]) best[i] = std::max(best[i], best[j] + 1);
  }
  return best.empty() ? 0 : *std::max_element(best.begin(), best.end());
}

// NaN if the definition of a measure is in another target.
double expected(std::string_view name, const plain::Values& pi) {
  const auto n = static_cast<double>(pi.size());
  double inversions = 0, squares = 0, distance = 0, fixed = 0, consecutive = 0;
  for (std::size_t i = 0; i < pi.size(); ++i) {
    const double moved = pi[i] - static_cast<double>(i);
    squares += moved * moved;
    distance += std::fabs(moved);
    fixed += moved == 0;
    consecutive += i > 0 && pi[i] == pi[i - 1] + 1;
    for (std::size_t j = 0; j < i; ++j) inversions += pi[j] > pi[i];
  }
  if (n == 0) return name.starts_with("pef") || name == "pet" ? std::nan("") : 0;
  if (name == "breakpoints") return (consecutive + (pi.front() == 0) + (pi.back() == n - 1)) / (n + 1);
  if (name == "pet" || name == "pef" || name == "pef_beer") return std::nan("");
  if (n == 1) return 1;
  const double pairs = n * (n - 1) / 2;
  if (name == "kendall") return 1 - inversions / pairs;
  if (name == "kendall_sqrt") return 1 - std::sqrt(inversions / pairs);
  if (name == "spearman") return 1 - 3 * squares / (n * (n * n - 1));
  if (name == "footrule") return 1 - distance / std::floor(n * n / 2);
  if (name == "hamming") return fixed / n;
  if (name == "ulam") return (static_cast<double>(longest_increasing(pi)) - 1) / (n - 1);
  if (name == "fuzzy") return consecutive / (n - 1);
  if (n == 2) return 1;
  const auto operators = plain::canonical_tree(pi);
  double sum = 0, most = 0, trees = 1;
  for (const plain::Node& node : operators) {
    sum += static_cast<double>(node.ranks.size());
    most = std::max(most, static_cast<double>(node.ranks.size()));
  }
  const auto count = static_cast<double>(operators.size());
  if (name == "pet_size") return (count - 1) / (n - 2);
  if (name == "max_operator") return 1 - (most - 2) / (n - 2);
  if (name == "average_operator") return 1 - (sum / count - 2) / (n - 2);
  require(name == "pet_count", "every measure is known here");
  for (const plain::Node& node : plain::flat_tree(pi)) {
    const std::size_t k = node.children.size() - 1;
    if (kind_of(node) != OperatorKind::primal) trees *= choose(2 * k, k) / static_cast<double>(k + 1);
  }
  const auto k = pi.size() - 1;
  return (trees - 1) / (choose(2 * k, k) / static_cast<double>(k + 1) - 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const Permutation pi = plain::read_permutation(input, input.number(0, 3) == 3 ? 40 : 14);

  static PermutationTreeBuilder builder;
  const PermutationTree flat = builder.build(pi);
  const auto nodes = plain::flat_tree(pi.value);
  require(flat.nodes.size() == nodes.size(), "the tree has its nodes");
  for (std::size_t k = 0; k < nodes.size(); ++k) check_node(pi, flat, k, nodes[k]);
  check_binarizations(pi, flat, input);

  static const Stop stop{false};
  static PermutationAnalysis analysis(stop), of_inverse(stop);
  Permutation inverse;
  inverse.value.resize(pi.value.size());
  for (std::int32_t i = 0; i < pi.size(); ++i) inverse.value[static_cast<std::size_t>(pi.value[i])] = i;
  analysis.load(pi);
  of_inverse.load(inverse);
  for (const Measure& measure : measures) {
    const std::string_view name = measure.name;
    const double score = measure.score(analysis), wanted = expected(name, pi.value);
    const double least = name == "pef_beer" ? -0.1 : 0;  // it may fall slightly below 0
    require(score >= least && score <= 1, "a measure is in [0, 1]");
    if (!std::isnan(wanted)) require(std::fabs(score - wanted) < 1e-12, measure.name);
    if (std::is_sorted(pi.value.begin(), pi.value.end())) require(score == (pi.size() > 0), "1 if in order");
    // Only the canonical PET depends on the side.
    if (name != "pet") require(std::fabs(score - measure.score(of_inverse)) < 1e-12, "as of the inverse");
  }
  return 0;
}
