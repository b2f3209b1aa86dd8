// The memory of the inversion table: rows of boxes, and what is needed to fill them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "edit/edit_costs.hpp"
#include "support/parallel.hpp"
#include "support/vector_units.hpp"

namespace hyperbaton {

// Above every cost in the table. The sum of any two values in the table still fits a Cell.
template <class Cell>
inline constexpr Cell infinite = static_cast<Cell>(Cell{1} << (std::numeric_limits<Cell>::digits - 1));

// Blocks first .. last - 1 of the row of (i0,i1;j0,·). All other cells of the row are infinite.
template <class Cell>
struct Row {
  const Cell* cells;
  std::uint16_t i1, first, last;
};

// A box that can be the right child B of an inverted box. Its j0 is that of the list it is in.
template <class Cell>
struct RightChild {
  std::uint32_t corner;  // index of the row of left children that fit it: [j1][i0]
  std::uint16_t i0, i1, j1;
  Cell cost;
  bool rich;  // it can be a child next to a square without a match
};

// The end of a match or an inverted box, and the cost up to there.
template <class Cell>
struct alignas(8) Jump {
  std::uint16_t i, j;
  Cell cost;
};

// A range of words of a bit set: first .. last - 1.
struct WordRange {
  std::uint16_t first, last;
};

// The end of a box, or (0, 0) for no box.
struct End {
  std::uint16_t i, j;
};

inline constexpr std::uint32_t no_row = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint16_t no_more = std::numeric_limits<std::uint16_t>::max();

// Rows under construction, one for each i1. Cells outside blocks [first, last) are infinite.
template <class Cell>
struct Draft {
  Cell* cells;
  std::uint16_t *first, *last;
  std::uint64_t* touched;  // one bit for each i1
};

// What the loops read and write. The loops copy it to the stack: Cell may be char, and the compiler has to
// assume that a store through a char pointer changes anything in memory.
template <class Cell>
struct Frame {
  std::size_t I, J, width, blocks;
  Cell inversion, replacement, deletion, insertion, limit;
  const std::int32_t *s, *t;
  const Cell* prefix;                  // [i][j]: s[:i] against t[:j] without inversions; or null
  Draft<Cell> jumped, inverted;        // rows reached by jumps; V
  Cell *line, *flags, *better, *rest;  // current row; marks on it; marks on V; rest(i, j)
  std::uint32_t* left;                 // of this i0: [j0][i1] -> row, or no_row
  std::uint64_t* left_rows;            // of this i0: [j0], one bit for each i1 with a rich left child
  WordRange* left_words;               // of this i0: [j0], the range of these bits
  End* jump;              // of each start: the inverted box at the beginning of the best parse to the end
  std::uint32_t* starts;  // first row of each start; the last row has i1 = no_more
  // bag(outside) of a box is size_part − outside. `outside` is `common` (for i1 = i0) minus some steps.
  const Cell* size_part;        // [tokens of s outside][width + j1 - j0]
  const Cell* gap;              // [i1 - i0][width + j1 - j0]: cost of the box without a match
  const Cell* beyond;           // all bits set where j1 > J
  const std::uint16_t* square;  // [i][j]: the longest square from (i, j) without a match
  const std::uint16_t *squares_from, *squares_at;  // [i], [j]: the longest of them
  const std::uint64_t* squares;                    // by j and length, one bit for each i with such a square
  const std::uint32_t* squares_begin;              // [j]: index of those of the least length
  std::size_t least_square;  // the shortest square that can be a child of an inverted box
  std::size_t limit_of_gap;  // a gap of more tokens than this on one side exceeds the limit
  const Cell* common;        // [j0][j1]: replacement · common tokens of s and t outside
  Cell* outside;             // the same for the current i1
  const Cell* step;          // replacement × width, then 0 × width
  // When s[i] moves into the box, the outside loses a common token, for j1 up to
  // taken[taken_first[j0][i] + taken_offset[i]] - 1.
  const std::uint32_t *taken, *taken_first;
  const std::int32_t* taken_offset;
};

template <class Cell>
class InversionMemory {
 public:
  static constexpr std::size_t most_squares_bytes = std::size_t{64} << 20;
  static constexpr std::size_t longest = 60'000;  // positions have 16 bits, with room for a block

