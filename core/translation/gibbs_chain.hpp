// A Gibbs sampler of word alignments: which source word stands behind each target word?
//
// Östling & Tiedemann 2016, "Efficient Word Alignment with Markov Chain Monte Carlo". A target word chooses a
// source word, or none, by how often the two are linked elsewhere (a Dirichlet-multinomial distribution), by
// the jump from the source word of the word before and to that of the next, and by how many target words the
// source word has already (its fertility). Counts of jumps and fertilities are those before the iteration;
// counts of links change with every word. Jumps are tempered, which the paper does not do: see jumps.hpp.
// Only + - * / and square roots are used, so that all machines draw the same links.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "support/parallel.hpp"
#include "support/split_mix.hpp"
#include "translation/bitext.hpp"
#include "translation/jumps.hpp"
#include "translation/lexical_prior.hpp"
#include "translation/link_counts.hpp"

namespace hyperbaton {

constexpr double null_probability = 0.2;
constexpr JumpPower sampling_power = JumpPower::three_quarters;

// What the weight of a link depends on: the words (IBM 1), also the jumps (HMM), also the fertility.
enum class Stage { words, jumps, fertility };

// One chain over all pairs. Links go from the words of one side to those of the other.
class GibbsChain {
 public:
  // `from` is the side whose words are chosen: 0, the source, or 1, the target.
  GibbsChain(const Bitext& bitext, std::size_t from, const std::array<Spellings, 2>& spellings,
             const LexicalPrior& prior, std::uint64_t seed)
      : order_(bitext.order()),
        from_(bitext.side(from)),
        to_(bitext.side(1 - from)),
        from_spellings_(spellings[from]),
        to_spellings_(spellings[1 - from]),
        random_(seed),
        links_(to_.words()),
        totals_(from_spellings_.size()),
        prior_totals_(from_spellings_.size()),
        null_counts_(to_spellings_.size()),
        null_prior_total_(prior.null_total()) {
    for (std::size_t word = 0; word < prior_totals_.size(); ++word)
      prior_totals_[word] = prior.total(from_spellings_[word]);
  }

  // Gives every word a first link, whatever the word is. A chain that started without links, and counted them
  // as it went on, would keep for long what the first pairs suggested.
  void link_at_random(const Stop& stop) {
    for (const std::size_t pair : order_) {
      if (stop.load(std::memory_order_relaxed)) throw Interrupted();
      const WordNumbers from = from_[pair], to = to_[pair];
      for (std::size_t j = 0; j < to.size(); ++j) {
        const auto word = static_cast<std::size_t>(to[j]);
        if (random_.fraction() < null_probability) {
          ++null_counts_[word];
          ++null_total_;
          continue;
        }
        const auto position = static_cast<std::size_t>(random_.fraction() * static_cast<double>(from.size()));
        links_[to_.start(pair) + j] = static_cast<std::uint16_t>(position + 1);
        counts_.add(from[position], to[j]);
        ++totals_[static_cast<std::size_t>(from[position])];
      }
    }
  }

  // Draws the link of each word anew.
  void iterate(Stage stage, const Stop& stop, std::atomic<std::uint64_t>& done) {
    if (stage != Stage::words) count_jumps();
    if (stage == Stage::fertility) count_fertilities();
    const JumpProbabilities jumps(jump_counts_, 1, sampling_power, Bitext::max_words + 1);
    std::uint64_t sampled = 0;
    for (const std::size_t pair : order_) {
      if (stop.load(std::memory_order_relaxed)) throw Interrupted();
      sample_pair(pair, stage, jumps);
      // Chains share the counter; they would wait for each other if they changed it at every pair.
      if (++sampled % pairs_per_report == 0) done.fetch_add(pairs_per_report, std::memory_order_relaxed);
    }
    done.fetch_add(sampled % pairs_per_report, std::memory_order_relaxed);
  }

  // The source position of each target word, from 1; 0 for none. Pairs are in the order of the bitext's
  // memory.
  const std::vector<std::uint16_t>& links() const { return links_; }
  const LinkCounts& counts() const { return counts_; }
  const std::vector<std::uint32_t>& null_counts() const { return null_counts_; }

  JumpCounts jump_counts() {
    count_jumps();
    return jump_counts_;
  }

