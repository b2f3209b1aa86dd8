// The table of the inversion edit distance (Leusch, Ueffing & Ney 2003, equation 2), as far as it
// matters for parses that cost at most a limit.
//
// A box (i0,i1; j0,j1) is s[i0:i1] against t[j0:j1]; Q is the cost of its cheapest parse, V that of
// its cheapest parse whose root is inverted. Read from its left end, a straight parse is a token
// deleted, inserted, matched or substituted, or an inverted box, and then the parse of the rest:
//
//   Q(i0,i1;j0,j1) = min( deletion + Q(i0+1,i1;j0,j1),  insertion + Q(i0,i1;j0+1,j1),
//                         [s ≠ t]·substitution + Q(i0+1,i1;j0+1,j1),
//                         V(i0,i;j0,j) + Q(i,i1;j,j1) )
//   V(i0,i1;j0,j1) = inversion + min over i, j of Q(A) + Q(B),  A = (i0,i;j,j1), B = (i,i1;j0,j)
//
// Boxes with the same i0, i1 and j0 are a row over j1, and all work is done on whole rows. Starts
// (i0,j0) go from the last to the first, so that everything a row needs is there.
//
// Six things make it fast:
// 1. A box is kept only if Q + inversion + bag(outside) ≤ limit: as a part of an inverted box it
//    could not be in a parse within the limit otherwise. Costs add up (the bag distance of a union
//    is at most the sum of those of its parts), so that what is kept is exact. The boxes that reach
//    the end of both sentences cannot be part of an inverted one; they have a table of their own.
// 2. V is built from few right children B. B need not be considered
//    - if a token at one of its four borders could as well be dropped, Q(B) = Q(B without it) + its
//      cost: outer ones move out of the inverted box, inner ones into A, at the same cost;
//    - if V(B) = Q(B): ⟨A ⟨B C⟩⟩ costs what ⟨⟨A B⟩ C⟩ costs;
//    - if it is one substitution, and an inversion with it costs no less than the deletion and the
//      insertion around A.
//    Likewise the outer borders of A. Each of these steps makes the box smaller, or leaves it and
//    makes B smaller, so they end.
// 3. An inverted box is jumped over only if it beats the straight cost of the same box.
// 4. A gap, a box that is parsed without a match or an inversion, costs what its sides say:
//    costs.bag(n, m, 0). A row of nothing but gaps is not stored, and where a row is missing, gaps are
//    meant. A gap can be a child of an inverted box only if it is a square (other gaps have a border
//    to drop), so such children are tried one length after another, beside the stored ones. Their other
//    child must be rich, Q + inversion < the gap of its size: else the inverted box costs no less than
//    the gap of its own size, and a straight parse does as well. And what
//    a gap, kept or not, costs with the bag distance outside never falls as it grows: gaps that
//    follow a match or a jump are followed row by row until nothing of a row is kept.
// 5. Rows that nothing leads to are never looked at.
// 6. The limit falls on the way, if all that is asked is whether a parse within it exists: what is known
//    from a start on and the straight way to it make a parse, and only cheaper ones are of interest.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "inversion_memory.hpp"
#include "parallel.hpp"
#include "vectors.hpp"

namespace hyperbaton {

// For one table: what it has for every pair of positions, and its rows.
inline constexpr std::size_t most_setup_bytes = std::size_t{250} << 20;
inline constexpr std::size_t most_bytes = std::size_t{400} << 20;

// The loops for every vector unit. Not target_clones: its resolvers run before a sanitizer is ready,
// macOS has none, and GCC takes vector types apart before it clones.
namespace baseline {
#define HYPERBATON_VECTOR_BYTES 16
#include "block.inc.hpp"
#include "inversion_loops.inc.hpp"
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
#include "block.inc.hpp"
#include "inversion_loops.inc.hpp"
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
#include "block.inc.hpp"
#include "inversion_loops.inc.hpp"
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
  // Whether all costs that can arise for lengths I and J fit the cells.
  static bool fits(std::size_t I, std::size_t J, const EditCosts& costs) {
    return std::max({costs.bag(I, J, 0), costs.bag(I, 0, 0), costs.bag(0, J, 0)}) + costs.inversion <
           infinite<Cell>;
  }

  // False if the work or the memory ran out. Needs fits(), and a limit that an inversion can be
  // within; the pair and its costs are for this call only. With `lower_limit`, the limit may fall to one
  // below the cost of a parse that was found: then rest(0, 0) is one above it.
  bool fill(const TokenPair& pair, const EditCosts& costs, std::uint64_t limit, bool lower_limit, Work& work,
            const Stop& stop) {
    const std::size_t I = pair.s.size(), J = pair.t.size();
    if (std::max(I, J) > InversionMemory<Cell>::longest || I * J > most_setup_bytes) return false;
    setup_ = InversionMemory<Cell>::setup_bytes(I, J);
    if (setup_ > most_setup_bytes || !work.spend(2 * (I + 1) * (J + 1))) return false;
    costs_ = costs;
    if (!memory_.prepare(pair, costs, limit, lower_limit, work, stop)) return false;
    // The usual lengths have loops of their own, for bytes.
    if constexpr (sizeof(Cell) == 1) {
      if (memory_.frame.blocks == 1) return all_starts<1>(work, stop);
      if (memory_.frame.blocks == 2) return all_starts<2>(work, stop);
      if (memory_.frame.blocks == 3) return all_starts<3>(work, stop);
    }
    return all_starts<0>(work, stop);
  }

  // The limit that the table was filled with, or that it fell to.
  std::uint64_t limit() const { return memory_.frame.limit; }

  // The cheapest parse found for the ends of both sentences from (i, j) on. A real one always;
  // the cheapest there is if what stands before and it together cost no more than the limit.
  Cell rest(std::size_t i, std::size_t j) const { return memory_.frame.rest[i * memory_.frame.width + j]; }

  // The cheapest parse found for a box: its Q, if that is within the limit.
  std::uint64_t box(std::size_t i0, std::size_t i1, std::size_t j0, std::size_t j1) const {
    const std::uint64_t gap = costs_.bag(i1 - i0, j1 - j0, 0);
    const Row<Cell>* row = &memory_.rows[memory_.frame.starts[i0 * (memory_.frame.J + 1) + j0]];
    while (row->i1 < i1) ++row;
    const std::size_t begin = row->first * block_size;
    if (row->i1 != i1 || j1 < begin || j1 >= row->last * block_size) return gap;
    return std::min<std::uint64_t>(row->cells[j1 - begin], gap);
  }

  // The inverted box that the parse of rest(i, j) begins with, or (0, 0) if it begins straight.
  End jump(std::size_t i, std::size_t j) const { return memory_.frame.jump[i * (memory_.frame.J + 1) + j]; }

  std::size_t bytes() const { return setup_ + memory_.used; }

 private:
  EditCosts costs_{};
  std::size_t setup_ = 0;
  InversionMemory<Cell> memory_;

  template <std::size_t Blocks>
  bool all_starts(Work& work, const Stop& stop) {
#ifdef HYPERBATON_VECTOR_UNITS
    switch (vector_unit()) {
      case VectorUnit::avx512:
        return avx512::InversionLoops<Cell, Blocks>{memory_}.all_starts(work, stop);
      case VectorUnit::avx2:
        return avx2::InversionLoops<Cell, Blocks>{memory_}.all_starts(work, stop);
      case VectorUnit::baseline:
        break;
    }
#endif
    return baseline::InversionLoops<Cell, Blocks>{memory_}.all_starts(work, stop);
  }
};

}  // namespace hyperbaton
