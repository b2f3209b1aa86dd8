// A trained model of one direction: how probable is a target word as the translation of a source word?
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "translation/jumps.hpp"
#include "translation/lexical_prior.hpp"
#include "translation/link_counts.hpp"

namespace hyperbaton {

// A word of a sentence that is aligned. Words that no sentence of the training had are known by their
// spelling only.
struct ModelWord {
  std::int32_t number;  // -1 if it is unknown
  Spelling spelling;
};

// Sums over the last samples of all chains.
struct SampledCounts {
  LinkCounts links;
  std::vector<std::uint64_t> null_links;
  JumpCounts jumps;

  template <class Chain>
  void add(Chain& chain) {
    chain.counts().each(
        [&](const LinkCounts::Entry& entry) { links.add(entry.from, entry.to, entry.count); });
    for (std::size_t word = 0; word < null_links.size(); ++word)
      null_links[word] += chain.null_counts()[word];
    jumps.add(chain.jump_counts());
  }
};

class LinkModel {
 public:
  // `sources` is the number of source words that are known.
  LinkModel(SampledCounts counts, std::uint64_t samples, std::size_t sources, Spellings targets)
      : counts_(std::move(counts)),
        samples_(static_cast<double>(samples)),
        totals_(sources),
        prior_(targets) {
    counts_.links.each([&](const LinkCounts::Entry& entry) {
      totals_[static_cast<std::size_t>(entry.from)] += entry.count;
    });
    for (const std::uint64_t count : counts_.null_links) null_total_ += count;
  }

  JumpProbabilities jumps(JumpPower power, int longest) const {
    return {counts_.jumps, samples_, power, longest};
  }

  // A source word with what its translations have in common.
  struct Source {
    ModelWord word;
    double scale;  // turns a count into a probability
  };
  Source source(ModelWord word) const {
    const double links =
        word.number < 0 ? 0 : static_cast<double>(totals_[static_cast<std::size_t>(word.number)]) / samples_;
    return {word, 1 / (links + prior_.total(word.spelling))};
  }
  double probability(const Source& source, ModelWord target) const {
    const bool known = source.word.number >= 0 && target.number >= 0;
    const double links = known ? counts_.links.count(source.word.number, target.number) / samples_ : 0;
    return (links + LexicalPrior::alpha(source.word.spelling, target.spelling)) * source.scale;
  }
  double null_probability_of(ModelWord target) const {
    const double links =
        target.number < 0
            ? 0
            : static_cast<double>(counts_.null_links[static_cast<std::size_t>(target.number)]) / samples_;
    return (links + LexicalPrior::null_word) /
           (static_cast<double>(null_total_) / samples_ + prior_.null_total());
  }

 private:
  SampledCounts counts_;
  double samples_;
  std::vector<std::uint64_t> totals_;
  std::uint64_t null_total_ = 0;
  LexicalPrior prior_;
};

}  // namespace hyperbaton
