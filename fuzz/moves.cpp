// Fuzz target: block moves against all subsets of children that may stay, their effect one by one, and the
// lists of reorderings against the plain tree.
#include <set>
#include <tuple>

#include "interruption.hpp"
#include "permutations/block_moves.hpp"
#include "permutations/reorderings.hpp"
#include "plain_permutations.hpp"

using namespace hyperbaton;
using fuzz::Input;
using fuzz::require;
using plain::Span;

namespace {

using Minor = std::vector<std::uint8_t>;

std::int32_t words_of(Span span) {
  return span.second - span.first;
}

std::int32_t majors_of(const Minor& minor, Span span) {
  std::int32_t count = 0;
  for (std::int32_t k = span.first; k < span.second; ++k)
    count += minor.empty() || minor[static_cast<std::size_t>(k)] == 0;
  return count;
}

// The increasing children with most major blocks, blocks, major words and words; of several, the lowest
// values from the last one on.
std::vector<Span> children_that_stay(const plain::Values& pi, const std::vector<Span>& children,
                                     const Minor& minor) {
  using Merit = std::tuple<std::int32_t, std::size_t, std::int32_t, std::int32_t, std::vector<std::int32_t>>;
  std::pair<Merit, std::vector<Span>> best;
  for (std::uint32_t subset = 0; subset < 1u << children.size(); ++subset) {
    std::vector<Span> stay;
    for (std::size_t k = 0; k < children.size(); ++k)
      if (subset >> k & 1) stay.push_back(children[k]);
    Merit merit{};
    bool increasing = true;
    for (std::size_t k = 0; k < stay.size(); ++k) {
      increasing = increasing && (k == 0 || pi[stay[k - 1].first] < pi[stay[k].first]);
      std::get<0>(merit) += majors_of(minor, stay[k]) > 0;
      std::get<2>(merit) += majors_of(minor, stay[k]);
      std::get<3>(merit) += words_of(stay[k]);
      std::get<4>(merit).insert(std::get<4>(merit).begin(), -pi[stay[k].first]);
    }
    std::get<1>(merit) = stay.size();
    if (increasing && merit > best.first) best = {merit, stay};
  }
  return best.second;
}

std::int32_t index_of(const plain::Values& order, std::int32_t word) {
  return static_cast<std::int32_t>(std::find(order.begin(), order.end(), word) - order.begin());
}

// Moves a block next to its anchor. The words of each must be neighbours, in any order.
void apply(const BlockMove& move, plain::Values& order) {
  const auto place = [&](std::int32_t start, std::int32_t end) {
    const auto inside = [&](std::int32_t word) { return word >= start && word < end; };
    const auto first = std::find_if(order.begin(), order.end(), inside);
    const auto last = std::find_if_not(first, order.end(), inside);
    require(end > start && last - first == end - start, "a block is contiguous");
    return std::pair(first, last);
  };
  place(move.anchor_start, move.anchor_end);
  const auto [from, to] = place(move.start, move.end);
  const plain::Values block(from, to);
  order.erase(from, to);
  const auto [first, last] = place(move.anchor_start, move.anchor_end);
  order.insert(move.before ? first : last, block.begin(), block.end());
}

void check_plain(const plain::Values& pi, const Minor& minor, const std::vector<BlockMove>& moves) {
  struct Mover {
    Span block;
    std::size_t node;
  };
  std::vector<Mover> movers;
  std::vector<std::vector<Span>> placed;
  for (const plain::Node& node : plain::flat_tree(pi)) {
    placed.push_back(children_that_stay(pi, node.children, minor));
    for (const Span& child : node.children)
      if (std::find(placed.back().begin(), placed.back().end(), child) == placed.back().end())
        movers.push_back({child, placed.size() - 1});
  }
  std::sort(movers.begin(), movers.end(), [&](const Mover& a, const Mover& b) {
    const auto key = [&](Span block) {
      return std::tuple(majors_of(minor, block) == 0, -words_of(block), block);
    };
    return key(a.block) < key(b.block);
  });
  require(movers.size() == moves.size(), "these blocks move");
  plain::Values order;
  for (std::size_t k = 0; k < pi.size(); ++k) order.push_back(static_cast<std::int32_t>(k));
  for (std::size_t k = 0; k < moves.size(); ++k) {
    const BlockMove& move = moves[k];
    const Span block = movers[k].block;
    require(Span(move.start, move.end) == block, "blocks move in this order");
    require(move.minor == (majors_of(minor, block) == 0), "a block is minor if all of its words are");
    // It goes before the lowest placed sibling above it, or after the highest one below.
    std::vector<Span>& siblings = placed[movers[k].node];
    const Span *above = nullptr, *below = nullptr;
    for (const Span& sibling : siblings) {
      const std::int32_t value = pi[sibling.first];
      if (value > pi[block.first] && (above == nullptr || value < pi[above->first])) above = &sibling;
      if (value < pi[block.first] && (below == nullptr || value > pi[below->first])) below = &sibling;
    }
    const bool before = below == nullptr || index_of(order, below->first) < index_of(order, block.first);
    require(move.before == before, "a block moves to one side");
    require(Span(move.anchor_start, move.anchor_end) == (before ? *above : *below), "a block has its anchor");
    plain::Values after = order;
    apply(move, after);
    std::int32_t passed = 0;
    for (const std::int32_t word : order) {
      if (word >= move.start && word < move.end) continue;
      passed += (index_of(order, word) < index_of(order, move.start)) !=
                (index_of(after, word) < index_of(after, move.start));
    }
    require(move.distance == passed, "the distance is the number of words that it passes");
    siblings.push_back(block);
    order = after;
  }
}

// All lists as multisets.
void check_reorderings(const plain::Values& pi, const Reorderings& ours) {
  std::multiset<std::int32_t> rising, falling, primal;
  std::multiset<plain::Values> operators;
  for (const plain::Node& node : plain::canonical_tree(pi)) {
    (node.rising() ? rising : node.falling() ? falling : primal).insert(words_of(node.span));
    if (!node.rising() && !node.falling()) operators.insert(node.ranks);
  }
  std::multiset<std::pair<std::int32_t, std::int32_t>> blocks;
  for (const plain::Node& node : plain::flat_tree(pi)) {
    for (const Span& child : node.children) {
      std::int32_t target = node.span.first;
      for (const Span& other : node.children)
        if (pi[other.first] < pi[child.first]) target += words_of(other);
      if (target != child.first) blocks.insert({std::abs(target - child.first), words_of(child)});
    }
  }
  const auto same = [](const std::multiset<std::int32_t>& wanted, const std::vector<std::int32_t>& list) {
    return wanted == std::multiset<std::int32_t>(list.begin(), list.end());
  };
  require(same(rising, ours.rising) && same(falling, ours.falling) && same(primal, ours.primal),
          "operators have their spans");
  std::multiset<plain::Values> our_operators;
  std::size_t begin = 0;
  for (const std::int64_t end : ours.ends) {
    our_operators.emplace(ours.operators.begin() + static_cast<std::ptrdiff_t>(begin),
                          ours.operators.begin() + end);
    begin = static_cast<std::size_t>(end);
  }
  require(begin == ours.operators.size() && operators == our_operators, "the longer operators");
  std::multiset<std::pair<std::int32_t, std::int32_t>> our_blocks;
  require(ours.distances.size() == ours.sizes.size(), "a distance for each size");
  for (std::size_t k = 0; k < ours.sizes.size(); ++k) our_blocks.insert({ours.distances[k], ours.sizes[k]});
  require(blocks == our_blocks, "blocks have their distances and sizes");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const bool stopped = input.byte() == 255, large = input.number(0, 3) == 3;
  const Permutation pi = plain::read_permutation(input, large ? 60 : 9);
  Minor minor;
  if (input.flag())
    for (std::int32_t k = 0; k < pi.size(); ++k) minor.push_back(input.number(0, 3) == 3);

  static PermutationTreeBuilder builder;
  const PermutationTree tree = builder.build(pi);
  static BlockMoveFinder finder;
  static Stop stop{false};
  if (stopped) {  // and go on with the same memory
    std::vector<BlockMove> none;
    const auto find = [&] { finder.append_moves(pi, tree, minor, stop, none); };
    require(fuzz::interrupts(stop, find) || none.empty(), "a stop interrupts");
  }
  std::vector<BlockMove> moves;
  finder.append_moves(pi, tree, minor, stop, moves);
  plain::Values order;
  for (std::int32_t k = 0; k < pi.size(); ++k) order.push_back(k);
  for (const BlockMove& move : moves) apply(move, order);
  for (std::size_t k = 0; k < order.size(); ++k)
    require(pi.value[static_cast<std::size_t>(order[k])] == static_cast<std::int32_t>(k),
            "the moves put the words in order");
  if (!large) check_plain(pi.value, minor, moves);

  Reorderings once, twice;
  once.add(pi, tree);
  check_reorderings(pi.value, once);
  twice.add(pi, tree);
  twice.append(once);
  const auto double_size = [](const auto& both, const auto& one) { return both.size() == 2 * one.size(); };
  require(double_size(twice.operators, once.operators) && double_size(twice.ends, once.ends) &&
              double_size(twice.sizes, once.sizes) && double_size(twice.rising, once.rising),
          "lists are joined");
  require(twice.ends.empty() || twice.ends.back() == static_cast<std::int64_t>(twice.operators.size()),
          "ends are those in the joined list");
  return 0;
}
