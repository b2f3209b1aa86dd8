// Fuzz target: the tree edit distance along every kind of path against the recursion that defines it
// (Demaine et al. 2009, section 2), the mapping, and the refusal of heads that are no tree.
#include <map>
#include <tuple>

#include "input.hpp"
#include "trees/tree_edit_distance.hpp"

using namespace hyperbaton;
using fuzz::Input;
using fuzz::require;

namespace {

using Heads = std::vector<std::int64_t>;  // from 1; 0 for a root

// Whether token x is below token y, counted from 0.
bool is_below(const Heads& heads, std::size_t x, std::size_t y) {
  for (std::int64_t head = heads[x]; head > 0; head = heads[static_cast<std::size_t>(head) - 1])
    if (static_cast<std::size_t>(head) - 1 == y) return true;
  return false;
}

bool is_tree(const Heads& heads) {
  const auto n = static_cast<std::int64_t>(heads.size());
  for (std::int64_t head : heads) {
    for (std::int64_t step = 0; head != 0; ++step) {
      if (head < 0 || head > n || step > n) return false;
      head = heads[static_cast<std::size_t>(head) - 1];
    }
  }
  return true;
}

// Whether token x comes before token y in postorder: the subtrees of siblings are in the order of the
// siblings.
bool comes_before(const Heads& heads, std::size_t x, std::size_t y) {
  if (is_below(heads, x, y)) return true;
  if (x == y || is_below(heads, y, x)) return false;
  const auto ancestor_beside = [&](std::size_t node, std::size_t other) {
    while (heads[node] > 0 && !is_below(heads, other, static_cast<std::size_t>(heads[node]) - 1))
      node = static_cast<std::size_t>(heads[node]) - 1;
    return node;
  };
  return ancestor_beside(x, y) < ancestor_beside(y, x);
}

// The most that two forests save. A forest is a set of tokens, one bit each.
struct Recursion {
  const Heads &a, &b;
  const std::vector<std::int64_t>& savings;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> known{};

  static std::size_t last_root(const Heads& heads, std::uint32_t forest) {
    std::size_t last = heads.size();
    for (std::size_t x = 0; x < heads.size(); ++x)
      if (forest >> x & 1 && (last == heads.size() || comes_before(heads, last, x))) last = x;
    return last;
  }
  static std::uint32_t below(const Heads& heads, std::size_t root) {
    std::uint32_t forest = 0;
    for (std::size_t x = 0; x < heads.size(); ++x)
      if (is_below(heads, x, root)) forest |= 1u << x;
    return forest;
  }

  std::int64_t most(std::uint32_t f, std::uint32_t g) {
    if (f == 0 || g == 0) return 0;
    if (const auto at = known.find({f, g}); at != known.end()) return at->second;
    const std::size_t x = last_root(a, f), y = last_root(b, g);
    const std::uint32_t bit_x = 1u << x, bit_y = 1u << y, below_x = below(a, x), below_y = below(b, y);
    const std::int64_t match = savings[x * b.size() + y] + most(below_x, below_y) +
                               most(f & ~(below_x | bit_x), g & ~(below_y | bit_y));
    return known[{f, g}] = std::max({match, most(f & ~bit_x, g), most(f, g & ~bit_y)});
  }
};

void check_mapping(const Heads& a, const Heads& b, const std::vector<std::int64_t>& savings,
                   const TreeMapping& mapping, std::int64_t saved) {
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < mapping.size(); ++k) {
    const auto x = static_cast<std::size_t>(mapping[k].first),
               y = static_cast<std::size_t>(mapping[k].second);
    require(x < a.size() && y < b.size(), "a mapping is of tokens");
    require(k == 0 || mapping[k - 1].first < mapping[k].first, "a mapping is in the order of a");
    sum += savings[x * b.size() + y];
    for (std::size_t h = 0; h < k; ++h) {
      const auto u = static_cast<std::size_t>(mapping[h].first),
                 v = static_cast<std::size_t>(mapping[h].second);
      require(v != y, "a token is matched once");
      require(is_below(a, x, u) == is_below(b, y, v) && is_below(a, u, x) == is_below(b, v, y),
              "ancestors are preserved");
      require(comes_before(a, u, x) == comes_before(b, v, y), "the order is preserved");
    }
  }
  require(sum == saved, "a mapping saves what it says");
}

