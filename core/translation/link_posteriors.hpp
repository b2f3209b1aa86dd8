// How probable is each link of a sentence pair, given all that a model knows?
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "translation/gibbs_chain.hpp"
#include "translation/link_model.hpp"

namespace hyperbaton {

using ModelWords = std::span<const ModelWord>;

// The posterior probabilities of the links of target words, by the forward-backward algorithm of an HMM whose
// states are the positions of the last linked source word. An unlinked target word keeps the position.
class HmmPosteriors {
 public:
  void find(const LinkModel& model, const JumpProbabilities& jumps, ModelWords sources, ModelWords targets) {
    rows_ = targets.size();
    columns_ = sources.size();
    weigh_links(model, sources, targets);
    run_forward(jumps);
    run_backward(jumps);
  }

  // That target word j is linked to source word i, both from 0.
  double operator()(std::size_t j, std::size_t i) const { return posterior_[j * columns_ + i]; }
  // That it has no link.
  double none(std::size_t j) const { return none_[j]; }

 private:
  std::size_t rows_ = 0, columns_ = 0;
  // Positions of states are from 0, the start, to the number of source words.
  std::vector<double> linked_, unlinked_;                  // weight of each link, and of none
  std::vector<double> forward_linked_, forward_unlinked_;  // probability of each state up to word j
  std::vector<double> totals_;
  std::vector<double> before_, after_, scratch_;
  std::vector<double> posterior_, none_;

  void weigh_links(const LinkModel& model, ModelWords sources, ModelWords targets) {
    linked_.resize(rows_ * columns_);
    unlinked_.resize(rows_);
    for (std::size_t i = 0; i < columns_; ++i) {
      const LinkModel::Source source = model.source(sources[i]);
      for (std::size_t j = 0; j < rows_; ++j)
        linked_[j * columns_ + i] = (1 - null_probability) * model.probability(source, targets[j]);
    }
    for (std::size_t j = 0; j < rows_; ++j)
      unlinked_[j] = null_probability * model.null_probability_of(targets[j]);
  }

  void run_forward(const JumpProbabilities& jumps) {
    forward_linked_.assign(rows_ * columns_, 0);
    forward_unlinked_.assign(rows_ * (columns_ + 1), 0);
    totals_.resize(rows_);
    before_.assign(columns_ + 1, 0);
    before_[0] = 1;
    for (std::size_t j = 0; j < rows_; ++j) {
      double* const linked = &forward_linked_[j * columns_];
      double* const unlinked = &forward_unlinked_[j * (columns_ + 1)];
      for (std::size_t k = 0; k <= columns_; ++k) {
        if (before_[k] == 0) continue;
        const double* const jump = jumps.from(static_cast<int>(k)) + 1;
        for (std::size_t i = 0; i < columns_; ++i) linked[i] += before_[k] * jump[i];
      }
      double total = 0;
      for (std::size_t i = 0; i < columns_; ++i) total += linked[i] *= linked_[j * columns_ + i];
      for (std::size_t k = 0; k <= columns_; ++k) total += unlinked[k] = before_[k] * unlinked_[j];
      for (std::size_t i = 0; i < columns_; ++i) linked[i] /= total;
      for (std::size_t k = 0; k <= columns_; ++k) before_[k] = unlinked[k] /= total;
      for (std::size_t i = 0; i < columns_; ++i) before_[i + 1] += linked[i];
      totals_[j] = total;
    }
  }

  void run_backward(const JumpProbabilities& jumps) {
    posterior_.resize(rows_ * columns_);
    none_.resize(rows_);
    after_.resize(columns_ + 1);
    const double* const end = jumps.to(static_cast<int>(columns_) + 1);
    for (std::size_t k = 0; k <= columns_; ++k) after_[k] = end[k];
    for (std::size_t j = rows_; j-- > 0;) {
      finish_row(j);
      if (j == 0) break;
      scratch_.assign(columns_ + 1, 0);
      for (std::size_t i = 0; i < columns_; ++i) {
        const double weight = linked_[j * columns_ + i] * after_[i + 1];
        const double* const jump = jumps.to(static_cast<int>(i) + 1);
        for (std::size_t k = 0; k <= columns_; ++k) scratch_[k] += weight * jump[k];
      }
      for (std::size_t k = 0; k <= columns_; ++k)
        after_[k] = (scratch_[k] + unlinked_[j] * after_[k]) / totals_[j];
    }
  }

  void finish_row(std::size_t j) {
    double total = 0;
    double* const posterior = &posterior_[j * columns_];
    for (std::size_t i = 0; i < columns_; ++i)
      total += posterior[i] = forward_linked_[j * columns_ + i] * after_[i + 1];
    double none = 0;
    for (std::size_t k = 0; k <= columns_; ++k) none += forward_unlinked_[j * (columns_ + 1) + k] * after_[k];
    total += none;
    for (std::size_t i = 0; i < columns_; ++i) posterior[i] /= total;
    none_[j] = none / total;
  }
};

// The same without regard to positions (IBM 1), for long sentences: the memory grows with the number of
// words.
class WordPosteriors {
 public:
  void find(const LinkModel& model, ModelWords sources, ModelWords targets, const Stop& stop) {
    model_ = &model;
    targets_ = targets;
    share_ = (1 - null_probability) / static_cast<double>(sources.size());
    sources_.clear();
    for (const ModelWord& word : sources) sources_.push_back(model.source(word));
    none_.resize(targets.size());
    totals_.resize(targets.size());
    for (std::size_t j = 0; j < targets.size(); ++j) {
      if (stop.load(std::memory_order_relaxed)) throw Interrupted();
      const double none = null_probability * model.null_probability_of(targets[j]);
      double total = none;
      for (std::size_t i = 0; i < sources.size(); ++i) total += weight(j, i);
      totals_[j] = total;
      none_[j] = none / total;
    }
  }

  double operator()(std::size_t j, std::size_t i) const { return weight(j, i) / totals_[j]; }
  double none(std::size_t j) const { return none_[j]; }

 private:
  const LinkModel* model_ = nullptr;
  ModelWords targets_;
  double share_ = 0;
  std::vector<LinkModel::Source> sources_;
  std::vector<double> none_, totals_;

  double weight(std::size_t j, std::size_t i) const {
    return share_ * model_->probability(sources_[i], targets_[j]);
  }
};

}  // namespace hyperbaton
