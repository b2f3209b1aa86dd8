// The inversion edit distance of two sentences and its parse, within a budget of steps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "edit/inversion_table.hpp"
#include "support/errors.hpp"
#include "support/parallel.hpp"

namespace hyperbaton {

// The distance is at least `lower`, and there is a parse that costs `upper`.
struct Bounds {
  std::uint64_t lower, upper;
};

enum class EditKind : std::uint8_t { match, substitute, remove, insert, invert, turn, close };

// One step of a parse, in the order of s. `invert` begins an inverted box at s[i], t[j]. The steps of its
// left part follow, then `turn`, the steps of its right part, and `close`.
struct EditStep {
  EditKind kind;
  std::int32_t i, j;
};

struct Parse {
  std::uint64_t cost, lower;
  std::vector<EditStep> steps;
};

// Works on one pair after another and keeps its memory. Each thread needs its own.
class InversionSolver {
 public:
  explicit InversionSolver(const Stop& stop) : stop_(&stop) {}

  // Loads two sentences. Equal tokens must have equal numbers.
  void load(std::span<const std::int32_t> s, std::span<const std::int32_t> t, const EditCosts& costs) {
    const std::uint64_t largest_cost =
        std::max({costs.inversion, costs.substitution, costs.deletion, costs.insertion});
    if (largest_cost >= (std::uint64_t{1} << 62) / (s.size() + t.size() + 1))
      throw InputError("the costs are too large to be added up");
    costs_ = costs;
    whole_.s.assign(s.begin(), s.end());
    whole_.t.assign(t.begin(), t.end());
    const auto is_out_of_range = [&](std::int32_t token) {
      return token < 0 || static_cast<std::size_t>(token) >= s.size() + t.size();
    };
    // Of the copies, because another thread may change the originals.
    if (std::any_of(whole_.s.begin(), whole_.s.end(), is_out_of_range) ||
        std::any_of(whole_.t.begin(), whole_.t.end(), is_out_of_range))
      renumber_tokens();
    whole_.types = 0;
    for (const auto* side : {&whole_.s, &whole_.t})
      for (const auto token : *side) whole_.types = std::max(whole_.types, token + 1);
  }

  Bounds distance(std::uint64_t budget) { return search(budget).bounds; }

  // Returns a cheapest parse, or the best one found if the budget does not suffice. Among parses of the
  // same cost it prefers, from left to right: match, substitute, delete, insert, and only then invert.
  // Of several inverted boxes it takes the longest, first on the side of s, and of its divisions the one
  // with the shortest left part.
  Parse parse(std::uint64_t budget) {
    const Search found = search(budget);
    Parse parse{0, found.bounds.lower, {}};
    const bool exact = found.bounds.lower == found.bounds.upper;
    StepBudget work{budget};
    // With the distance as its limit, a table has all parses that cost no more. If the budget does not
    // suffice for that, it suffices for the table in which the upper bound was found.
    bool done = exact && write_table_parse(whole_, 0, found.bounds.upper, true, work, parse.steps);
    if (!done && found.limit) {
      work.left = budget;
      done = write_table_parse(core_, begin_, *found.limit, false, work, parse.steps);
    }
    if (!done || cost_of(parse.steps) > found.bounds.upper) write_straight_parse(parse.steps, budget);
    parse.cost = cost_of(parse.steps);
    return parse;
  }

 private:
  struct Box {
    std::size_t i0, i1, j0, j1;
  };
  struct Search {
    Bounds bounds;
    std::optional<std::uint64_t> limit;  // of the table in which the upper bound was found
  };

  static constexpr std::size_t usual_length = 100;

  const Stop* stop_;
  EditCosts costs_{};
  std::vector<std::int32_t> types_, count_s_, count_t_;
  TokenPair whole_, core_, swapped_;
  std::size_t begin_ = 0;  // where core_ begins in whole_
  std::vector<std::uint64_t> row_, next_row_;
  template <class Cell>
  using Table = std::unique_ptr<InversionTable<Cell>>;
  std::tuple<Table<std::uint8_t>, Table<std::uint16_t>, Table<std::uint32_t>, Table<std::uint64_t>> tables_;