 private:
  static constexpr std::uint64_t pairs_per_report = 256;
  static constexpr int greatest_fertility = 15;
  static constexpr double fertility_prior = 0.5;
  using Fertilities = std::array<std::uint32_t, greatest_fertility + 1>;

  std::span<const std::uint32_t> order_;
  const Sentences& from_;
  const Sentences& to_;
  Spellings from_spellings_, to_spellings_;
  SplitMix64 random_;
  std::vector<std::uint16_t> links_;
  LinkCounts counts_;
  std::vector<std::uint32_t> totals_;  // links of each source word
  std::vector<double> prior_totals_;
  std::vector<std::uint32_t> null_counts_;
  std::uint64_t null_total_ = 0;
  double null_prior_total_;
  JumpCounts jump_counts_;
  std::vector<Fertilities> fertilities_;

  // Of the pair at hand, for each source position from 0.
  double linked_share_ = 0;  // probability of a link, and in IBM 1 also of its position
  std::vector<std::int32_t> text_, prefix_;
  std::vector<double> scale_;  // what turns a count into a weight
  std::vector<int> fertility_;
  std::vector<double> fertility_factor_;
  std::vector<std::int32_t> count_;  // of links of the word at hand
  std::vector<double> weight_;
  std::vector<int> next_;  // of each target word: the source position of the first linked word from there on

  void sample_pair(std::size_t pair, Stage stage, const JumpProbabilities& jumps) {
    const WordNumbers from = from_[pair], to = to_[pair];
    std::uint16_t* const links = links_.data() + to_.start(pair);
    const int n = static_cast<int>(from.size());
    prepare(from, {links, to.size()}, stage);
    int previous = 0;
    prefetch_counts(from, to[0]);
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::int32_t word = to[j];
      if (j + 1 < to.size()) prefetch_counts(from, to[j + 1]);
      const int old = links[j];
      detach(from, old, word, stage);

      const int next = next_[j + 1];
      weigh(from, word, old);
      double null_weight =
          null_probability *
          (static_cast<double>(null_counts_[static_cast<std::size_t>(word)]) + LexicalPrior::null_word) /
          (static_cast<double>(null_total_) + null_prior_total_);
      if (stage != Stage::words) {
        null_weight *= jumps(next - previous);
        const double* const arrive = jumps.from(previous) + 1;
        const double* const leave = jumps.to(next) + 1;
        for (int i = 0; i < n; ++i) weight_[i] *= arrive[i] * leave[i];
      }
      if (stage == Stage::fertility)
        for (int i = 0; i < n; ++i) weight_[i] *= fertility_factor_[i];

      const int drawn = draw(null_weight, n);
      attach(from, drawn, old, word, stage);
      links[j] = static_cast<std::uint16_t>(drawn);
      if (drawn > 0) previous = drawn;
    }
  }

