// The table of the inversion edit distance (Leusch, Ueffing & Ney 2003, equation 2), restricted to
// what matters for parses that cost at most a limit.
//
// A box (i0,i1; j0,j1) is s[i0:i1] against t[j0:j1]. Q is the cost of its cheapest parse, and V that of
// its cheapest parse whose root is inverted. Read from its left end, a straight parse begins with a token
// that is deleted, inserted, matched or substituted, or with an inverted box; the parse of the rest follows:
//
//   Q(i0,i1;j0,j1) = min( deletion + Q(i0+1,i1;j0,j1),  insertion + Q(i0,i1;j0+1,j1),
//                         [s ≠ t]·substitution + Q(i0+1,i1;j0+1,j1),
//                         V(i0,i;j0,j) + Q(i,i1;j,j1) )
//   V(i0,i1;j0,j1) = inversion + min over i, j of Q(A) + Q(B),  A = (i0,i;j,j1), B = (i,i1;j0,j)
//
// Boxes with the same i0, i1 and j0 form a row over j1, and all work is done on whole rows. Starts
// (i0,j0) are processed from the last to the first, so that everything a row needs is available.
//
// Six things make it fast:
// 1. A box is kept only if Q + inversion + bag(outside) ≤ limit. Otherwise it cannot be part of an
//    inverted box in a parse within the limit. Costs add up (the bag distance of a union is at most the
//    sum of those of its parts), so the boxes that are kept are exact. Boxes that reach the end of both
//    sentences cannot be part of an inverted box; they have a table of their own.
// 2. V is built from few right children B. B can be skipped
//    - if a token at one of its four borders could be dropped at the same cost, Q(B) = Q(B without it) +
//      its cost: outer tokens move out of the inverted box, inner ones into A, at the same cost;
//    - if V(B) = Q(B): ⟨A ⟨B C⟩⟩ costs as much as ⟨⟨A B⟩ C⟩;
//    - if it is one substitution, and an inversion with it costs no less than the deletion and the
//      insertion around A.
//    The same holds for the outer borders of A. Each of these steps makes the box smaller, or keeps it
//    and makes B smaller, so they end.
// 3. An inverted box is jumped over only if it is cheaper than the straight cost of the same box.
// 4. A gap is a box that is parsed without a match or an inversion. Its cost follows from its size:
//    costs.bag(n, m, 0). A row of nothing but gaps is not stored; where a row is missing, it consists of
//    gaps. A gap can be a child of an inverted box only if it is a square (other gaps have a border that
//    can be dropped), so such children are tried one length after another, besides the stored ones. Their
//    other child must be rich, Q + inversion < the gap of its size. Otherwise the inverted box costs no
//    less than the gap of its own size, and a straight parse does as well. The cost of a gap, kept or not,
//    plus the bag distance outside never falls as the gap grows. So gaps that follow a match or a jump are
//    followed row by row until no cell of a row is kept.
// 5. Rows that cannot be reached are never looked at.
// 6. The limit falls on the way if the only question is whether a parse within it exists: the best parse
//    from a start on and the straight way to it make a parse, and only cheaper ones are of interest.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "edit/inversion_memory.hpp"
#include "support/parallel.hpp"
#include "support/vector_units.hpp"

namespace hyperbaton {

// Limits of the memory of one table: for what every pair of positions needs, and for the rows.
inline constexpr std::size_t most_setup_bytes = std::size_t{250} << 20;
inline constexpr std::size_t most_bytes = std::size_t{400} << 20;

// The loops for every vector unit. target_clones is no alternative: its resolvers run before a sanitizer
// is ready, macOS does not support it, and GCC splits vector types before it clones.
namespace baseline {
#define HYPERBATON_VECTOR_BYTES 16
#include "edit/cell_block.inc.hpp"
#include "edit/inversion_loops.inc.hpp"
#undef HYPERBATON_VECTOR_BYTES
}  // namespace baseline

#ifdef HYPERBATON_VECTOR_UNITS
#define HYPERBATON_VECTOR_BYTES 32
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
namespace avx2 {
#include "edit/cell_block.inc.hpp"
#include "edit/inversion_loops.inc.hpp"
}  // namespace avx2
#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"))), \
                             apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq")
#endif
namespace avx512 {
#include "edit/cell_block.inc.hpp"
#include "edit/inversion_loops.inc.hpp"
}  // namespace avx512
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#undef HYPERBATON_VECTOR_BYTES
#endif

template <class Cell>
class InversionTable {
 public:
  // Whether all costs that can occur for lengths I and J fit the cells.
  static bool fits(std::size_t I, std::size_t J, const EditCosts& costs) {
    return std::max({costs.bag(I, J, 0), costs.bag(I, 0, 0), costs.bag(0, J, 0)}) + costs.inversion <
           infinite<Cell>;
  }

