#include "trees/tree_edit_distance.hpp"

#include <nanobind/stl/optional.h>

#include <memory>
#include <optional>

#include "bindings/batch.hpp"

namespace hyperbaton::bindings {

namespace {

constexpr std::size_t very_much = std::size_t{1} << 40;

// A rough number of steps: each pair of nodes is visited about as often as the trees are deep.
std::size_t expected_work(std::size_t n, std::size_t m) {
  constexpr std::size_t large = std::size_t{1} << 15;
  return n < large && m < large ? n * m * 8 + n + m : very_much;
}

// Calls load_tree(), and adds the pair and the side to its errors.
template <class LoadTree>
void check_load(std::size_t k, const char* side, LoadTree load_tree) {
  try {
    load_tree();
  } catch (const NotATree& error) {
    throw NotATree("pairs[" + std::to_string(k) + "]: " + side + ": " + error.what());
  }
}

// The most that matches can save, for every pair. savings_of(k, a, b) returns the savings of pair k. Heads
// and savings may be views, because the core copies them before it checks them.
template <class Savings, class SavingsOf>
Result<std::int64_t> most_saved(const IntegerBatch& a, const IntegerBatch& b, int threads,
                                SavingsOf savings_of) {
  std::vector<std::int64_t> out(a.size());
  std::size_t cost = 0;
  for (std::size_t k = 0; k < a.size() && cost < very_much; ++k)
    cost += expected_work(a.length(k), b.length(k));
  struct Scratch {
    DependencyTree a, b;
    TreeEdit<Savings> edit;
    explicit Scratch(const Stop& stop) : edit(stop) {}
  };
  run(a.size(), cost, threads, [&](const Stop& stop) {
    return [&, scratch = std::make_shared<Scratch>(stop)](std::size_t k) {
      check_load(k, "a", [&] { a.load(k, scratch->a); });
      check_load(k, "b", [&] { b.load(k, scratch->b); });
      out[k] = scratch->edit.most_saved(scratch->a, scratch->b, savings_of(k, scratch->a, scratch->b));
    };
  });
  return to_numpy(std::move(out));
}

template <class Savings>
std::int64_t find_mapping(const DependencyTree& a, const DependencyTree& b, const Savings& savings, int path,
                          TreeMapping& mapping) {
  std::int64_t saved = 0;
  run(1, expected_work(a.token.size(), b.token.size()), 1, [&](const Stop& stop) {
    return [&](std::size_t) {
      TreeEdit<Savings> edit(stop);
      edit.forced_path = path;
      saved = edit.most_saved(a, b, savings);
      mapping = edit.mapping();
    };
  });
  return saved;
}

void check_savings(std::size_t count, std::size_t token_pairs) {
  if (count != token_pairs) {
    throw std::invalid_argument("there are " + std::to_string(count) + " savings for " +
                                std::to_string(token_pairs) + " pairs of tokens");
  }
}

bool is_list_or_tuple(PyObject* object) {
  return PyList_CheckExact(object) || PyTuple_CheckExact(object);
}

// Item i of a list or a tuple.
PyObject* item(PyObject* sequence, Py_ssize_t i) {
  return PyList_CheckExact(sequence) ? PyList_GetItem(sequence, i) : PyTuple_GetItem(sequence, i);
}

using PackedPairs =
    std::tuple<Result<std::int32_t>, Result<std::int64_t>, Result<std::int32_t>, Result<std::int64_t>>;

// The trees of one side of many pairs.
struct PackedTrees {
  std::vector<std::int32_t> heads;
  std::vector<std::int64_t> offsets{0};

  // Adds a list or a tuple of plain integers of 32 bits. Returns false for anything else. No user code runs,
  // so the sequence cannot change meanwhile.
  bool add(PyObject* tree) {
    if (!is_list_or_tuple(tree)) return false;
    const Py_ssize_t n = PySequence_Size(tree);
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* const value = item(tree, i);
      if (!PyLong_CheckExact(value)) return false;
      int overflow = 0;
      const long long head = PyLong_AsLongLongAndOverflow(value, &overflow);
      if (overflow != 0 || head != static_cast<std::int32_t>(head)) return false;
      heads.push_back(static_cast<std::int32_t>(head));
    }
    offsets.push_back(static_cast<std::int64_t>(heads.size()));
    return true;
  }
};

bool add_pair(PyObject* pair, PackedTrees& a, PackedTrees& b) {
  if (!is_list_or_tuple(pair) || PySequence_Size(pair) != 2) return false;
  return a.add(item(pair, 0)) && b.add(item(pair, 1));
}

}  // namespace