  Frame<Cell> frame{};
  std::vector<Row<Cell>> rows;
  std::vector<std::vector<RightChild<Cell>>> right;  // by j0
  std::vector<std::uint32_t> found;                  // indices into a list of right children
  std::vector<Jump<Cell>> gaps;
  std::vector<std::uint32_t> left_set;  // the indices of frame.left that are set
  std::uint64_t left_starts = 0;        // one bit for each j0 with bits in frame.left_rows
  std::size_t used = 0;                 // bytes of memory that grows with the work

  // The bytes that a pair needs before any work.
  static std::size_t setup_bytes(std::size_t I, std::size_t J) {
    const std::size_t width = (J / block_size + 1) * block_size;
    return 18 * (I + 1) * (J + 1) + sizeof(Cell) * width * (8 * (I + 1) + J + 1);
  }

  // Returns false if the budget or the memory does not suffice.
  bool prepare(const TokenPair& pair, const EditCosts& costs, std::uint64_t limit, bool lower_limit,
               StepBudget& budget, const Stop& stop) {
    const std::size_t I = pair.s.size(), J = pair.t.size();
    const std::size_t blocks = J / block_size + 1, width = blocks * block_size;
    prepare_bags(pair, costs, width);
    if (!prepare_gaps(pair, costs, width, limit, budget, stop)) return false;
    if (lower_limit) prepare_prefix(pair, costs, width);
    nothing_.assign(width, infinite<Cell>);
    rows.assign(1, Row<Cell>{nothing_.data(), no_more, 0, 0});  // for all starts without rows
    next_chunk_ = chunk_left_ = used = 0;
    right.resize(std::max(right.size(), J + 1));
    for (auto& list : right) list.clear();
    starts_.assign((I + 1) * (J + 1), 0);
    jump_.assign((I + 1) * (J + 1), End{0, 0});
    rest_.assign((I + 1) * width, static_cast<Cell>(infinite<Cell> - 1));
    for (std::size_t i = 0; i <= I; ++i) rest_[i * width + J] = static_cast<Cell>(costs.deletion * (I - i));
    for (std::size_t j = 0; j <= J; ++j) rest_[I * width + j] = static_cast<Cell>(costs.insertion * (J - j));
    left_.assign((J + 1) * (I + 1), no_row);
    left_set.clear();
    line_.assign(block_size + width, infinite<Cell>);
    flags_.resize(width);
    better_.resize(width);
    left_rows_.assign((J + 1) * (I / 64 + 1), 0);
    left_words_.assign(J + 1, WordRange{no_more, 0});
    outside_.resize(width);
    frame = {I,
             J,
             width,
             blocks,
             static_cast<Cell>(costs.inversion),
             static_cast<Cell>(costs.replacement()),
             static_cast<Cell>(costs.deletion),
             static_cast<Cell>(costs.insertion),
             static_cast<Cell>(limit),
             pair.s.data(),
             pair.t.data(),
             lower_limit ? prefix_.data() : nullptr,
             jumped_.reset(I + 1, width),
             inverted_.reset(I + 1, width),
             line_.data() + block_size,
             flags_.data(),
             better_.data(),
             rest_.data(),
             left_.data(),
             left_rows_.data(),
             left_words_.data(),
             jump_.data(),
             starts_.data(),
             size_part_.data(),
             gap_.data(),
             beyond_.data(),
             square_.data(),
             squares_from_.data(),
             squares_at_.data(),
             squares_.data(),
             squares_begin_.data(),
             least_square_,
             limit_of_gap(costs, limit),
             common_.data(),
             outside_.data(),
             step_.data(),
             taken_.data(),
             taken_first_.data(),
             taken_offset_.data()};
    return true;
  }

