// Every measure of every permutation of a batch, from one tree each.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "flat.hpp"
#include "forest.hpp"
#include "ragged.hpp"
#include "tree.hpp"

namespace hyperbaton {

// What a thread needs to take permutations apart.
class Analyzer {
 public:
  explicit Analyzer(const Stop& stop) : scores_(stop) {}

  template <class Value>
  void load(std::span<const Value> from) {
    pi_.load(from);
  }
  const Permutation& permutation() const { return pi_; }
  std::size_t size() const { return pi_.value.size(); }
  const Tree& build() { return builder_.build(pi_); }
  NodeScores& scores() { return scores_; }
  std::int64_t inversions() { return count_inversions(pi_.value, scratch_); }
  double flat(FlatMeasure measure) { return measure(pi_.value, scratch_); }

 private:
  Permutation pi_;
  Scratch scratch_;
  TreeBuilder builder_;
  NodeScores scores_;
};

inline constexpr double default_beta = 0.6;

inline constexpr std::array<std::string_view, 14> measure_names = {
    "kendall", "kendall_sqrt", "spearman", "footrule", "hamming",   "ulam",         "fuzzy",
    "pet",     "pef",          "pef_beer", "pet_size", "pet_count", "max_operator", "average_operator"};

// In the order of measure_names.
inline std::array<double, measure_names.size()> all_measures(Analyzer& analyzer) {
  const Tree& tree = analyzer.build();
  const std::size_t n = analyzer.size();
  NodeScores& scores = analyzer.scores();
  const std::int64_t inversions = analyzer.inversions();
  return {kendall(n, inversions),
          kendall_sqrt(n, inversions),
          analyzer.flat(spearman),
          analyzer.flat(footrule),
          analyzer.flat(hamming),
          analyzer.flat(ulam),
          analyzer.flat(fuzzy),
          scores.pet(tree, n, default_beta, {}),
          scores.pef(tree, n, default_beta, {}),
          scores.pef_beer(tree, n, default_beta),
          pet_size(tree, n),
          pet_count(tree, n),
          max_operator(tree, n),
          average_operator(tree, n)};
}

}  // namespace hyperbaton
