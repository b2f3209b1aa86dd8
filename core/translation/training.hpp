// Trains models of both directions of a bitext.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

#include "support/parallel.hpp"
#include "support/split_mix.hpp"
#include "translation/bitext.hpp"
#include "translation/gibbs_chain.hpp"
#include "translation/lexical_prior.hpp"
#include "translation/link_model.hpp"

namespace hyperbaton {

struct TrainingSettings {
  std::uint64_t seed;
  int word_iterations, jump_iterations, fertility_iterations;

  static constexpr int chains = 3;  // of each direction
  int iterations() const { return word_iterations + jump_iterations + fertility_iterations; }
  // The last iterations of each chain, whose counts are added up.
  int samples() const { return std::max(1, fertility_iterations / 4); }
  Stage stage(int iteration) const {
    if (iteration < word_iterations) return Stage::words;
    return iteration < word_iterations + jump_iterations ? Stage::jumps : Stage::fertility;
  }
};

// The counts of both directions: of links from source words to target words, and the opposite.
class Training {
 public:
  Training(const Bitext& bitext, const std::array<Spellings, 2>& spellings, TrainingSettings settings)
      : bitext_(bitext), spellings_(spellings), settings_(settings) {
    for (std::size_t side = 0; side < 2; ++side) counts_[side].null_links.resize(spellings[1 - side].size());
  }

  // Chains run in parallel, and each of them draws its own random numbers: the sums do not depend on the
  // threads.
  void run(int threads, const Poll& poll) {
    const std::array<LexicalPrior, 2> priors{LexicalPrior(spellings_[1]), LexicalPrior(spellings_[0])};
    constexpr std::size_t chains = 2 * TrainingSettings::chains;
    std::array<std::uint64_t, chains> seeds;
    SplitMix64 random(settings_.seed);
    for (std::uint64_t& seed : seeds) seed = random.bits();
    for_each(chains, total(), threads, poll, [&](const Stop& stop) {
      return [&](std::size_t k) {
        const std::size_t from = k % 2;
        GibbsChain chain(bitext_, from, spellings_, priors[from], seeds[k]);
        chain.link_at_random(stop);
        for (int iteration = 0; iteration < settings_.iterations(); ++iteration) {
          chain.iterate(settings_.stage(iteration), stop, done_);
          if (iteration < settings_.iterations() - settings_.samples()) continue;
          const std::lock_guard lock(mutexes_[from]);
          counts_[from].add(chain);
        }
      };
    });
  }

  // How many times a pair has been sampled, and will have been at the end.
  std::uint64_t done() const { return done_.load(std::memory_order_relaxed); }
  std::uint64_t total() const {
    return std::uint64_t{2} * TrainingSettings::chains * static_cast<std::uint64_t>(settings_.iterations()) *
           bitext_.size();
  }
  // How many samples the counts are the sums of.
  std::uint64_t samples() const {
    return static_cast<std::uint64_t>(TrainingSettings::chains * settings_.samples());
  }
  SampledCounts take_counts(std::size_t from) { return std::move(counts_[from]); }

 private:
  const Bitext& bitext_;
  std::array<Spellings, 2> spellings_;
  TrainingSettings settings_;
  std::array<SampledCounts, 2> counts_;
  std::array<std::mutex, 2> mutexes_;
  std::atomic<std::uint64_t> done_{0};
};

}  // namespace hyperbaton