  // Moves the start of boxes to i0. The first call is for I - 1.
  void next_i0(std::size_t i0) {
    const std::int32_t* const s = frame.s;
    --seen_s_[s[i0]];
    // When a token of s moves into the box, the outside loses a common token as long as t has at least as
    // many of its type outside as s. `spare` tokens of t may move in before that, or no common token is lost.
    for (std::size_t i = i0; i < frame.I; ++i) {
      const std::int32_t outside_s = count_s_[s[i]] - (rank_s_[i] - seen_s_[s[i]]);
      const std::int32_t spare = count_t_[s[i]] - outside_s;
      taken_offset_[i] = spare < 0 ? -static_cast<std::int32_t>(2 * frame.J + 1) : spare;
    }
  }

  // Copies blocks of cells to memory that does not move.
  const Cell* store(const Cell* cells, std::size_t blocks) {
    const std::size_t size = blocks * block_size;
    if (chunk_left_ < size) {
      if (next_chunk_ == chunks_.size()) chunks_.push_back(std::make_unique<Cell[]>(chunk_cells));
      place_ = chunks_[next_chunk_++].get();
      chunk_left_ = chunk_cells;
      used += chunk_cells * sizeof(Cell);
    }
    Cell* const place = place_;
    for (std::size_t k = 0; k < size; k += block_size)
      std::memcpy(place + k, cells + k, block_size * sizeof(Cell));
    place_ += size;
    chunk_left_ -= size;
    return place;
  }

 private:
  static constexpr std::size_t chunk_cells = std::size_t{1} << 18;
  static_assert(chunk_cells > longest + block_size);

  struct DraftMemory {
    std::vector<Cell> cells;
    std::vector<std::uint16_t> first, last;
    std::vector<std::uint64_t> touched;

    Draft<Cell> reset(std::size_t count, std::size_t width) {
      cells.assign(count * width, infinite<Cell>);
      first.assign(count, std::numeric_limits<std::uint16_t>::max());
      last.assign(count, 0);
      touched.assign(count / 64 + 1, 0);
      return {cells.data(), first.data(), last.data(), touched.data()};
    }
  };

  std::vector<std::unique_ptr<Cell[]>> chunks_;
  std::size_t next_chunk_ = 0, chunk_left_ = 0;
  Cell* place_ = nullptr;
  DraftMemory jumped_, inverted_;
  std::vector<Cell> line_, flags_, better_, rest_, prefix_, nothing_, size_part_, gap_, beyond_, common_,
      outside_, step_;
  std::vector<std::uint16_t> square_, squares_from_, squares_at_;
  std::size_t least_square_ = 0;
  std::vector<std::uint32_t> left_, starts_, taken_, taken_first_, squares_begin_;
  std::vector<WordRange> left_words_;
  std::vector<std::uint64_t> left_rows_, squares_;
  std::vector<End> jump_;
  std::vector<std::int32_t> count_s_, count_t_, seen_s_, rank_s_, taken_offset_, surplus_;

