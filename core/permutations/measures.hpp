// The table of all measures of a permutation.
//
// To add a measure, write its function in one of the headers below and add a line to the table. The
// table is what _core.measures computes, and every measure without options gets a binding from it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "permutations/permutation.hpp"
#include "permutations/recursive_scores.hpp"
#include "permutations/sequence_measures.hpp"
#include "permutations/tree.hpp"
#include "permutations/tree_shape_measures.hpp"

namespace hyperbaton {

// One permutation and what its measures share, computed when it is first needed. Keeps its memory
// from one permutation to the next. Each thread needs its own.
class PermutationAnalysis {
 public:
  explicit PermutationAnalysis(const Stop& stop) : recursive_scores_(stop) {}

  // The permutation must stay alive until the next call.
  void load(const Permutation& pi) {
    pi_ = &pi;
    tree_ = nullptr;
    inversions_.reset();
  }

  std::size_t size() const { return pi_->value.size(); }
  Values values() const { return pi_->value; }
  Scratch& scratch() { return scratch_; }
  RecursiveScores& recursive_scores() { return recursive_scores_; }

  const PermutationTree& tree() {
    if (tree_ == nullptr) tree_ = &builder_.build(*pi_);
    return *tree_;
  }
  std::int64_t inversions() {
    if (!inversions_) inversions_ = count_inversions(pi_->value, scratch_);
    return *inversions_;
  }

 private:
  const Permutation* pi_ = nullptr;
  const PermutationTree* tree_ = nullptr;
  std::optional<std::int64_t> inversions_;
  Scratch scratch_;
  PermutationTreeBuilder builder_;
  RecursiveScores recursive_scores_;
};

struct Measure {
  const char* name;
  double (*score)(PermutationAnalysis&);
  bool has_options = false;  // `score` uses the default options, and the measure has its own binding
};

// In the order in which callers see them.
inline constexpr auto measures = std::to_array<Measure>({
    {"kendall", [](PermutationAnalysis& p) { return kendall(p.size(), p.inversions()); }},
    {"kendall_sqrt", [](PermutationAnalysis& p) { return kendall_sqrt(p.size(), p.inversions()); }},
    {"spearman", [](PermutationAnalysis& p) { return spearman(p.values()); }},
    {"footrule", [](PermutationAnalysis& p) { return footrule(p.values()); }},
    {"hamming", [](PermutationAnalysis& p) { return hamming(p.values()); }},
    {"ulam", [](PermutationAnalysis& p) { return ulam(p.values(), p.scratch()); }},
    {"fuzzy", [](PermutationAnalysis& p) { return fuzzy(p.values()); }},
    {"breakpoints", [](PermutationAnalysis& p) { return breakpoints(p.values()); }},
    {"pet",
     [](PermutationAnalysis& p) { return p.recursive_scores().pet(p.tree(), p.size(), default_beta, {}); },
     true},
    {"pef",
     [](PermutationAnalysis& p) { return p.recursive_scores().pef(p.tree(), p.size(), default_beta, {}); },
     true},
    {"pef_beer",
     [](PermutationAnalysis& p) { return p.recursive_scores().pef_beer(p.tree(), p.size(), default_beta); },
     true},
    {"pet_size", [](PermutationAnalysis& p) { return pet_size(p.tree(), p.size()); }},
    {"pet_count", [](PermutationAnalysis& p) { return pet_count(p.tree(), p.size()); }},
    {"max_operator", [](PermutationAnalysis& p) { return max_operator(p.tree(), p.size()); }},
    {"average_operator", [](PermutationAnalysis& p) { return average_operator(p.tree(), p.size()); }},
});

}  // namespace hyperbaton
