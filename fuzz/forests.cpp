// Fuzz target: PETscore and PEFscore against plain recursions over the forest (Stanojević & Sima'an 2014,
// figures 5 and 6), BEER's variant against a mean over all PETs, and Catalan numbers.
#include <cfloat>
#include <cmath>

#include "interruption.hpp"
#include "permutations/recursive_scores.hpp"
#include "plain_permutations.hpp"

using namespace hyperbaton;
using fuzz::Input;
using fuzz::require;
using plain::Span;

namespace {

bool near(double a, double b) {
  return std::fabs(a - b) < 1e-11;
}

// A short permutation, its forest, and the score of the operator of each span.
struct Case {
  const plain::Values& pi;
  double beta, gamma;
  const std::vector<double>& given;  // for each node of the flattened tree, or empty
  std::vector<plain::Node> flat = plain::flat_tree(pi);
  plain::Forest forest{pi};
  std::map<Span, double> scores{};

  static bool is_leaf(Span span) { return span.second - span.first == 1; }

  // A span is a node of the flattened tree, or a part of a chain: the smallest node around it has its
  // operator.
  double op(Span span) {
    std::size_t node = 0;
    for (std::size_t k = 0; k < flat.size(); ++k)
      if (flat[k].span.first <= span.first && span.second <= flat[k].span.second) node = k;
    if (!given.empty()) return given[node];
    return flat[node].rising() ? 1 : flat[node].falling() ? gamma : 0;
  }

  double mean_of_inner(const std::vector<double>& inner) {
    double sum = 0;
    for (const double score : inner) sum += score;
    return sum / static_cast<double>(inner.size());
  }

  double pef(Span span) {
    if (const auto known = scores.find(span); known != scores.end()) return known->second;
    double sum = 0, count = 0;
    for (const auto& parts : std::vector(forest.inferences(span))) {
      std::vector<double> inner;
      for (const Span& part : parts)
        if (!is_leaf(part)) inner.push_back(pef(part));
      if (inner.empty()) return scores[span] = op(span);
      sum += mean_of_inner(inner);
      ++count;
    }
    return scores[span] = beta * op(span) + (1 - beta) * sum / count;
  }

  double pet() {
    std::map<Span, double> score;
    for (const plain::Node& node : plain::canonical_tree(pi)) {  // children first
      std::vector<double> inner;
      for (const Span& part : node.children)
        if (!is_leaf(part)) inner.push_back(score.at(part));
      const double own = op(node.span);
      score[node.span] = inner.empty() ? own : beta * own + (1 - beta) * mean_of_inner(inner);
    }
    return score.at({0, static_cast<std::int32_t>(pi.size())});
  }