  void renumber_tokens() {
    types_.assign(whole_.s.begin(), whole_.s.end());
    types_.insert(types_.end(), whole_.t.begin(), whole_.t.end());
    std::sort(types_.begin(), types_.end());
    types_.erase(std::unique(types_.begin(), types_.end()), types_.end());
    for (auto* side : {&whole_.s, &whole_.t})
      for (auto& token : *side)
        token =
            static_cast<std::int32_t>(std::lower_bound(types_.begin(), types_.end(), token) - types_.begin());
  }

  EditCosts swapped_costs() const {
    return {costs_.inversion, costs_.substitution, costs_.insertion, costs_.deletion};
  }

  const TokenPair& swap_sides(const TokenPair& pair) {
    swapped_ = {pair.t, pair.s, pair.types};
    return swapped_;
  }

  // Calls body(table) with the table of the smallest cells that suffice.
  template <class Body>
  bool with_table(const TokenPair& pair, const EditCosts& costs, Body body) {
    auto use_table = [&]<class Cell>(Table<Cell>& table) {
      if (!table) table = std::make_unique<InversionTable<Cell>>();
      const bool done = body(*table);
      if (table->bytes() > large_table_bytes) release_others(table.get());
      return done;
    };
    const std::size_t I = pair.s.size(), J = pair.t.size();
    if (InversionTable<std::uint8_t>::fits(I, J, costs)) return use_table(std::get<0>(tables_));
    if (InversionTable<std::uint16_t>::fits(I, J, costs)) return use_table(std::get<1>(tables_));
    if (InversionTable<std::uint32_t>::fits(I, J, costs)) return use_table(std::get<2>(tables_));
    return use_table(std::get<3>(tables_));
  }

  static constexpr std::size_t large_table_bytes = std::size_t{64} << 20;

  void release_others(const void* kept) {
    std::apply([&](auto&... table) { ((table.get() != kept ? table.reset() : void()), ...); }, tables_);
  }

  void count(const TokenPair& pair) {
    count_s_.assign(static_cast<std::size_t>(pair.types), 0);
    count_t_ = count_s_;
    for (const auto token : pair.s) ++count_s_[token];
    for (const auto token : pair.t) ++count_t_[token];
  }

  std::uint64_t bag_distance(const TokenPair& pair) {
    count(pair);
    std::uint64_t common = 0;
    for (std::size_t k = 0; k < count_s_.size(); ++k) common += std::min(count_s_[k], count_t_[k]);
    return costs_.bag(pair.s.size(), pair.t.size(), common);
  }

  // Removes equal first and last tokens, if each is the only one of its type on both sides. Others must
  // stay: d(xaxb, xbxa) = 1, but d(axb, bxa) = 2.
  //
  // A parse without such a token costs no more: if both sides match each other, nothing is lost. Otherwise
  // each is deleted, inserted or substituted, and a token that it was substituted for is now inserted or
  // deleted instead. This costs more only if both were substituted, and two substitutions are cheaper than a
  // deletion and an insertion. Then nothing is removed.
  void strip_unique_ends() {
    count(whole_);
    const auto &s = whole_.s, &t = whole_.t;
    std::size_t begin = 0, end_s = s.size(), end_t = t.size();
    const bool removable = costs_.deletion + costs_.insertion <= 2 * costs_.substitution;
    auto only = [&](std::int32_t a, std::int32_t b) {
      return removable && a == b && count_s_[a] == 1 && count_t_[b] == 1;
    };
    while (begin < end_s && begin < end_t && only(s[begin], t[begin])) ++begin;
    while (end_s > begin && end_t > begin && only(s[end_s - 1], t[end_t - 1])) --end_s, --end_t;
    core_.s.assign(s.begin() + begin, s.begin() + end_s);
    core_.t.assign(t.begin() + begin, t.begin() + end_t);
    core_.types = whole_.types;
    begin_ = begin;
  }