  void prepare_bags(const TokenPair& pair, const EditCosts& costs, std::size_t width) {
    const auto& [s, t, types] = pair;
    const std::size_t I = s.size(), J = t.size();
    const std::size_t stride = 2 * width;
    const std::uint64_t replacement = costs.replacement(), deletion = costs.deletion,
                        insertion = costs.insertion;
    size_part_.assign((I + 1) * stride, 0);
    gap_.assign((I + 1) * stride, infinite<Cell>);
    for (std::size_t n = 0; n <= I; ++n) {
      Cell* const row = &gap_[n * stride + width];
      Cell* const reversed = &size_part_[n * stride + width + J];
      for (std::size_t m = 0; m <= J; ++m) {
        const Cell cost = static_cast<Cell>(m <= n ? replacement * m + deletion * (n - m)
                                                   : replacement * n + insertion * (m - n));
        row[m] = cost;
        *(reversed - m) = cost;
      }
    }

    step_.assign(2 * width, 0);
    std::fill_n(step_.begin(), width, static_cast<Cell>(costs.replacement()));

    count_s_.assign(types, 0);
    rank_s_.resize(I);
    for (std::size_t i = 0; i < I; ++i) rank_s_[i] = count_s_[s[i]]++;
    seen_s_ = count_s_;

    // The positions of each type in t, counted from 1, followed by J + 1; as many zeros come before all.
    count_t_.assign(types, 0);
    for (const auto token : t) ++count_t_[token];
    const std::size_t zeros = 2 * J + 1;
    taken_.assign(2 * zeros, 0);
    std::vector<std::uint32_t> places(types);
    std::uint32_t place = static_cast<std::uint32_t>(zeros);
    for (std::int32_t k = 0; k < types; ++k) {
      places[k] = place;
      place += static_cast<std::uint32_t>(2 * count_t_[k]);
    }
    std::fill(taken_.begin() + zeros, taken_.end(), static_cast<std::uint32_t>(J + 1));
    taken_first_.resize((J + 1) * I);
    for (std::size_t j = 0; j <= J; ++j) {
      for (std::size_t i = 0; i < I; ++i) taken_first_[j * I + i] = places[s[i]];
      if (j < J) taken_[places[t[j]]++] = static_cast<std::uint32_t>(j + 1);
    }
    taken_offset_.resize(I);

    common_.assign((J + 1) * width, 0);
    std::size_t all = 0;
    for (std::int32_t k = 0; k < types; ++k) all += std::min(count_s_[k], count_t_[k]);
    std::vector<std::int32_t> outside;
    for (std::size_t j0 = 0; j0 <= J; ++j0) {
      outside = count_t_;
      std::size_t common = all;
      for (std::size_t j1 = j0; j1 <= J; ++j1) {
        common_[j0 * width + j1] = static_cast<Cell>(costs.replacement() * common);
        if (j1 < J && outside[t[j1]]-- <= count_s_[t[j1]]) --common;
      }
    }
  }

  void prepare_prefix(const TokenPair& pair, const EditCosts& costs, std::size_t width) {
    const std::size_t I = pair.s.size(), J = pair.t.size();
    const Cell replacement = static_cast<Cell>(costs.replacement()),
               deletion = static_cast<Cell>(costs.deletion), insertion = static_cast<Cell>(costs.insertion);
    prefix_.resize((I + 1) * width);
    for (std::size_t j = 0; j <= J; ++j) prefix_[j] = static_cast<Cell>(insertion * j);
    for (std::size_t i = 0; i < I; ++i) {
      const Cell* const above = &prefix_[i * width];
      Cell* const row = &prefix_[(i + 1) * width];
      Cell left = row[0] = static_cast<Cell>(above[0] + deletion);
      for (std::size_t j = 0; j < J; ++j) {
        const Cell replaced = static_cast<Cell>(above[j] + (pair.s[i] == pair.t[j] ? Cell{0} : replacement));
        left = std::min(
            {replaced, static_cast<Cell>(above[j + 1] + deletion), static_cast<Cell>(left + insertion)});
        row[j + 1] = left;
      }
    }
  }

  static std::size_t limit_of_gap(const EditCosts& costs, std::uint64_t limit) {
    const std::uint64_t least = std::min({costs.replacement(), costs.deletion, costs.insertion});
    return least == 0 ? longest : std::min<std::uint64_t>(longest, (limit - costs.inversion) / least);
  }

