// The aligner of two languages as its definitions say, for short texts: the Gibbs sampler that counts
// everything anew, the posteriors by enumeration, and the links of each symmetrization.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "support/split_mix.hpp"
#include "translation/pair_aligner.hpp"
#include "translation/training.hpp"

namespace plain {

using namespace hyperbaton;
using Words = std::vector<std::int32_t>;
using Rows = std::vector<std::vector<double>>;
using Pair = std::array<Words, 2>;
using Cells = std::set<std::pair<int, int>>;  // (source, target)

// The spellings of both sides.
struct Lexicons {
  std::array<Words, 2> text, prefix;
  std::array<Spellings, 2> spellings() const {
    return {Spellings{text[0], prefix[0]}, Spellings{text[1], prefix[1]}};
  }
};

// The order of pairs: by a hash, then by their words.
inline std::uint64_t hash(std::uint64_t state, const Words& words) {
  for (const std::int32_t word : words) {
    state = (state ^ static_cast<std::uint64_t>(word)) * 0x9E3779B97F4A7C15u;
    state ^= state >> 29;
  }
  return (state ^ words.size()) * 0xBF58476D1CE4E5B9u;
}

// α(e, f).
inline double alpha(const Lexicons& lexicons, std::size_t from, std::int32_t e, std::int32_t f) {
  if (lexicons.text[from][e] == lexicons.text[1 - from][f]) return 0.001 + 0.2;
  const auto prefix = lexicons.prefix[from][e];
  return prefix >= 0 && prefix == lexicons.prefix[1 - from][f] ? 0.001 + 0.02 : 0.001;
}

// One chain, which counts everything anew for every word.
class Chain {
 public:
  Chain(const std::vector<Pair>& pairs, const Lexicons& lexicons, std::size_t from, std::uint64_t seed)
      : pairs_(pairs), lexicons_(lexicons), from_(from), random_(seed) {
    for (const Pair& pair : pairs) {
      links_.emplace_back();
      for (std::size_t j = 0; j < pair[1 - from].size(); ++j) {
        int link = 0;
        if (random_.fraction() >= 0.2)
          link = 1 + static_cast<int>(random_.fraction() * static_cast<double>(pair[from].size()));
        links_.back().push_back(link);
      }
    }
  }

  void iterate(Stage stage) {
    const Jumps jumps = jump_probabilities();
    const auto fertilities = fertility_counts();
    for (std::size_t s = 0; s < pairs_.size(); ++s)
      for (std::size_t j = 0; j < links_[s].size(); ++j) {
        links_[s][j] = removed;
        const auto weights = weigh(stage, s, j, jumps, fertilities);
        double sum = 0, seen = 0;
        for (const double weight : weights) sum += weight;
        const double chosen = random_.fraction() * sum;
        int link = 0;
        for (seen = weights[0]; seen <= chosen && link + 1 < static_cast<int>(weights.size());)
          seen += weights[static_cast<std::size_t>(++link)];
        links_[s][j] = link;
      }
  }

  const std::vector<std::vector<int>>& links() const { return links_; }

 private:
  static constexpr int removed = -1;
  const std::vector<Pair>& pairs_;
  const Lexicons& lexicons_;
  std::size_t from_;
  SplitMix64 random_;
  std::vector<std::vector<int>> links_;

  // j(d) = (count(d) + 0.5)^¾ / Σ (count + 0.5)^¾ over −100 to 100.
  using Jumps = std::array<double, 201>;
  static double jump(const Jumps& jumps, int d) {
    return jumps[static_cast<std::size_t>(std::clamp(d, -100, 100) + 100)];
  }
  Jumps jump_probabilities() const {
    Jumps jumps;
    jumps.fill(0.5);
    const auto add = [&](int d) { ++jumps[static_cast<std::size_t>(std::clamp(d, -100, 100) + 100)]; };
    for (std::size_t s = 0; s < pairs_.size(); ++s) {
      int previous = 0;
      for (const int link : links_[s])
        if (link > 0) {
          add(link - previous);
          previous = link;
        }
      add(static_cast<int>(pairs_[s][from_].size()) + 1 - previous);
    }
    double total = 0;
    for (double& count : jumps) total += count = std::pow(count, 0.75);
    for (double& probability : jumps) probability /= total;
    return jumps;
  }