  Search search(std::uint64_t budget) {
    strip_unique_ends();
    const std::uint64_t bag = bag_distance(core_);
    if (core_.s.empty() || core_.t.empty()) return {{bag, bag}, {}};
    StepBudget work{budget};
    const auto levenshtein = levenshtein_distance(core_, work);
    if (!levenshtein) return {{bag, diagonal_cost(core_)}, {}};
    // A parse with an inversion costs at least bag + inversion; one without, the Levenshtein distance.
    if (*levenshtein <= bag + costs_.inversion) return {{*levenshtein, *levenshtein}, {}};
    Search best{{bag + costs_.inversion, *levenshtein}, {}};

    const bool swapped = core_.s.size() > core_.t.size();
    const TokenPair& pair = swapped ? swap_sides(core_) : core_;
    const EditCosts costs = swapped ? swapped_costs() : costs_;
    auto fill_table = [&](std::uint64_t limit, StepBudget& allowed) {
      return with_table(pair, costs, [&](auto& table) {
        if (!table.fill(pair, costs, limit, true, allowed, *stop_)) return false;
        const std::uint64_t found = table.rest(0, 0);
        if (found < best.bounds.upper) best = {{best.bounds.lower, found}, limit};
        best.bounds.lower = found <= table.limit() ? found : std::max(best.bounds.lower, table.limit() + 1);
        best.bounds.lower = std::min(best.bounds.lower, best.bounds.upper);
        return true;
      });
    };
    // The distance of the limit from the bag distance doubles each time. The first limits take little work
    // and give bounds even for sentences that are too long for the last.
    auto double_limits = [&] {
      for (std::uint64_t slack = std::max<std::uint64_t>(costs_.inversion, 1);
           best.bounds.lower < best.bounds.upper; slack *= 2) {
        const std::uint64_t limit = std::min(bag + slack, best.bounds.upper - 1);
        if (!fill_table(limit, work)) return;
      }
    };
    if (pair.t.size() > usual_length) {
      double_limits();
      return best;
    }
    // First try a limit that most distances are within, then the rest. A quarter of the budget is reserved
    // in case this is too much.
    const std::uint64_t spare = work.left / 4, gap = best.bounds.upper - bag;
    work.left -= spare;
    std::uint64_t limit = std::max(best.bounds.lower, bag + gap / 3 * 2 + gap % 3 * 2 / 3);
    while (best.bounds.lower < best.bounds.upper) {
      limit = std::min(limit, best.bounds.upper - 1);
      if (!fill_table(limit, work)) break;
      limit = best.bounds.upper - 1;
    }
    work.left = spare;
    double_limits();
    return best;
  }

  // The work for a row of a Levenshtein table, in steps of the inversion table.
  static std::uint64_t row_work(std::size_t cells) { return cells / 4 + 1; }

  // A Levenshtein table of at most this many cells costs no steps, so that the upper bound is never above
  // the Levenshtein distance.
  static constexpr std::size_t free_cells = std::size_t{1} << 23;

  // The Levenshtein distance, if the budget suffices.
  std::optional<std::uint64_t> levenshtein_distance(const TokenPair& pair, StepBudget& work) {
    const std::uint64_t replacement = costs_.replacement();
    const bool free = pair.s.size() <= free_cells / (pair.t.size() + 1);
    row_.resize(pair.t.size() + 1);
    for (std::size_t j = 0; j < row_.size(); ++j) row_[j] = costs_.insertion * j;
    for (const auto token : pair.s) {
      if (!free && !work.spend(row_work(row_.size()))) return {};
      if (stop_->load(std::memory_order_relaxed)) throw Interrupted();
      std::uint64_t diagonal = row_[0], left = row_[0] += costs_.deletion;
      for (std::size_t j = 1; j < row_.size(); ++j) {
        const std::uint64_t replaced = diagonal + (token == pair.t[j - 1] ? 0 : replacement);
        diagonal = row_[j];
        left = std::min({replaced, diagonal + costs_.deletion, left + costs_.insertion});
        row_[j] = left;
      }
    }
    return row_.back();
  }

  std::uint64_t diagonal_cost(const TokenPair& pair) const {
    const std::size_t both = std::min(pair.s.size(), pair.t.size());
    std::uint64_t matches = 0;
    for (std::size_t k = 0; k < both; ++k) matches += pair.s[k] == pair.t[k];
    return costs_.bag(pair.s.size(), pair.t.size(), matches);
  }