  bool prepare_gaps(const TokenPair& pair, const EditCosts& costs, std::size_t width, std::uint64_t limit,
                    StepBudget& budget, const Stop& stop) {
    const auto& [s, t, types] = pair;
    const std::size_t I = s.size(), J = t.size();
    beyond_.assign(width, static_cast<Cell>(~Cell{0}));
    std::fill_n(beyond_.begin(), J + 1, Cell{0});

    // The least g with inversion + replacement · g < (deletion + insertion) · g, if there is one.
    const std::uint64_t saved = costs.deletion + costs.insertion - costs.replacement();
    least_square_ = saved == 0 ? longest : std::min<std::size_t>(longest, costs.inversion / saved + 1);
    square_.assign((I + 1) * (J + 1), 0);
    squares_from_.assign(I + 1, 0);
    squares_at_.assign(J + 1, 0);
    if (saved == 0) return prepare_squares(I, J);
    // A square costs as much as a gap of its size. What matters is the number of common tokens that the
    // outside loses, in replacements.
    std::uint64_t common = 0;
    surplus_.resize(types);  // tokens of s minus tokens of t outside, by type
    for (std::int32_t k = 0; k < types; ++k) {
      common += std::min(count_s_[k], count_t_[k]);
      surplus_[k] = count_s_[k] - count_t_[k];
    }
    const std::uint64_t replacement = costs.replacement(), most = costs.bag(I, J, common) + costs.inversion;
    if (most > limit) return prepare_squares(I, J);
    std::uint64_t spare = replacement == 0 ? I + J : (limit - most) / replacement;
    std::int32_t* const surplus = surplus_.data();
    // Along each diagonal, from one square to the next: every part of a square that is kept is kept, too.
    for (std::size_t diagonal = 1; diagonal < I + J; ++diagonal) {
      if (stop.load(std::memory_order_relaxed)) throw Interrupted();
      const std::size_t i0 = diagonal < I ? I - diagonal : 0, j0 = diagonal < I ? 0 : diagonal - I;
      const std::size_t length = std::min(I - i0, J - j0);
      if (!budget.spend(length / 2)) return false;
      const std::int32_t *const a = s.data() + i0, *const b = t.data() + j0;
      for (std::size_t begin = 0, end = 0; begin < length; ++begin) {
        for (; end < length && a[end] != b[end]; ++end) {
          const std::uint64_t taken = std::uint64_t{surplus[a[end]] <= 0} + (surplus[b[end]] >= 0);
          if (taken > spare) break;
          spare -= taken;
          --surplus[a[end]];
          ++surplus[b[end]];
        }
        if (end == begin) {
          ++end;
          continue;
        }
        const std::size_t i = i0 + begin, j = j0 + begin;
        const std::uint16_t size = static_cast<std::uint16_t>(end - begin);
        square_[i * (J + 1) + j] = size;
        squares_from_[i] = std::max(squares_from_[i], size);
        squares_at_[j] = std::max(squares_at_[j], size);
        spare += --surplus[b[begin]] >= 0;
        spare += ++surplus[a[begin]] <= 0;
      }
    }
    return prepare_squares(I, J);
  }

  // Returns false if the squares take too much memory.
  bool prepare_squares(std::size_t I, std::size_t J) {
    const std::size_t words = I / 64 + 1;
    std::size_t size = 0;
    squares_begin_.resize(J + 1);
    for (std::size_t j = 0; j <= J; ++j) {
      squares_begin_[j] = static_cast<std::uint32_t>(size);
      if (squares_at_[j] >= least_square_) size += (squares_at_[j] - least_square_ + 1) * words;
    }
    if (size * sizeof(std::uint64_t) > most_squares_bytes) return false;
    squares_.assign(size, 0);
    // Mark the longest square from each position, then all shorter ones.
    for (std::size_t i = 0; i < I; ++i) {
      const std::uint64_t bit = std::uint64_t{1} << (i % 64);
      for (std::size_t j = 0; j < J; ++j) {
        const std::size_t g = square_[i * (J + 1) + j];
        if (g >= least_square_) squares_[squares_begin_[j] + (g - least_square_) * words + i / 64] |= bit;
      }
    }
    for (std::size_t j = 0; j < J; ++j) {
      const std::size_t begin = squares_begin_[j], end = squares_begin_[j + 1];
      for (std::size_t k = end; k-- > begin + words;) squares_[k - words] |= squares_[k];
    }
    return true;
  }
};

}  // namespace hyperbaton