  void prepare(WordNumbers from, std::span<const std::uint16_t> links, Stage stage) {
    const std::size_t n = from.size();
    text_.resize(n);
    prefix_.resize(n);
    count_.resize(n);
    scale_.resize(n);
    weight_.resize(n);
    linked_share_ = 1 - null_probability;
    if (stage == Stage::words) linked_share_ /= static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
      text_[i] = from_spellings_.text[static_cast<std::size_t>(from[i])];
      prefix_[i] = from_spellings_.prefix[static_cast<std::size_t>(from[i])];
      scale_[i] = scale(from[i]);
    }
    next_.resize(links.size() + 1);
    next_[links.size()] = static_cast<int>(n) + 1;
    for (std::size_t j = links.size(); j-- > 0;) next_[j] = links[j] > 0 ? links[j] : next_[j + 1];
    if (stage != Stage::fertility) return;
    fertility_.assign(n, 0);
    for (const std::uint16_t link : links)
      if (link > 0) ++fertility_[link - 1u];
    fertility_factor_.resize(n);
    for (std::size_t i = 0; i < n; ++i) fertility_factor_[i] = fertility_factor(from[i], fertility_[i]);
  }

  double scale(std::int32_t word) const {
    const auto at = static_cast<std::size_t>(word);
    return linked_share_ / (totals_[at] + prior_totals_[at]);
  }
  // A word may stand at several positions.
  void update_scale(WordNumbers from, std::int32_t word) {
    const double changed = scale(word);
    for (std::size_t i = 0; i < from.size(); ++i)
      if (from[i] == word) scale_[i] = changed;
  }

  double fertility_factor(std::int32_t word, int fertility) const {
    const Fertilities& counts = fertilities_[static_cast<std::size_t>(word)];
    const auto now = static_cast<std::size_t>(std::min(fertility, greatest_fertility));
    const auto then = static_cast<std::size_t>(std::min(fertility + 1, greatest_fertility));
    return (counts[then] + fertility_prior) / (counts[now] + fertility_prior);
  }
  void change_fertility(WordNumbers from, std::size_t position, int by) {
    fertility_[position] += by;
    fertility_factor_[position] = fertility_factor(from[position], fertility_[position]);
  }

  void prefetch_counts(WordNumbers from, std::int32_t word) const {
    for (const std::int32_t source : from) counts_.prefetch(source, word);
  }

  // Takes away the link of a word. The count of the pair itself stays, because most words are linked as
  // before.
  void detach(WordNumbers from, int link, std::int32_t word, Stage stage) {
    if (link == 0) {
      --null_counts_[static_cast<std::size_t>(word)];
      --null_total_;
      return;
    }
    const auto position = static_cast<std::size_t>(link - 1);
    --totals_[static_cast<std::size_t>(from[position])];
    update_scale(from, from[position]);
    if (stage == Stage::fertility) change_fertility(from, position, -1);
  }

  void attach(WordNumbers from, int link, int old, std::int32_t word, Stage stage) {
    const std::int32_t old_source = old > 0 ? from[static_cast<std::size_t>(old - 1)] : -1;
    const std::int32_t source = link > 0 ? from[static_cast<std::size_t>(link - 1)] : -1;
    if (source != old_source) {
      if (old_source >= 0) counts_.remove(old_source, word);
      if (source >= 0) counts_.add(source, word);
    }
    if (link == 0) {
      ++null_counts_[static_cast<std::size_t>(word)];
      ++null_total_;
      return;
    }
    const auto position = static_cast<std::size_t>(link - 1);
    ++totals_[static_cast<std::size_t>(source)];
    update_scale(from, source);
    if (stage == Stage::fertility) change_fertility(from, position, +1);
  }

  // The lexical weight of each position. The link of the word itself, to position `old`, does not count.
  void weigh(WordNumbers from, std::int32_t word, int old) {
    const std::int32_t old_source = old > 0 ? from[static_cast<std::size_t>(old - 1)] : -1;
    for (std::size_t i = 0; i < from.size(); ++i)
      count_[i] = static_cast<std::int32_t>(counts_.count(from[i], word)) - (from[i] == old_source);
    const Spelling spelling = to_spellings_[static_cast<std::size_t>(word)];
    for (std::size_t i = 0; i < from.size(); ++i)
      weight_[i] = (count_[i] + LexicalPrior::alpha({text_[i], prefix_[i]}, spelling)) * scale_[i];
  }

  int draw(double null_weight, int n) {
    double sum = null_weight;
    for (int i = 0; i < n; ++i) sum += weight_[i];
    const double chosen = random_.fraction() * sum;
    double seen = null_weight;
    int link = 0;
    while (seen <= chosen && link < n) seen += weight_[link++];
    return link;
  }

  void count_jumps() {
    jump_counts_ = JumpCounts();
    for (const std::size_t pair : order_) {
      int previous = 0;
      for (std::size_t j = 0; j < to_[pair].size(); ++j) {
        const int link = links_[to_.start(pair) + j];
        if (link == 0) continue;
        jump_counts_.add(link - previous);
        previous = link;
      }
      jump_counts_.add(static_cast<int>(from_[pair].size()) + 1 - previous);
    }
  }

  void count_fertilities() {
    fertilities_.assign(from_spellings_.size(), Fertilities{});
    for (const std::size_t pair : order_) {
      const WordNumbers from = from_[pair];
      fertility_.assign(from.size(), 0);
      for (std::size_t j = 0; j < to_[pair].size(); ++j)
        if (const int link = links_[to_.start(pair) + j]; link > 0)
          ++fertility_[static_cast<std::size_t>(link - 1)];
      for (std::size_t i = 0; i < from.size(); ++i)
        ++fertilities_[static_cast<std::size_t>(from[i])]
                      [static_cast<std::size_t>(std::min(fertility_[i], greatest_fertility))];
    }
  }
};

}  // namespace hyperbaton
