// A bound for all selections, and often the best one: a Lagrangian relaxation.
//
// Let words of the reference be linked any number of times, at a price. Then the best selection is a shortest
// path through the hypothesis; what it costs, less all prices, is no more than any real selection costs:
//
//   bound = min over paths of (cost + Σ price of the words linked) − Σ price of all words.
//
// Prices go up where a word is linked too often and down where it is not linked. If the path links every word
// once at most, and all that have a price, nothing is better. And what no path can take without costing as
// much as what is known need not be looked at any more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "candidates.hpp"

namespace hyperbaton {

class Relaxation {
 public:
  std::vector<Cost> price;        // by r
  std::vector<Cost> from, value;  // see solve()
  Cost bound = 0, all_prices = 0;

  // With the prices as they are. True if the path is the best selection: then these are its links.
  bool start(const Candidates& candidates, std::vector<Match>& links) {
    candidates_ = &candidates;
    highest_ = -unknown_cost;
    add_prices();
    solve();
    follow();
    if (conflicts_ != 0) return false;
    take_path(links);
    return true;
  }

  // Adjusts the prices so many times, or until nothing is better than the links that are known, among them
  // those it finds: then it returns true. It ends with the best prices it had.
  bool improve(int rounds, Cost& known, std::vector<Match>& links) {
    int shorter = 0, idle = 0;  // steps that overshoot, with `known` far off, get shorter
    for (int round = 0;; ++round) {
      if (bound > highest_) {
        highest_ = bound, best_price_ = price;
        idle = 0;
      } else if (++idle == patience) {
        ++shorter;
        idle = 0;
      }
      if (once_ && path_cost_ < known) {
        known = path_cost_;
        take_path(links);
      }
      if (highest_ >= known) return true;
      if (round == rounds || shorter == 60) break;
      const Cost step = std::max<Cost>(1, ((known - bound) >> shorter) / conflicts_);
      for (const std::uint32_t r : wrong_) {
        const Cost before = price[r];
        price[r] = std::clamp<Cost>(before + step * (used_[r] - 1), 0, candidates_->dearest);
        all_prices += price[r] - before;
      }
      solve();
      follow();
    }
    if (bound != highest_) {
      price = best_price_;
      add_prices();
      solve();
      follow();
    }
    return false;
  }

  // Forgets the candidates that are in no selection which costs less than `known`.
  bool reduce(Candidates& candidates, Cost known) {
    const std::size_t n = candidates.n;
    const Cost limit = known + all_prices;
    // The shortest path to each word, and to the end of each candidate.
    to_.assign(n + 1, unknown_cost);
    to_[0] = 0;
    until_.assign(candidates.list.size(), unknown_cost);
    for (std::size_t h = 0; h < n; ++h) {
      to_[h + 1] = std::min(to_[h + 1], to_[h]);
      for (std::size_t place = candidates.begin[h]; place < candidates.begin[h + 1]; ++place) {
        const Candidate& here = candidates.list[place];
        const Cost reached = std::min(to_[h], until_[place]) + here.cost + price_of(here.match);
        Cost& end = to_[h + static_cast<std::size_t>(here.match.h_length)];
        end = std::min(end, reached);
        for (std::uint32_t on = here.on; on < here.on_end; ++on)
          until_[on] = std::min(until_[on], reached - candidates.chunk);
        until_[place] = std::min(to_[h], until_[place]) + value[place];  // all of the path, from now on
      }
    }
    if (!candidates.keep([&](std::size_t place) { return until_[place] < limit; })) return false;
    // What nobody wants any more has no price.
    wanted_.assign(candidates.m, 0);
    for (const Candidate& candidate : candidates.list)
      for (std::int32_t k = 0; k < candidate.match.r_length; ++k) wanted_[candidate.match.r + k] = 1;
    for (std::size_t r = 0; r < price.size(); ++r)
      if (!wanted_[r]) price[r] = 0;
    add_prices();
    solve();
    follow();
    return true;
  }

  // The links of the shortest path, some of a word twice.
  void take_path(std::vector<Match>& links) const {
    links.clear();
    for (const std::uint32_t place : path_) links.push_back(candidates_->list[place].match);
  }

  Cost price_of(const Match& match) const {
    Cost sum = price[match.r];
    for (std::int32_t k = 1; k < match.r_length; ++k) sum += price[match.r + k];
    return sum;
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  static constexpr int patience = 3;
  const Candidates* candidates_ = nullptr;
  Cost highest_ = 0;
  std::vector<Cost> best_price_, to_, until_;
  std::vector<std::uint32_t> path_;          // the shortest
  std::vector<std::uint32_t> first_, then_;  // what the path begins with, by word; and goes on with
  std::vector<std::int32_t> used_;           // by r: how often
  std::vector<std::uint32_t> wrong_;         // where prices have to change
  std::vector<char> wanted_;                 // by r
  std::int64_t conflicts_ = 0;
  bool once_ = true;    // whether the path links no word twice
  Cost path_cost_ = 0;  // without prices

  void add_prices() { all_prices = std::accumulate(price.begin(), price.end(), Cost{0}); }

  // The shortest path from each word on: `from` if no link ends there, `value` by the candidate that it
  // begins with, as a new chunk.
  void solve() {
    const Candidates& all = *candidates_;
    from.resize(all.n + 1);
    first_.resize(all.n + 1);
    value.resize(all.list.size());
    then_.resize(all.list.size());
    from[all.n] = 0;
    first_[all.n] = none;
    const Cost chunk = all.chunk;
    std::uint32_t place = static_cast<std::uint32_t>(all.list.size());
    for (std::size_t h = all.n; h-- > 0;) {
      Cost best = from[h + 1];
      std::uint32_t first = none;
      while (place > all.begin[h]) {
        const Candidate& here = all.list[--place];
        Cost after = from[h + static_cast<std::size_t>(here.match.h_length)];
        std::uint32_t then = none;
        for (std::uint32_t on = here.on; on < here.on_end; ++on)
          if (value[on] - chunk <= after) after = value[on] - chunk, then = on;
        then_[place] = then;
        const Cost sum = here.cost + price_of(here.match) + after;
        value[place] = sum;
        if (sum <= best) best = sum, first = place;
      }
      from[h] = best;
      first_[h] = first;
    }
    bound = from[0] - all_prices;
  }

  // Goes along the shortest path.
  void follow() {
    const Candidates& all = *candidates_;
    path_.clear();
    used_.assign(all.m, 0);
    path_cost_ = from[0];
    for (std::size_t h = 0; h < all.n; ++h) {
      for (std::uint32_t place = first_[h]; place != none;) {
        const Match& match = all.list[place].match;
        for (std::int32_t k = 0; k < match.r_length; ++k) ++used_[match.r + k];
        path_cost_ -= price_of(match);
        path_.push_back(place);
        h = static_cast<std::size_t>(match.h + match.h_length);
        place = then_[place] != none ? then_[place] : first_[h];
      }
    }
    once_ = true;
    conflicts_ = 0;
    wrong_.clear();
    for (std::size_t r = 0; r < all.m; ++r) {
      const std::int32_t more = used_[r] - 1;
      if (more == 0 || (more < 0 && price[r] == 0)) continue;
      once_ = once_ && more < 0;
      conflicts_ += std::int64_t{more} * more;
      wrong_.push_back(static_cast<std::uint32_t>(r));
    }
  }
};

}  // namespace hyperbaton