  std::uint64_t cost_of(const std::vector<EditStep>& steps) const {
    std::uint64_t sum = 0;
    for (const EditStep& step : steps) {
      switch (step.kind) {
        case EditKind::substitute:
          sum += costs_.substitution;
          break;
        case EditKind::remove:
          sum += costs_.deletion;
          break;
        case EditKind::insert:
          sum += costs_.insertion;
          break;
        case EditKind::invert:
          sum += costs_.inversion;
          break;
        case EditKind::match:
        case EditKind::turn:
        case EditKind::close:
          break;
      }
    }
    return sum;
  }

  static EditStep step(EditKind kind, std::size_t i, std::size_t j) {
    return {kind, static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)};
  }

  // Writes the cheapest parse without inversions, or the diagonal of the core if the budget does not suffice.
  void write_straight_parse(std::vector<EditStep>& steps, std::uint64_t budget) {
    const auto &s = whole_.s, &t = whole_.t;
    const std::size_t I = s.size(), J = t.size(), width = J + 1;
    steps.clear();
    std::vector<std::uint8_t> choices;  // two bits each
    // The search has computed this cost if the budget sufficed for the core of the pair.
    const bool affordable =
        I + 1 <= most_choices / width && (core_.s.size() <= free_cells / (core_.t.size() + 1) ||
                                          core_.s.size() * row_work(core_.t.size() + 1) <= budget);
    if (affordable) {
      choices.assign(((I + 1) * width + 3) / 4, 0);
      row_.assign(width, 0);
      next_row_.assign(width, 0);
      for (std::size_t i = I + 1; i-- > 0;) {
        if (stop_->load(std::memory_order_relaxed)) throw Interrupted();
        for (std::size_t j = J + 1; j-- > 0;) {
          if (i == I && j == J) continue;
          std::uint64_t best = std::numeric_limits<std::uint64_t>::max();
          EditKind choice = EditKind::insert;
          auto consider = [&](EditKind kind, std::uint64_t value) {
            if (value < best) best = value, choice = kind;
          };
          if (i < I && j < J)
            consider(s[i] == t[j] ? EditKind::match : EditKind::substitute,
                     next_row_[j + 1] + (s[i] == t[j] ? 0 : costs_.substitution));
          if (i < I) consider(EditKind::remove, next_row_[j] + costs_.deletion);
          if (j < J) consider(EditKind::insert, row_[j + 1] + costs_.insertion);
          row_[j] = best;
          const std::size_t place = i * width + j;
          choices[place / 4] |=
              static_cast<std::uint8_t>(static_cast<std::uint8_t>(choice) << (place % 4 * 2));
        }
        std::swap(row_, next_row_);
      }
    }
    const std::size_t end_s = begin_ + core_.s.size(), end_t = begin_ + core_.t.size();
    for (std::size_t i = 0, j = 0; i < I || j < J;) {
      EditKind kind = EditKind::substitute;
      if (i == end_s && j < end_t) kind = EditKind::insert;
      if (j == end_t && i < end_s) kind = EditKind::remove;
      const std::size_t place = i * width + j;
      if (affordable) kind = static_cast<EditKind>(choices[place / 4] >> (place % 4 * 2) & 3);
      if (kind == EditKind::substitute && s[i] == t[j]) kind = EditKind::match;
      if (!affordable && kind == EditKind::substitute && costs_.substitution > costs_.replacement()) {
        steps.push_back(step(EditKind::remove, i++, j));
        kind = EditKind::insert;
      }
      steps.push_back(step(kind, i, j));
      i += kind != EditKind::insert;
      j += kind != EditKind::remove;
    }
  }

  static constexpr std::size_t most_choices = std::size_t{1} << 30;