template <class Savings>
void check_paths(const Heads& a, const Heads& b, const DependencyTree& tree_a, const DependencyTree& tree_b,
                 const Savings& savings, const std::vector<std::int64_t>& table, bool plain, bool stopped) {
  static Stop stop{false};
  static TreeEdit<Savings> edit(stop);
  if (stopped) {  // and go on with the same memory
    stop = true;
    try {
      edit.most_saved(tree_a, tree_b, savings);
    } catch (const Interrupted&) {
    } catch (const InputError&) {  // for large savings; it is thrown again below
    }
    stop = false;
  }
  edit.forced_path = -1;
  const auto saved = static_cast<std::int64_t>(edit.most_saved(tree_a, tree_b, savings));
  const TreeMapping mapping = edit.mapping();
  check_mapping(a, b, table, mapping, saved);
  if (plain) {
    const std::uint32_t all_a = (1u << a.size()) - 1, all_b = (1u << b.size()) - 1;
    require(saved == Recursion{a, b, table}.most(all_a, all_b), "the distance is that of the recursion");
  }
  for (int path = 0; path < 6; ++path) {
    edit.forced_path = path;
    require(edit.most_saved(tree_a, tree_b, savings) == saved, "the distance is the same along all paths");
    require(edit.mapping() == mapping, "the mapping is the same along all paths");
  }
}

// Any numbers, or the heads of a tree. Heads may come after their children, so trees need not be projective.
Heads read_heads(Input& input, std::size_t most, bool valid) {
  const std::size_t n = input.size(most);
  Heads heads;
  if (!valid) {
    const bool wide = input.flag();
    for (std::size_t k = 0; k < n; ++k)
      heads.push_back(wide ? input.number(INT64_MIN, INT64_MAX)
                           : input.number(-1, static_cast<std::int64_t>(n) + 1));
    return heads;
  }
  const auto order = input.permutation(n);  // each token's head comes before it
  heads.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t head = input.size(std::min<std::size_t>(k, 3));
    heads[static_cast<std::size_t>(order[k]) - 1] = head == 0 ? 0 : order[k - head];
  }
  return heads;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const bool stopped = input.byte() == 255, large = input.number(0, 3) == 3, hostile = input.byte() == 255;
  const std::size_t most = large ? 24 : 7;
  const Heads a = read_heads(input, most, true), b = read_heads(input, most, !hostile);

  static DependencyTree tree_a, tree_b;
  tree_a.load(std::span<const std::int64_t>(a));
  try {
    const std::vector<std::int32_t> narrow(b.begin(), b.end());
    const Heads narrow_heads(narrow.begin(), narrow.end());
    if (narrow_heads == b) tree_b.load(std::span<const std::int32_t>(narrow));
    tree_b.load(std::span<const std::int64_t>(b));
    require(is_tree(b), "other heads are refused");
  } catch (const NotATree&) {
    require(!is_tree(b), "only other heads are refused");
    return 0;
  }
  std::vector<std::int64_t> ones(a.size() * b.size(), 1), table;
  const int scale = static_cast<int>(input.number(0, 59));
  for (std::size_t k = 0; k < ones.size(); ++k) table.push_back(input.number(-2, 6) * (INT64_C(1) << scale));
  check_paths(a, b, tree_a, tree_b, UnitSavings{}, ones, !large, stopped);
  try {
    check_paths(a, b, tree_a, tree_b, TableSavings{table, &tree_a, &tree_b}, table, !large, stopped);
  } catch (const InputError&) {
    require(scale > 50, "only large savings are refused");
  }
  return 0;
}