void bind_tree_edit_distance(nb::module_& m) {
  m.def(
      "pack_tree_pairs",
      [](const nb::typed<nb::list, nb::any>& pairs) {
        PackedTrees a, b;
        for (nb::handle pair : pairs)
          if (!add_pair(pair.ptr(), a, b)) return std::optional<PackedPairs>();
        return std::optional(
            to_tuple(std::move(a.heads), std::move(a.offsets), std::move(b.heads), std::move(b.offsets)));
      },
      nb::arg("pairs"),
      "The heads and offsets of both sides; None unless all trees are lists or tuples of plain integers of\n"
      "32 bits.");

  m.def(
      "tree_matches",
      [](const Integers& a, const Array<std::int64_t>& a_offsets, const Integers& b,
         const Array<std::int64_t>& b_offsets, int threads) {
        const IntegerBatch from(a, a_offsets), to(b, b_offsets);
        check_same_size(from.size(), to.size());
        return most_saved<UnitSavings>(from, to, threads,
                                       [](std::size_t, auto&, auto&) { return UnitSavings(); });
      },
      nb::arg("a").noconvert(), nb::arg("a_offsets").noconvert(), nb::arg("b").noconvert(),
      nb::arg("b_offsets").noconvert(), nb::arg("threads"),
      "The largest number of nodes that can be matched, for each pair of trees.");

  m.def(
      "tree_savings",
      [](const Integers& a, const Array<std::int64_t>& a_offsets, const Integers& b,
         const Array<std::int64_t>& b_offsets, const Array<std::int64_t>& savings, int threads) {
        const IntegerBatch from(a, a_offsets), to(b, b_offsets);
        check_same_size(from.size(), to.size());
        std::vector<std::size_t> starts{0};
        for (std::size_t k = 0; k < from.size(); ++k)
          starts.push_back(starts.back() + from.length(k) * to.length(k));
        check_savings(savings.size(), starts.back());
        return most_saved<TableSavings>(
            from, to, threads, [&](std::size_t k, const DependencyTree& x, const DependencyTree& y) {
              return TableSavings{view(savings).subspan(starts[k], starts[k + 1] - starts[k]), &x, &y};
            });
      },
      nb::arg("a").noconvert(), nb::arg("a_offsets").noconvert(), nb::arg("b").noconvert(),
      nb::arg("b_offsets").noconvert(), nb::arg("savings").noconvert(), nb::arg("threads"),
      "The largest amount that matches can save, for each pair of trees.");

  m.def(
      "tree_mapping",
      [](const Integers& a, const Integers& b, const std::optional<Array<std::int64_t>>& savings, int path) {
        if (path < -1 || path > 5) throw std::invalid_argument("path must be 0 to 5, or -1 for the best");
        DependencyTree from, to;
        check_load(0, "a", [&] { load(a, from); });
        check_load(0, "b", [&] { load(b, to); });
        TreeMapping mapping;
        std::int64_t saved = 0;
        if (savings) {
          check_savings(savings->size(), from.token.size() * to.token.size());
          saved = find_mapping(from, to, TableSavings{view(*savings), &from, &to}, path, mapping);
        } else {
          saved = find_mapping(from, to, UnitSavings(), path, mapping);
        }
        std::vector<std::int32_t> i, j;
        for (const auto& [x, y] : mapping) {
          i.push_back(x);
          j.push_back(y);
        }
        return std::tuple(saved, to_numpy(std::move(i)), to_numpy(std::move(j)));
      },
      nb::arg("a").noconvert(), nb::arg("b").noconvert(), nb::arg("savings").noconvert().none(),
      nb::arg("path"),
      "The amount that matches save, and the matched tokens, from 0. Tests force one kind of path; -1 is the "
      "best.");
}

}  // namespace hyperbaton::bindings