  int fertility(std::size_t s, std::size_t i) const {
    return static_cast<int>(std::count(links_[s].begin(), links_[s].end(), static_cast<int>(i) + 1));
  }

  std::map<std::pair<std::int32_t, int>, double> fertility_counts() const {
    std::map<std::pair<std::int32_t, int>, double> counts;
    for (std::size_t s = 0; s < pairs_.size(); ++s)
      for (std::size_t i = 0; i < pairs_[s][from_].size(); ++i)
        ++counts[{pairs_[s][from_][i], std::min(fertility(s, i), 15)}];
    return counts;
  }

  std::vector<double> weigh(Stage stage, std::size_t s, std::size_t j, const Jumps& jumps,
                            const std::map<std::pair<std::int32_t, int>, double>& fertilities) const {
    const Words& source = pairs_[s][from_];
    const std::int32_t f = pairs_[s][1 - from_][j];
    std::map<std::int32_t, double> with_f, all;  // links of source words to f, and to any word; -1 is none
    for (std::size_t t = 0; t < pairs_.size(); ++t)
      for (std::size_t k = 0; k < links_[t].size(); ++k) {
        const int link = links_[t][k];
        if (link == removed) continue;
        const std::int32_t e = link == 0 ? -1 : pairs_[t][from_][static_cast<std::size_t>(link - 1)];
        ++all[e];
        with_f[e] += pairs_[t][1 - from_][k] == f;
      }
    const auto vocabulary = static_cast<std::int32_t>(lexicons_.text[1 - from_].size());
    int before = 0, after = static_cast<int>(source.size()) + 1;
    for (std::size_t k = 0; k < j; ++k)
      if (links_[s][k] > 0) before = links_[s][k];
    for (std::size_t k = links_[s].size(); k-- > j + 1;)
      if (links_[s][k] > 0) after = links_[s][k];
    const bool has_jumps = stage != Stage::words;
    std::vector<double> weights;
    weights.push_back(0.2 * (with_f[-1] + 0.01) / (all[-1] + 0.01 * vocabulary) *
                      (has_jumps ? jump(jumps, after - before) : 1));
    for (std::size_t i = 0; i < source.size(); ++i) {
      double prior = 0;
      for (std::int32_t word = 0; word < vocabulary; ++word)
        prior += alpha(lexicons_, from_, source[i], word);
      double weight =
          0.8 * (with_f[source[i]] + alpha(lexicons_, from_, source[i], f)) / (all[source[i]] + prior);
      const int position = static_cast<int>(i) + 1;
      weight *= has_jumps ? jump(jumps, position - before) * jump(jumps, after - position)
                          : 1 / static_cast<double>(source.size());
      if (stage == Stage::fertility) {
        const auto count = [&](int links) {
          const auto at = fertilities.find({source[i], std::min(links, 15)});
          return (at == fertilities.end() ? 0 : at->second) + 0.5;
        };
        weight *= count(fertility(s, i) + 1) / count(fertility(s, i));
      }
      weights.push_back(weight);
    }
    return weights;
  }
};

// The posteriors of target words from their definition: all ways to link the pair. Column 0 is none.
inline Rows posteriors(const LinkModel& model, const std::vector<ModelWord>& sources,
                       const std::vector<ModelWord>& targets, JumpPower power) {
  const std::size_t columns = sources.size() + 1;
  const JumpProbabilities jumps = model.jumps(power, static_cast<int>(sources.size()) + 1);
  Rows sums(targets.size(), std::vector<double>(columns));
  std::vector<std::size_t> links(targets.size());
  while (true) {
    double weight = 1;
    int position = 0;
    for (std::size_t j = 0; j < links.size(); ++j) {
      if (links[j] == 0) {
        weight *= 0.2 * model.null_probability_of(targets[j]);
        continue;
      }
      const int link = static_cast<int>(links[j]);
      weight *=
          0.8 * model.probability(model.source(sources[links[j] - 1]), targets[j]) * jumps(link - position);
      position = link;
    }
    weight *= jumps(static_cast<int>(sources.size()) + 1 - position);
    for (std::size_t j = 0; j < links.size(); ++j) sums[j][links[j]] += weight;
    std::size_t j = 0;
    while (j < links.size() && ++links[j] == columns) links[j++] = 0;
    if (j == links.size()) break;
  }
  for (auto& row : sums) {
    double total = 0;
    for (const double value : row) total += value;
    for (double& value : row) value /= total;
  }
  return sums;
}

// The most probable link of each word, none if it is no less probable than any.
inline std::vector<int> best_links(const Rows& rows) {
  std::vector<int> best;
  for (const auto& row : rows)
    best.push_back(static_cast<int>(std::max_element(row.begin(), row.end()) - row.begin()) - 1);
  return best;
}

// p has the posteriors of target words, r those of source words.
inline Cells symmetrized_links(const Rows& p, const Rows& r, Symmetrization method, double threshold) {
  Cells found, from_targets, from_sources;
  const auto best_source = best_links(p), best_target = best_links(r);
  const int sources = static_cast<int>(r.size()), targets = static_cast<int>(p.size());
  for (int i = 0; i < sources; ++i)
    for (int j = 0; j < targets; ++j) {
      const double one = p[j][i + 1], other = r[i][j + 1];
      if (method == Symmetrization::mean ? one + other > 2 * threshold : one * other > threshold * threshold)
        found.insert({i, j});
      if (best_source[j] == i) from_targets.insert({i, j});
      if (best_target[i] == j) from_sources.insert({i, j});
    }
  if (method == Symmetrization::mean || method == Symmetrization::geometric) return found;
  found.clear();
  std::set_intersection(from_targets.begin(), from_targets.end(), from_sources.begin(), from_sources.end(),
                        std::inserter(found, found.end()));
  if (method == Symmetrization::intersection) return found;
  // grow-diag-final-and, by the pseudo-code of the manual of Moses.
  const auto source_is_free = [&](int i) {
    return std::none_of(found.begin(), found.end(), [&](const auto& link) { return link.first == i; });
  };
  const auto target_is_free = [&](int j) {
    return std::none_of(found.begin(), found.end(), [&](const auto& link) { return link.second == j; });
  };
  for (bool grown = true; grown;) {
    grown = false;
    for (int j = 0; j < targets; ++j)
      for (int i = 0; i < sources; ++i) {
        if (!found.count({i, j})) continue;
        for (const auto& [down, right] :
             {std::pair{-1, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}}) {
          const std::pair<int, int> cell{i + right, j + down};
          if ((source_is_free(cell.first) || target_is_free(cell.second)) &&
              (from_targets.count(cell) || from_sources.count(cell)))
            found.insert(cell), grown = true;
        }
      }
  }
  for (const Cells& one_way : {from_targets, from_sources})
    for (int j = 0; j < targets; ++j)
      for (int i = 0; i < sources; ++i)
        if (source_is_free(i) && target_is_free(j) && one_way.count({i, j})) found.insert({i, j});
  return found;
}

// C / (C + D) over all pairs of cells. A row whose sum is above 1 is scaled.
inline double expected_kendall(const Rows& p, const Rows& r) {
  Rows q;
  double in_order = 0, against = 0, all = 0;
  for (std::size_t i = 0; i < r.size(); ++i) {
    q.emplace_back();
    double sum = 0;
    for (std::size_t j = 0; j < p.size(); ++j) {
      q[i].push_back((p[j][i + 1] + r[i][j + 1]) / 2);
      sum += q[i][j];
    }
    all += sum;
    for (double& value : q[i]) value /= std::max(1.0, sum);
    for (std::size_t before = 0; before < i; ++before)
      for (std::size_t j = 0; j < p.size(); ++j)
        for (std::size_t other = 0; other < p.size(); ++other) {
          if (other < j) in_order += q[i][j] * q[before][other];
          if (other > j) against += q[i][j] * q[before][other];
        }
  }
  return in_order + against > 0 ? in_order / (in_order + against) : all > 0;
}

}  // namespace plain