  // Writes the parse of a pair, which begins at `begin` in the whole pair, from a table with that limit.
  // Returns false if the budget does not suffice, or if no inversion is within the limit.
  bool write_table_parse(const TokenPair& part, std::size_t begin, std::uint64_t limit, bool all_within,
                         StepBudget& work, std::vector<EditStep>& steps) {
    if (part.s.empty() || part.t.empty() || limit < bag_distance(part) + costs_.inversion) return false;
    const bool swapped = part.s.size() > part.t.size();
    const TokenPair& pair = swapped ? swap_sides(part) : part;
    const EditCosts costs = swapped ? swapped_costs() : costs_;
    return with_table(pair, costs, [&](auto& table) {
      if (!table.fill(pair, costs, limit, !all_within, work, *stop_)) return false;
      steps.clear();
      for (std::size_t k = 0; k < begin; ++k) steps.push_back(step(EditKind::match, k, k));
      if (!recover_parse(table, part, swapped, all_within, begin, work, steps)) return false;
      for (std::size_t i = begin + part.s.size(), j = begin + part.t.size(); i < whole_.s.size(); ++i, ++j)
        steps.push_back(step(EditKind::match, i, j));
      return true;
    });
  }

  // Recovers the parse from a table, by looking for costs that add up. Returns false if the budget does not
  // suffice.
  //
  // Let Q(box) be what the table has for a box: a stored cell, or the cost of a gap. Within the limit it is
  // exact, and one of the steps in the recurrence of inversion_table.hpp has exactly this cost. Beyond the
  // limit it may be too high: a sum is stored when it is found, and the table can have a cheaper parse of one
  // of its parts. An example is an inverted box with a square, which counts as a gap there, although the box
  // of that square has a stored cell below. So if no step adds up, take one that costs less. There always is
  // one, with Q(step) + Q(rest) <= Q(box), and hence the parse costs at most rest(0, 0). Proof:
  // - A gap begins with a substitution, a deletion or an insertion, and the rest is a smaller gap. The table
  //   never has more than the gap for a box.
  // - A cell, or rest(i, j), was the sum of a token or an inverted box and what the table had for the rest at
  //   that time. If the token was replaced by a deletion and an insertion, then the box without the deleted
  //   token is kept, since it is part of one that is kept, and costs at most the insertion more.
  // - An inverted box was the sum of its parts, each of which is a stored cell or a square that is a gap.
  // - What the table has never rises: cells are written once, and the limit only falls towards the first
  //   start, so what is part of a kept box was kept.
  template <class Cell>
  bool recover_parse(const InversionTable<Cell>& table, const TokenPair& part, bool swapped, bool all_within,
                     std::size_t begin, StepBudget& work, std::vector<EditStep>& steps) {
    const auto &s = part.s, &t = part.t;
    const std::size_t I = s.size(), J = t.size();
    auto Q = [&](std::size_t i0, std::size_t i1, std::size_t j0, std::size_t j1) {
      return swapped ? table.box(j0, j1, i0, i1) : table.box(i0, i1, j0, j1);
    };
    // The cost from (i, j) to the end of the box.
    auto rest = [&](std::size_t i, std::size_t j, const Box& box) -> std::uint64_t {
      if (box.i1 == I && box.j1 == J) return swapped ? table.rest(j, i) : table.rest(i, j);
      return Q(i, box.i1, j, box.j1);
    };
    struct Task {
      EditKind kind;  // a box to parse (invert), or a step to write
      Box box;
    };
    auto write = [&](EditKind kind, std::size_t i, std::size_t j) {
      steps.push_back(step(kind, begin + i, begin + j));
    };
    std::vector<Task> tasks{{EditKind::invert, {0, I, 0, J}}};
    while (!tasks.empty()) {
      const Task task = tasks.back();
      tasks.pop_back();
      const EditKind kind = task.kind;
      const Box box = task.box;
      std::size_t i = box.i0, j = box.j0;
      const std::size_t i1 = box.i1, j1 = box.j1;
      if (kind != EditKind::invert) {
        write(kind, i, j);
        continue;
      }
      while (i < i1 || j < j1) {
        if (stop_->load(std::memory_order_relaxed)) throw Interrupted();
        const std::uint64_t left = rest(i, j, box);
        const bool both = i < i1 && j < j1, at_end = i1 == I && j1 == J;
        const auto rest_after = [&](std::size_t a, std::size_t b) { return rest(a, b, box); };
        Box ends{i, i1, j, j1};  // where an inverted box may end: anywhere, or where the table says
        if (at_end && !all_within) {
          const End end = swapped ? table.jump(j, i) : table.jump(i, j);
          ends.i0 = ends.i1 = swapped ? end.j : end.i;
          ends.j0 = ends.j1 = swapped ? end.i : end.j;
        }
        std::optional<EditKind> token;
        std::optional<Division> inverted;
        for (const SumTest adds_up : {SumTest{left, true}, SumTest{left, false}}) {
          if (both && s[i] == t[j] && adds_up(rest(i + 1, j + 1, box)))
            token = EditKind::match;
          else if (both && s[i] != t[j] && adds_up(rest(i + 1, j + 1, box) + costs_.substitution))
            token = EditKind::substitute;
          else if (i < i1 && adds_up(rest(i + 1, j, box) + costs_.deletion))
            token = EditKind::remove;
          else if (j < j1 && adds_up(rest(i, j + 1, box) + costs_.insertion))
            token = EditKind::insert;
          else if (!find_inverted_box(part, adds_up, {i, i1, j, j1}, ends, Q, rest_after, work, inverted))
            return false;
          if (token || inverted) break;
        }
        if (token) {
          write(*token, i, j);
          i += token != EditKind::insert;
          j += token != EditKind::remove;
          continue;
        }
        if (!inverted) throw std::logic_error("the inversion table does not add up");
        const auto [x, x1, y, y1] = *inverted;
        write(EditKind::invert, i, j);
        if (x1 < i1 || y1 < j1) tasks.push_back({EditKind::invert, {x1, i1, y1, j1}});
        tasks.push_back({EditKind::close, {x1, x1, y1, y1}});
        tasks.push_back({EditKind::invert, {x, x1, j, y}});
        tasks.push_back({EditKind::turn, {x, x, j, j}});
        tasks.push_back({EditKind::invert, {i, x, y, y1}});
        break;
      }
    }
    return true;
  }