  // The mean over all PETs, in which children are weighted by their words and leaves score 1.
  double beer(Span span) {
    if (is_leaf(span)) return 1;
    if (const auto known = scores.find(span); known != scores.end()) return known->second;
    double inside = 0, trees = 0;
    for (const auto& parts : std::vector(forest.inferences(span))) {
      double weight = 1, sum = 0;
      for (const Span& part : parts) {
        weight *= forest.count(part);
        sum += beer(part) * (part.second - part.first) / (span.second - span.first);
      }
      inside += weight * sum;
      trees += weight;
    }
    return scores[span] = beta * op(span) + (1 - beta) * inside / trees;
  }
};

double plain_beer(const plain::Values& pi, double beta) {
  const Span whole{0, static_cast<std::int32_t>(pi.size())};
  const plain::Values reversal = [&] {
    plain::Values values(pi.size());
    for (std::size_t k = 0; k < pi.size(); ++k) values[k] = static_cast<std::int32_t>(pi.size() - k) - 1;
    return values;
  }();
  const std::vector<double> none;
  const double raw = Case{pi, beta, 0, none}.beer(whole), least = Case{reversal, beta, 0, none}.beer(whole);
  return (raw - least) / (1 - least);
}

// The recursion of a chain over all of its parts, on the flattened tree: for permutations of any length.
double pef_by_chains(const PermutationTree& tree, double beta, const OperatorScore& op) {
  std::vector<double> score(tree.nodes.size());
  for (std::size_t k = tree.nodes.size(); k-- > 0;) {
    const auto children = tree.children_of(k);
    const std::size_t arity = children.size();
    const auto leaf = [&](std::size_t i) { return is_leaf(children[i]); };
    const double own = op(tree, k);
    if (tree.nodes[k].kind == OperatorKind::primal) {
      double sum = 0, inner = 0;
      for (std::size_t i = 0; i < arity; ++i)
        if (!leaf(i)) sum += score[static_cast<std::size_t>(children[i])], ++inner;
      score[k] = inner == 0 ? own : beta * own + (1 - beta) * sum / inner;
      continue;
    }
    std::vector<std::vector<double>> part(arity, std::vector<double>(arity));  // [first][last]
    for (std::size_t i = 0; i < arity; ++i)
      if (!leaf(i)) part[i][i] = score[static_cast<std::size_t>(children[i])];
    for (std::size_t length = 2; length <= arity; ++length) {
      for (std::size_t a = 0, b = length - 1; b < arity; ++a, ++b) {
        double sum = 0;
        for (std::size_t split = a; split < b; ++split) {
          const bool left = split > a || !leaf(a), right = split + 1 < b || !leaf(b);
          const double both = (left ? part[a][split] : 0) + (right ? part[split + 1][b] : 0);
          sum += left && right ? both / 2 : both;
        }
        const bool only_leaves = length == 2 && leaf(a) && leaf(b);
        part[a][b] = only_leaves ? own : beta * own + (1 - beta) * sum / static_cast<double>(length - 1);
      }
    }
    score[k] = part[0][arity - 1];
  }
  return score[0];
}

void check_catalan(std::int64_t k) {
  long double exact = 1;
  std::int64_t exponent = 0;
  for (std::int64_t i = 0; i < k; ++i) {
    int shift = 0;
    exact = std::frexp(exact * (2 * (2 * static_cast<long double>(i) + 1)) / static_cast<long double>(i + 2),
                       &shift);
    exponent += shift;
  }
  const ScaledNumber number = catalan(k);
  const long double ratio =
      std::ldexp(static_cast<long double>(number.mantissa), static_cast<int>(number.exponent - exponent)) /
      exact;
  const long double rounding = 2 * static_cast<long double>(k + 1) * LDBL_EPSILON;
  require(std::fabs(ratio - 1) <= 2 * static_cast<long double>(DBL_EPSILON) + rounding, "Catalan numbers");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  check_catalan(input.number(0, 2000));
  const double beta = static_cast<double>(input.number(0, 16)) / 16;
  const double gamma = static_cast<double>(input.number(0, 16)) / 16;
  const bool with_scores = input.flag(), long_one = input.number(0, 3) == 3, stopped = input.byte() == 255;
  const Permutation pi = plain::read_permutation(input, long_one ? 60 : 9);

  static PermutationTreeBuilder builder;
  const PermutationTree tree = builder.build(pi);
  std::vector<double> given;
  if (with_scores)
    for (std::size_t k = 0; k < tree.nodes.size(); ++k)
      given.push_back(static_cast<double>(input.number(0, 255)) / 255);
  const OperatorScore op{gamma, given};
  static Stop stop{false};
  static RecursiveScores scores(stop);
  const std::size_t n = pi.value.size();
  if (stopped) {
    fuzz::interrupts(stop, [&] {
      scores.pef(tree, n, beta, op);
      scores.pef_beer(tree, n, beta);
    });
  }
  const double pef = scores.pef(tree, n, beta, op), pet = scores.pet(tree, n, beta, op);
  const double beer = beta == 0 ? 0 : scores.pef_beer(tree, n, beta);  // 0/0 at 0: every tree scores 1
  for (const double score : {pet, pef}) require(score >= 0 && score <= 1, "a score is in [0, 1]");
  // It may fall slightly below that of the reversal.
  require(beer > -0.1 && beer <= 1, "BEER's score is at most 1, and not far below 0");
  if (n < 2) {
    require(pet == static_cast<double>(n) && pef == pet, "a word scores 1, and nothing scores 0");
    return 0;
  }
  require(near(pef, pef_by_chains(tree, beta, op)), "pef is the mean over the splits of every chain");
  if (long_one) return 0;
  Case plain_case{pi.value, beta, gamma, given};
  require(near(pet, plain_case.pet()), "pet is that of the canonical PET");
  require(near(pef, plain_case.pef({0, static_cast<std::int32_t>(n)})), "pef is that of the forest");
  if (beta > 0) require(near(beer, plain_beer(pi.value, beta)), "BEER's score is the mean over all PETs");
  return 0;
}
