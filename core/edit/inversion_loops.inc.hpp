// The loops that fill an inversion table (see inversion_table.hpp). This file is included once for each
// vector unit, after cell_block.inc.hpp and in the same namespace. No include guard.

// With Blocks = 0, rows have any number of blocks, and only blocks with finite cells are processed.
// Otherwise all rows have `Blocks` blocks, and all of them are processed: this is faster for up to three.
template <class Cell, std::size_t Blocks>
struct InversionLoops {
  using B = Block<Cell>;
  // Bit sets have one bit per row of boxes. They fit one word here, because s is no longer than t.
  static constexpr bool one_word = Blocks == 1 || Blocks == 2;
  InversionMemory<Cell>& memory;

  bool fill_all_starts(StepBudget& budget, const Stop& stop) {
    Frame<Cell> f = memory.frame;
    for (std::size_t i0 = f.I; i0-- > 0;) {
      memory.next_i0(i0);
      for (const std::uint32_t place : memory.left_set) f.left[place] = no_row;
      memory.left_set.clear();
      memory.left_starts = 0;
      for (std::size_t j = 0; j <= f.J; ++j) {
        const auto [first, last] = one_word ? WordRange{0, 1} : f.left_words[j];
        for (std::size_t w = first; w < last; ++w) f.left_rows[j * words(f) + w] = 0;
        f.left_words[j] = {no_more, 0};
      }
      for (std::size_t j0 = f.J; j0-- > 0;) {
        if (!budget.spend(fill_start(f, i0, j0)) || memory.used > most_bytes) return false;
        if (stop.load(std::memory_order_relaxed)) throw Interrupted();
      }
      if (f.prefix != nullptr) f.limit = std::min(f.limit, lower_limit(f, i0));
    }
    memory.frame.limit = f.limit;
    return true;
  }

  // There is a parse that goes straight to the start (i0,j) and from there along the best parse found. Only
  // cheaper parses are of interest.
  static Cell lower_limit(const Frame<Cell>& f, std::size_t i0) {
    std::uint64_t best = std::uint64_t{f.limit} + 1;
    for (std::size_t j = 0; j <= f.J; ++j)
      best =
          std::min<std::uint64_t>(best, std::uint64_t{f.prefix[i0 * f.width + j]} + f.rest[i0 * f.width + j]);
    return static_cast<Cell>(best - 1);
  }