  // Whether a step and what follows it cost what the table has for both, or no more than that.
  struct SumTest {
    std::uint64_t left;
    bool exactly;
    bool operator()(std::uint64_t sum) const { return exactly ? sum == left : sum <= left; }
  };

  struct Division {
    std::size_t x, x1, y, y1;
  };

  // Looks for an inverted box at the start of `box` whose cost and that of the rest add up. It ends at
  // (x1, y1), within `ends`, and its parts are (i0,x; y,y1) and (x,x1; j0,y). Returns false if the budget
  // does not suffice.
  template <class Q, class Rest>
  bool find_inverted_box(const TokenPair& part, const SumTest& adds_up, const Box& box, const Box& ends,
                         const Q& q, const Rest& rest, StepBudget& work, std::optional<Division>& found) {
    const std::size_t i0 = box.i0, j0 = box.j0;
    for (std::size_t x1 = ends.i1; x1 >= std::max(ends.i0, i0 + 2); --x1) {
      if (stop_->load(std::memory_order_relaxed)) throw Interrupted();
      count_s_.assign(static_cast<std::size_t>(part.types), 0);
      count_t_ = count_s_;
      for (std::size_t i = i0; i < x1; ++i) ++count_s_[part.s[i]];
      for (std::size_t j = j0; j < ends.j1; ++j) ++count_t_[part.t[j]];
      std::uint64_t common = 0;
      for (std::size_t k = 0; k < count_s_.size(); ++k) common += std::min(count_s_[k], count_t_[k]);
      if (!work.spend(count_s_.size() + x1 + ends.j1)) return false;
      for (std::size_t y1 = ends.j1; y1 >= std::max(ends.j0, j0 + 2); --y1) {
        if (y1 < ends.j1 && count_t_[part.t[y1]]-- <= count_s_[part.t[y1]]) --common;
        const std::uint64_t after = rest(x1, y1) + costs_.inversion;
        if (after + costs_.bag(x1 - i0, y1 - j0, common) > adds_up.left) continue;
        for (std::size_t x = i0 + 1; x < x1; ++x) {
          if (!work.spend(y1 - j0)) return false;
          for (std::size_t y = y1 - 1; y > j0; --y) {
            const std::uint64_t first = after + q(i0, x, y, y1);
            if (first > adds_up.left || !adds_up(first + q(x, x1, j0, y))) continue;
            found = Division{x, x1, y, y1};
            return true;
          }
        }
      }
    }
    return true;
  }
};

}  // namespace hyperbaton