  // Returns false if the budget or the memory ran out. Requires fits(), and a limit of at least one inversion
  // more than the bag distance. The pair must stay alive only during this call. With `lower_limit`, the
  // limit may fall to one below the cost of a parse that was found: then rest(0, 0) is one above it.
  bool fill(const TokenPair& pair, const EditCosts& costs, std::uint64_t limit, bool lower_limit,
            StepBudget& budget, const Stop& stop) {
    const std::size_t I = pair.s.size(), J = pair.t.size();
    if (std::max(I, J) > InversionMemory<Cell>::longest || I * J > most_setup_bytes) return false;
    setup_ = InversionMemory<Cell>::setup_bytes(I, J);
    if (setup_ > most_setup_bytes || !budget.spend(2 * (I + 1) * (J + 1))) return false;
    costs_ = costs;
    if (!memory_.prepare(pair, costs, limit, lower_limit, budget, stop)) return false;
    // There are special loops for the usual lengths, with cells of one byte.
    if constexpr (sizeof(Cell) == 1) {
      if (memory_.frame.blocks == 1) return fill_all_starts<1>(budget, stop);
      if (memory_.frame.blocks == 2) return fill_all_starts<2>(budget, stop);
      if (memory_.frame.blocks == 3) return fill_all_starts<3>(budget, stop);
    }
    return fill_all_starts<0>(budget, stop);
  }

  // The limit that the table was filled with, or to which it fell.
  std::uint64_t limit() const { return memory_.frame.limit; }

  // The cost of the best parse found from (i, j) to the ends of both sentences. Such a parse always exists.
  // It is the cheapest if its cost and that of the part before together are within the limit.
  Cell rest(std::size_t i, std::size_t j) const { return memory_.frame.rest[i * memory_.frame.width + j]; }

  // The cost of the best parse found for a box: its Q, if that is within the limit.
  std::uint64_t box(std::size_t i0, std::size_t i1, std::size_t j0, std::size_t j1) const {
    const std::uint64_t gap = costs_.bag(i1 - i0, j1 - j0, 0);
    const Row<Cell>* row = &memory_.rows[memory_.frame.starts[i0 * (memory_.frame.J + 1) + j0]];
    while (row->i1 < i1) ++row;
    const std::size_t begin = row->first * block_size;
    if (row->i1 != i1 || j1 < begin || j1 >= row->last * block_size) return gap;
    return std::min<std::uint64_t>(row->cells[j1 - begin], gap);
  }

  // The end of the inverted box at the beginning of the parse of rest(i, j), or (0, 0) if there is none.
  End jump(std::size_t i, std::size_t j) const { return memory_.frame.jump[i * (memory_.frame.J + 1) + j]; }

  std::size_t bytes() const { return setup_ + memory_.used; }

 private:
  EditCosts costs_{};
  std::size_t setup_ = 0;
  InversionMemory<Cell> memory_;

  template <std::size_t Blocks>
  bool fill_all_starts(StepBudget& budget, const Stop& stop) {
#ifdef HYPERBATON_VECTOR_UNITS
    switch (vector_unit()) {
      case VectorUnit::avx512:
        return avx512::InversionLoops<Cell, Blocks>{memory_}.fill_all_starts(budget, stop);
      case VectorUnit::avx2:
        return avx2::InversionLoops<Cell, Blocks>{memory_}.fill_all_starts(budget, stop);
      case VectorUnit::baseline:
        break;
    }
#endif
    return baseline::InversionLoops<Cell, Blocks>{memory_}.fill_all_starts(budget, stop);
  }
};

}  // namespace hyperbaton