  // Computes all rows of the start (i0,j0). Returns the number of steps.
  HYPERBATON_INLINE std::uint64_t fill_start(const Frame<Cell>& f, std::size_t i0, std::size_t j0) {
    // A deletion, an insertion or a replacement leads to one of three starts.
    const std::size_t start = i0 * (f.J + 1) + j0;
    const std::uint32_t* const starts = f.starts + start;
    const bool match = f.s[i0] == f.t[j0];
    const Cell replacement = match ? Cell{0} : f.replacement;
    const Cell* const rest = f.rest + i0 * f.width + j0;
    Cell suffix =
        std::min({static_cast<Cell>(rest[f.width] + f.deletion), static_cast<Cell>(rest[1] + f.insertion),
                  static_cast<Cell>(rest[f.width + 1] + replacement)});
    if ((starts[f.J + 1] | starts[1] | starts[f.J + 2]) == 0 && !match && no_children(f, j0)) {
      f.rest[i0 * f.width + j0] = suffix;
      return 1;
    }
    const std::size_t begin = memory.rows.size();
    if (memory.rows.capacity() < begin + f.I + 2) memory.rows.reserve(2 * begin + f.I + 2);
    const Row<Cell>* const rows = memory.rows.data();
    const std::size_t right_before = memory.right[j0].size();
    const Row<Cell>& end = *rows;
    const Row<Cell>*deleted = rows + starts[f.J + 1], *inserted = rows + starts[1],
          *replaced = rows + starts[f.J + 2];
    const std::size_t stride = 2 * f.width;
    End suffix_jump{0, 0};
    std::uint64_t steps = 1 + compute_inverted(f, rows, i0, j0);
    if (std::min({deleted->i1, inserted->i1, replaced->i1}) == no_more && !match &&
        !any_touched(f, f.inverted)) {
      f.rest[i0 * f.width + j0] = suffix;
      return steps;
    }
    f.starts[start] = static_cast<std::uint32_t>(begin);

    const std::size_t first_block = Blocks > 0 ? 0 : j0 / block_size, base = first_block * block_size;
    for (std::size_t b = first_block; b < (Blocks > 0 ? Blocks : f.blocks); ++b)
      B::load(f.common + j0 * f.width + b * block_size).store(f.outside + b * block_size);
    const Cell* const all_sizes = f.size_part + (f.I + i0) * stride + (f.width + base - j0);
    const Cell* const all_gaps = f.gap + (f.width + base - j0) - i0 * stride;
    std::size_t taken = i0;  // s[i0:taken] is inside the box
    const Row<Cell>* previous = &end;

    // A gap may follow a match or a jump, row after row, as long as some cell of a row is kept.
    std::vector<Jump<Cell>>& gaps = memory.gaps;
    gaps.clear();
    if (match) gaps.push_back({static_cast<std::uint16_t>(i0 + 1), static_cast<std::uint16_t>(j0 + 1), 0});
    for (std::size_t i1 = i0 + 1;; ++i1) {
      // Find the next row that can be reached.
      std::size_t next = i1;
      const std::uint64_t jumped_bits = f.jumped.touched[0], inverted_bits = f.inverted.touched[0];
      if (gaps.empty()) {
        next = std::min({deleted->i1, inserted->i1, replaced->i1});
        if constexpr (one_word) {
          // This is 64 if there is none.
          next = std::min(next, static_cast<std::size_t>(std::countr_zero(jumped_bits | inverted_bits)));
        } else {
          for (std::size_t w = i1 / 64; w <= std::min(next, f.I) / 64; ++w) {
            const std::uint64_t bits = f.jumped.touched[w] | f.inverted.touched[w];
            if (bits == 0) continue;
            next = std::min(next, w * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
            break;
          }
        }
      }
      if (next > f.I) break;
      i1 = next;
      steps += (i1 - taken) * (Blocks > 0 ? Blocks : f.blocks - first_block);
      for (; taken < i1; ++taken) move_into_box(f, taken, j0, first_block);

      // Compute its straight cost.
      const bool has_d = deleted->i1 == i1, has_n = inserted->i1 == i1, has_r = replaced->i1 == i1;
      const Row<Cell>&d = has_d ? *deleted : end, &n = has_n ? *inserted : end, &r = has_r ? *replaced : end;
      deleted += has_d, inserted += has_n, replaced += has_r;
      const bool jumped = one_word ? jumped_bits >> i1 & 1 : is_touched(f.jumped, i1);
      const bool inverted = one_word ? inverted_bits >> i1 & 1 : is_touched(f.inverted, i1);
      std::size_t first = 0, last = Blocks;
      if constexpr (Blocks == 0) {
        first = f.blocks;
        for (const Row<Cell>* row : {&d, &n, &r}) {
          if (row == &end) continue;
          first = std::min<std::size_t>(first, row->first);
          last = std::max<std::size_t>(last, row->last);
        }
        if (jumped) {
          first = std::min<std::size_t>(first, f.jumped.first[i1]);
          last = std::max<std::size_t>(last, f.jumped.last[i1]);
        }
        if (inverted) {
          first = std::min<std::size_t>(first, f.inverted.first[i1]);
          last = std::max<std::size_t>(last, f.inverted.last[i1]);
        }
        for (const Jump<Cell>& jump : gaps) {
          first = std::min<std::size_t>(first, jump.j / block_size);
          last = std::max(last, last_of_gap(f, jump.j, i1 - jump.i));
        }
      }
      const Cell* const sizes = all_sizes - i1 * stride;
      const Cell* const gap = all_gaps + i1 * stride;
      const B room = B::all(static_cast<Cell>(f.limit - f.inversion + 1));
      const Cell* const v = inverted ? f.inverted.cells + i1 * f.width : nullptr;
      B jump = B::all(0), some = B::all(0), all_kept = B::all(0);
      std::size_t kept_first = Blocks > 0 ? 0 : f.blocks, kept_last = Blocks;
      // Keeps the cells that can be part of an inverted box. Flags those with a match or an inversion.
      auto keep = [&](std::size_t b, const B& q, const B& bag) {
        const std::size_t k = b * block_size;
        const B kept = q + bag < room;
        (q | (B::all(static_cast<Cell>(~Cell{0})) - kept)).min(B::all(infinite<Cell>)).store(f.line + k);
        const B informed = kept & (q < B::load(gap + (k - base)));
        informed.store(f.flags + k);
        some = some | informed;
        all_kept = all_kept | kept;
        if (Blocks == 0 && kept.any()) {
          kept_first = std::min(kept_first, b);
          kept_last = b + 1;
        }
      };
      for (std::size_t b = first; b < last; ++b) {
        const std::size_t k = b * block_size;
        B q = (load(d, b, end) + B::all(f.deletion))
                  .min(load(n, b, end) + B::all(f.insertion))
                  .min(load(r, b, end) + B::all(replacement))
                  .min(B::load(gap + (k - base)));
        for (const Jump<Cell>& jump : gaps)
          if (Blocks > 0 || k + block_size > jump.j) q = q.min(gap_after(f, jump, i1, k));
        q = (q | B::load(f.beyond + k)).min(B::all(infinite<Cell>));
        if (jumped) q = q.min(B::load(f.jumped.cells + i1 * f.width + k));
        const B bag = B::load(sizes + (k - base)) - B::load(f.outside + k);
        if (inverted) {
          // Inverted boxes of this row lead to the end of both sentences, and to other rows.
          const B cost = B::load(v + k);
          const B whole = cost + B::load(f.rest + i1 * f.width + k);
          if ((whole < B::all(suffix)).any()) {
            Cell cells[block_size];
            whole.store(cells);
            const Cell* const least = std::min_element(cells, cells + block_size);
            suffix = *least;
            suffix_jump = {static_cast<std::uint16_t>(i1), static_cast<std::uint16_t>(k + (least - cells))};
          }
          const B better = (cost + bag < room) & (cost < q);
          better.store(f.better + k);
          jump = jump | better;
        }
        keep(b, q, bag);
      }
      steps += 3 + (3 + gaps.size()) * (last - first);
      if (jump.any()) {
        // Compute the row again, with the jumps. Cells that are not kept are not needed.
        each_flag(f.better, first * block_size, last * block_size, [&](std::size_t j1) {
          if (v[j1] >= f.line[j1]) return;
          f.line[j1] = v[j1];
          // Insertions, or any other gap, may follow the jump.
          gaps.push_back({static_cast<std::uint16_t>(i1), static_cast<std::uint16_t>(j1), v[j1]});
          const std::size_t end_of_gap = last_of_gap(f, j1, 0);
          for (; last < end_of_gap; ++last) B::all(infinite<Cell>).store(f.line + last * block_size);
          for (std::size_t b = Blocks > 0 ? 0 : j1 / block_size; b < end_of_gap; ++b) {
            const std::size_t k = b * block_size;
            const B after =
                (gap_after(f, gaps.back(), i1, k) | B::load(f.beyond + k)).min(B::all(infinite<Cell>));
            B::load(f.line + k).min(after).store(f.line + k);
          }
          const Row<Cell>* row = rows + f.starts[i1 * (f.J + 1) + j1];
          for (; row->i1 != no_more; ++row) steps += lower_cells(f, f.jumped, row->i1, *row, v[j1]);
        });
        some = B::all(0);
        for (std::size_t b = first; b < last; ++b) {
          const std::size_t k = b * block_size;
          keep(b, B::load(f.line + k), B::load(sizes + (k - base)) - B::load(f.outside + k));
        }
      }
      if (!all_kept.any()) gaps.clear();
      if (some.any()) {
        const Row<Cell> row{memory.store(f.line + kept_first * block_size, kept_last - kept_first),
                            static_cast<std::uint16_t>(i1), static_cast<std::uint16_t>(kept_first),
                            static_cast<std::uint16_t>(kept_last)};
        find_children(f, row, i0, j0, {d, n, *previous, end}, v, gap - base);
        memory.rows.push_back(row);
        previous = &memory.rows.back();
        steps += 4 * (kept_last - kept_first);
      }
      if (jumped) clear_row(f, f.jumped, i1);
      if (inverted) clear_row(f, f.inverted, i1);
    }
    f.rest[i0 * f.width + j0] = suffix;
    f.jump[start] = suffix_jump;
    memory.rows.push_back(end);
    memory.used += 2 * sizeof(Row<Cell>) * (memory.rows.size() - begin) +
                   2 * sizeof(RightChild<Cell>) * (memory.right[j0].size() - right_before);
    return steps;
  }

  // Whether there are no children for an inverted box that starts at j0.
  HYPERBATON_INLINE bool no_children(const Frame<Cell>& f, std::size_t j0) {
    if (!memory.right[j0].empty()) return false;
    return one_word ? memory.left_starts >> j0 == 0 : f.squares_at[j0] < f.least_square;
  }

  // Computes the inverted boxes that start at (i0,j0). Returns the number of steps.
  HYPERBATON_INLINE std::uint64_t compute_inverted(const Frame<Cell>& f, const Row<Cell>* rows,
                                                   std::size_t i0, std::size_t j0) {
    // Combine right children that start at j0 with left children that end where these start.
    const std::vector<RightChild<Cell>>& right = memory.right[j0];
    const std::size_t longest_square = std::min<std::size_t>(f.squares_at[j0], f.J - j0);
    const std::size_t size = right.size();
    if (memory.found.size() < size) memory.found.resize(2 * size);
    std::size_t count = 0;
    std::uint32_t* const found = memory.found.data();
    for (std::size_t k = 0; k < size; ++k) {
      found[count] = static_cast<std::uint32_t>(k);
      count += f.left[right[k].corner] != no_row;
    }
    std::uint64_t steps = size;
    for (std::size_t h = 0; h < count; ++h) {
      const RightChild<Cell>& b = right[found[h]];
      steps +=
          lower_cells(f, f.inverted, b.i1, rows[f.left[b.corner]], static_cast<Cell>(f.inversion + b.cost));
    }
    // Likewise where one child is a square without a match. Such boxes are not stored.
    const std::uint64_t* const all_squares = f.squares + f.squares_begin[j0];
    auto invert_squares = [&](std::size_t g) {
      const Cell cost = static_cast<Cell>(f.inversion + f.replacement * g);
      const std::uint64_t* const squares = all_squares + (g - f.least_square) * words(f);
      const std::uint64_t* const lefts = f.left_rows + (j0 + g) * words(f);
      const auto [first, last] = one_word ? WordRange{0, 1} : f.left_words[j0 + g];
      ++steps;
      for (std::size_t w = first; w < last; ++w) {
        for (std::uint64_t bits = squares[w] & lefts[w]; bits != 0; bits &= bits - 1) {
          const std::size_t i = w * 64 + static_cast<std::size_t>(std::countr_zero(bits));
          steps += lower_cells(f, f.inverted, i + g, rows[f.left[(j0 + g) * (f.I + 1) + i]], cost);
        }
      }
    };
    if constexpr (one_word) {
      if (f.least_square <= longest_square) {
        const std::uint64_t lengths = memory.left_starts >> (j0 + f.least_square);
        for (std::uint64_t bits = lengths; bits != 0; bits &= bits - 1) {
          const std::size_t g = f.least_square + static_cast<std::size_t>(std::countr_zero(bits));
          if (g > longest_square) break;
          invert_squares(g);
        }
      }
    } else {
      for (std::size_t g = f.least_square; g <= longest_square; ++g) invert_squares(g);
    }
    count = 0;
    const std::uint16_t* const squares_here = f.square + i0 * (f.J + 1);
    for (std::size_t k = size; k-- > 0 && right[k].i0 - i0 <= f.squares_from[i0];) {
      const std::size_t g = right[k].i0 - i0;
      found[count] = static_cast<std::uint32_t>(k);
      count += static_cast<std::size_t>(g >= f.least_square) &
               static_cast<std::size_t>(squares_here[right[k].j1] >= g) &
               static_cast<std::size_t>(right[k].rich);
    }
    for (std::size_t h = 0; h < count; ++h) {
      const RightChild<Cell>& b = right[found[h]];
      const std::size_t g = b.i0 - i0, j1 = b.j1 + g;
      Cell& cell = f.inverted.cells[b.i1 * f.width + j1];
      cell = std::min(cell, static_cast<Cell>(f.inversion + f.replacement * g + b.cost));
      touch(f.inverted, b.i1, j1 / block_size, j1 / block_size + 1);
    }
    return steps;
  }

  // Moves s[i] from the outside into the box. For each j1, the outside loses a common token as long as t has
  // at least as many of its type outside as s, i.e. up to some j1.
  HYPERBATON_INLINE void move_into_box(const Frame<Cell>& f, std::size_t i, std::size_t j0,
                                       std::size_t first_block) {
    const Cell* const step = f.step + (f.width - f.taken[f.taken_first[j0 * f.I + i] + f.taken_offset[i]]);
    for (std::size_t b = first_block; b < (Blocks > 0 ? Blocks : f.blocks); ++b)
      (B::load(f.outside + b * block_size) - B::load(step + b * block_size))
          .store(f.outside + b * block_size);
  }

  // Calls body(x) for each x whose flag is set. A flag is a cell with all bits set.
  template <class Body>
  static HYPERBATON_INLINE void each_flag(const Cell* flags, std::size_t from, std::size_t to, Body body) {
    for (std::size_t k = from; k < to; k += block_size)
      for (std::uint32_t bits = B::load(flags + k).bits(); bits != 0; bits &= bits - 1)
        body(k + static_cast<std::size_t>(std::countr_zero(bits)));
  }

  static HYPERBATON_INLINE B load(const Row<Cell>& row, std::size_t b, const Row<Cell>& end) {
    if constexpr (Blocks > 0) return B::load(row.cells + b * block_size);
    const bool inside = b >= row.first && b < row.last;
    return B::load(inside ? row.cells + (b - row.first) * block_size : end.cells);
  }

  // The rows without the first token of s, without the first token of t, and the previous row, which is
  // without the last token of s if its i1 is one less.
  struct Smaller {
    const Row<Cell>&deleted, &inserted, &previous, &end;
  };

  // Finds the boxes of a row that can be left or right children of an inverted box. The flags mark those that
  // are kept and have a match. The row will be the next one to be stored.
  HYPERBATON_INLINE void find_children(const Frame<Cell>& f, const Row<Cell>& row, std::size_t i0,
                                       std::size_t j0, const Smaller& smaller, const Cell* v,
                                       const Cell* gap) {
    const std::size_t i1 = row.i1, first = Blocks > 0 ? 0 : row.first, last = Blocks > 0 ? Blocks : row.last;
    const Row<Cell>& previous = smaller.previous.i1 + 1u == i1 ? smaller.previous : smaller.end;
    f.line[static_cast<std::ptrdiff_t>(first * block_size) - 1] = infinite<Cell>;
    B any_left = B::all(0), any_rich = B::all(0);
    for (std::size_t b = first; b < last; ++b) {
      const std::size_t k = b * block_size;
      const B line = B::load(f.line + k);
      const B left = B::load(f.flags + k) &
                     (line < load(smaller.deleted, b, smaller.end) + B::all(f.deletion)) &
                     (line < B::load(f.line + k - 1) + B::all(f.insertion));  // without the last token of t
      B right = left & (line < load(smaller.inserted, b, smaller.end) + B::all(f.insertion)) &
                (line < load(previous, b, smaller.end) + B::all(f.deletion));
      if (v != nullptr) right = right & (line < B::load(v + k));
      right.store(f.flags + k);
      any_left = any_left | left;
      any_rich = any_rich | (left & (line + B::all(f.inversion) < B::load(gap + k)));
    }
    if (!any_left.any()) return;
    set_left(f, j0, i1, any_rich.any());
    std::vector<RightChild<Cell>>& right = memory.right[j0];
    each_flag(f.flags, first * block_size, last * block_size, [&](std::size_t j1) {
      right.push_back({static_cast<std::uint32_t>(j1 * (f.I + 1) + i0), static_cast<std::uint16_t>(i0),
                       static_cast<std::uint16_t>(i1), static_cast<std::uint16_t>(j1), f.line[j1],
                       static_cast<Cell>(f.line[j1] + f.inversion) < gap[j1]});
    });
  }

  HYPERBATON_INLINE void set_left(const Frame<Cell>& f, std::size_t j0, std::size_t i1, bool rich) {
    const std::size_t place = j0 * (f.I + 1) + i1;
    f.left[place] = static_cast<std::uint32_t>(memory.rows.size());
    f.left_rows[j0 * words(f) + word(i1)] |= std::uint64_t{rich} << (i1 % 64);
    if constexpr (one_word) memory.left_starts |= std::uint64_t{rich} << j0;
    memory.left_set.push_back(static_cast<std::uint32_t>(place));
    if constexpr (one_word) return;
    auto& [first, last] = f.left_words[j0];
    first = std::min(first, static_cast<std::uint16_t>(i1 / 64));
    last = std::max(last, static_cast<std::uint16_t>(i1 / 64 + 1));
  }

  static HYPERBATON_INLINE std::size_t word(std::size_t i1) { return one_word ? 0 : i1 / 64; }
  static HYPERBATON_INLINE std::size_t words(const Frame<Cell>& f) { return one_word ? 1 : f.I / 64 + 1; }

  static HYPERBATON_INLINE bool is_touched(const Draft<Cell>& draft, std::size_t i1) {
    return draft.touched[word(i1)] >> (i1 % 64) & 1;
  }
  static HYPERBATON_INLINE bool any_touched(const Frame<Cell>& f, const Draft<Cell>& draft) {
    std::uint64_t some = 0;
    for (std::size_t w = 0; w < words(f); ++w) some |= draft.touched[w];
    return some != 0;
  }
  static HYPERBATON_INLINE void touch(const Draft<Cell>& draft, std::size_t i1, std::size_t first,
                                      std::size_t last) {
    draft.touched[word(i1)] |= std::uint64_t{1} << (i1 % 64);
    if constexpr (Blocks > 0) return;
    draft.first[i1] = std::min(draft.first[i1], static_cast<std::uint16_t>(first));
    draft.last[i1] = std::max(draft.last[i1], static_cast<std::uint16_t>(last));
  }
  // Lowers each cell to that of `row` plus `cost`, if this is less. Returns the number of steps.
  static HYPERBATON_INLINE std::size_t lower_cells(const Frame<Cell>& f, const Draft<Cell>& draft,
                                                   std::size_t i1, const Row<Cell>& row, Cell cost) {
    const B add = B::all(cost);
    Cell* const out = draft.cells + i1 * f.width + (Blocks > 0 ? 0 : row.first * block_size);
    const std::size_t size = (Blocks > 0 ? Blocks : row.last - row.first) * block_size;
    const Cell* const in = row.cells;
    touch(draft, i1, row.first, row.last);
    for (std::size_t k = 0; k < size; k += block_size)
      B::load(out + k).min(B::load(in + k) + add).store(out + k);
    return size / block_size;
  }
  static HYPERBATON_INLINE std::size_t last_of_gap(const Frame<Cell>& f, std::size_t j0, std::size_t n) {
    return Blocks > 0 ? Blocks : std::min(f.blocks, (j0 + n + f.limit_of_gap) / block_size + 1);
  }
  // The cost of the boxes from j1 = k on if only a gap follows the jump.
  static HYPERBATON_INLINE B gap_after(const Frame<Cell>& f, const Jump<Cell>& jump, std::size_t i1,
                                       std::size_t k) {
    return B::load(f.gap + (i1 - jump.i) * 2 * f.width + (f.width + k - jump.j)) + B::all(jump.cost);
  }
  static HYPERBATON_INLINE void clear_row(const Frame<Cell>& f, const Draft<Cell>& draft, std::size_t i1) {
    draft.touched[word(i1)] &= ~(std::uint64_t{1} << (i1 % 64));
    Cell* const cells = draft.cells + i1 * f.width;
    const std::size_t first = Blocks > 0 ? 0 : draft.first[i1], last = Blocks > 0 ? Blocks : draft.last[i1];
    for (std::size_t b = first; b < last; ++b) B::all(infinite<Cell>).store(cells + b * block_size);
    if constexpr (Blocks > 0) return;
    draft.first[i1] = std::numeric_limits<std::uint16_t>::max();
    draft.last[i1] = 0;
  }
};
