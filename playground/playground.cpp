// The part of the core that the playground needs, for JavaScript. Each function takes and returns arrays
// of numbers and strings; model.js puts them together.
#include <emscripten/bind.h>
#include <emscripten/val.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "alignment/alignment_search.hpp"
#include "alignment/anchored_links.hpp"
#include "alignment/link_order.hpp"
#include "alignment/word_matcher.hpp"
#include "edit/cder.hpp"
#include "edit/inversion_distance.hpp"
#include "permutations/binarization.hpp"
#include "permutations/block_moves.hpp"
#include "permutations/measures.hpp"
#include "support/errors.hpp"
#include "text/tokenizer_13a.hpp"
#include "text/utf8.hpp"

namespace hyperbaton {
namespace {

using emscripten::val;
using Numbers = std::vector<std::int32_t>;

const Stop never{false};

Numbers numbers_of(const val& array) {
  return emscripten::convertJSArrayToNumberVector<std::int32_t>(array);
}

val array_of(const auto& items) {
  return val::array(items.begin(), items.end());
}

// The text of a tree, as in Python's str(tree): an operator is followed by its children in brackets.
std::string brackets(const Permutation& pi, const PermutationTree& tree) {
  std::string text;
  const auto append = [&](const auto& append, std::int32_t child) -> void {
    if (is_leaf(child)) {
      text += std::to_string(pi.value[~child] + 1);
      return;
    }
    const auto children = tree.children_of(child);
    if (tree.nodes[child].kind != OperatorKind::primal && children.size() > 2)
      text += std::to_string(children.size() - 1) + "×";
    Numbers ranks;
    append_operator(pi, tree, child, ranks);
    for (std::size_t k = 0; k < ranks.size(); ++k) text += (k == 0 ? "⟨" : ",") + std::to_string(ranks[k]);
    text += "⟩";
    for (std::size_t k = 0; k < children.size(); ++k) {
      text += k == 0 ? "[" : ", ";
      append(append, children[k]);
    }
    text += "]";
  };
  if (pi.size() > 0) append(append, tree.nodes.empty() ? ~0 : 0);
  return text;
}

// The blocks that move, as drawings.js takes them: moves of punctuation alone are pale.
val moves_of(const Permutation& pi, const PermutationTree& flat, const std::vector<std::uint8_t>& minor) {
  std::vector<BlockMove> moves;
  BlockMoveFinder().append_moves(pi, flat, minor, never, moves);
  val list = val::array();
  for (const BlockMove& move : moves) {
    val item = val::object();
    item.set("span", array_of(Numbers{move.start, move.end}));
    item.set("pale", move.minor);
    list.call<void>("push", item);
  }
  return list;
}

// Everything about a permutation of 1..n, or the reason why it is none. `minor` marks places of
// punctuation, which rather moves than words do; it may be empty.
val analyse_permutation(const val& values, const val& minor) {
  val result = val::object();
  try {
    Permutation pi;
    const Numbers given = numbers_of(values);
    pi.load(std::span<const std::int32_t>(given));
    PermutationAnalysis analysis(never);
    analysis.load(pi);
    val scores = val::object();
    for (const Measure& measure : measures) scores.set(measure.name, measure.score(analysis));
    const PermutationTree& flat = analysis.tree();
    result.set("measures", scores);
    result.set("tree", brackets(pi, binarize(pi, flat, {})));
    result.set("flat", brackets(pi, flat));
    const Numbers flags = numbers_of(minor);
    result.set("moves", moves_of(pi, flat, {flags.begin(), flags.end()}));
  } catch (const InputError& error) {
    result.set("error", std::string(error.what()));
  }
  return result;
}

// The tokens of 13a.
val tokenize(const std::string& text) {
  val tokens = val::array();
  for_each_word(Tokenizer13a()(text),
                [&](std::string_view token, std::size_t) { tokens.call<void>("push", std::string(token)); });
  return tokens;
}

// The links of equal words, and the permutation without unaligned words. Words are numbers below `words`.
val align(const val& hypothesis, const val& reference, std::size_t words, double budget) {
  const Numbers hyp = numbers_of(hypothesis), ref = numbers_of(reference);
  const Vocabulary vocabulary(words, true, {}, {}, {});
  WordMatcher matcher(vocabulary);
  matcher.run(hyp, ref, {});
  AlignmentSearch search(std::vector<std::int64_t>(matcher_count, 1), static_cast<std::uint64_t>(budget),
                         never);
  search.run(matcher.links);
  AnchoredLinks(vocabulary).filter(hyp, ref, search.links);
  LinkOrder order;
  std::vector<std::int64_t> values(ref.size());
  values.resize(order.permutation(search.links, Unaligned::drop, values));
  val links = val::array();
  for (const Link& link : search.links) links.call<void>("push", array_of(Numbers{link.h, link.r}));
  const auto hyp_length = static_cast<std::int64_t>(hyp.size());
  const LinkSummary counts = order.count(search.links, hyp_length, static_cast<std::int64_t>(ref.size()));
  val result = val::object();
  result.set("links", links);
  result.set("exact", search.exact);
  result.set("chunks", static_cast<double>(counts.chunks));
  result.set("permutation", array_of(Numbers(values.begin(), values.end())));
  return result;
}

// Insertions, deletions and substitutions. The package has this distance from RapidFuzz.
std::size_t levenshtein(const Numbers& s, const Numbers& t) {
  std::vector<std::size_t> row(t.size() + 1);
  for (std::size_t j = 0; j <= t.size(); ++j) row[j] = j;
  for (const std::int32_t word : s) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= t.size(); ++j) {
      const std::size_t substituted = diagonal + (word != t[j - 1]);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::size_t bag_distance(Numbers s, Numbers t) {
  std::sort(s.begin(), s.end());
  std::sort(t.begin(), t.end());
  Numbers common;
  std::set_intersection(s.begin(), s.end(), t.begin(), t.end(), std::back_inserter(common));
  return std::max(s.size(), t.size()) - common.size();
}

// The errors of WER, PER, CDER and invWER; the last is known to lie between two bounds.
val count_errors(const val& hypothesis, const val& reference, double budget) {
  const Numbers hyp = numbers_of(hypothesis), ref = numbers_of(reference);
  InversionSolver solver(never);
  solver.load(hyp, ref, {1, 1, 1, 1});
  const Bounds bounds = solver.distance(static_cast<std::uint64_t>(budget));
  val result = val::object();
  result.set("wer", levenshtein(hyp, ref));
  result.set("per", bag_distance(hyp, ref));
  result.set("cder", static_cast<double>(Cder()(hyp, ref, never)));
  result.set("invwer", static_cast<double>(bounds.upper));
  result.set("invwer_lower", static_cast<double>(bounds.lower));
  return result;
}

EMSCRIPTEN_BINDINGS(playground) {
  emscripten::function("analysePermutation", &analyse_permutation);
  emscripten::function("tokenize", &tokenize);
  emscripten::function("align", &align);
  emscripten::function("countErrors", &count_errors);
}

}  // namespace
}  // namespace hyperbaton
