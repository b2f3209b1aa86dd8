// Soft adjacency: do neighbours stay neighbours, if every word is linked a little with every other? And which
// words have a counterpart on the other side at all?
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "softorder/word_similarity.hpp"
#include "support/pair_cache.hpp"
#include "support/parallel.hpp"

namespace hyperbaton {

struct SoftLinkOptions {
  double temperature;  // τ: how fast a link fades as similarity falls
  double distance;     // π: what a link over the whole sentence loses in similarity
  double threshold;    // θ: a step is whole from this strength on
  friend bool operator==(const SoftLinkOptions&, const SoftLinkOptions&) = default;
};

// The characters of words, which are numbered from 0.
struct WordCharacters {
  std::span<const std::int32_t> characters;
  std::span<const std::int64_t> offsets;
  std::uint64_t vocabulary;  // words have the same numbers in all calls with this number

  CodePoints operator[](std::int32_t word) const {
    const auto begin = static_cast<std::size_t>(offsets[static_cast<std::size_t>(word)]);
    const auto end = static_cast<std::size_t>(offsets[static_cast<std::size_t>(word) + 1]);
    return characters.subspan(begin, end - begin);
  }
};

// exp(similarity/τ) of pairs of words. Pairs that occur often are computed once. Each thread has its own.
class WordWeights {
 public:
  void prepare(std::uint64_t vocabulary, double temperature) {
    cache_.prepare(vocabulary, temperature);
    if (temperature == temperature_) return;
    temperature_ = temperature;
    half_ = compute(1, 2);
    for (std::size_t whole = 0; whole < table_size; ++whole)
      for (std::size_t part = 0; part < table_size; ++part)
        shares_[whole][part] = whole == 0 ? 0 : compute(part, whole);
  }

  // The weight of a similarity of one half.
  double half() const { return half_; }

  // Chooses the first word of the next pairs. `words` must stay there until the last of them.
  void set_word(std::int32_t word, const WordCharacters& words) {
    word_ = word;
    words_ = &words;
    is_ready_ = false;
  }

  // The similarity of the chosen word and another one.
  double similarity(std::int32_t other) { return temperature_ * std::log(weight(other)); }

  // The weight of the chosen word and another one.
  double weight(std::int32_t other) {
    return cache_.get(word_, other, [&] {
      if (!is_ready_) similarity_.set_word((*words_)[word_]);
      is_ready_ = true;
      const Likeness likeness = similarity_.compare((*words_)[other]);
      return std::max(share(likeness.longer - likeness.edits, likeness.longer),
                      share(2 * likeness.prefix, likeness.both));
    });
  }

 private:
  static constexpr std::size_t table_size = 32;  // most words are shorter

  // exp(part/whole/τ). It grows with the share, so that the greater of two is that of the greater share.
  double share(std::size_t part, std::size_t whole) const {
    return whole < table_size ? shares_[whole][part] : compute(part, whole);
  }
  double compute(std::size_t part, std::size_t whole) const {
    return std::exp(static_cast<double>(part) / static_cast<double>(whole) / temperature_);
  }

  std::array<std::array<double, table_size>, table_size> shares_{};
  PairCache cache_;
  double temperature_ = 0, half_ = 0;
  std::int32_t word_ = 0;
  const WordCharacters* words_ = nullptr;
  bool is_ready_ = false;  // whether similarity_ has the word
  WordSimilarity similarity_;
};

// The losses of both sides: of each step from a word to the next, between the frame marks at both ends.
struct StepLosses {
  std::vector<double> hyp, ref;
};

// How far each word has counterparts on the other side: between 0 and 1. A word that occurs once on both
// sides has 1.
struct Counterparts {
  std::vector<double> hyp, ref;
};

// Computes pairs of sentences one after another. Each thread needs its own.
class SoftAdjacency {
 public:
  SoftAdjacency(const WordCharacters& words, const SoftLinkOptions& options, WordWeights& weights)
      : words_(words), options_(options), weights_(weights) {
    weights_.prepare(words.vocabulary, options.temperature);
  }

  // Links the words of two sentences that are not empty. What follows is about these sentences, and valid
  // until the next call.
  void link(std::span<const std::int32_t> hyp, std::span<const std::int32_t> ref, const Stop& stop) {
    weigh(hyp, ref, stop);
    normalize(hyp.size(), ref.size());
    if (stop.load(std::memory_order_relaxed)) throw Interrupted();
    match(hyp, ref);
  }

  // Finds the same counterparts as link(), but no steps: only links of similar words are needed.
  void match_words(std::span<const std::int32_t> hyp, std::span<const std::int32_t> ref, const Stop& stop) {
    weigh(hyp, ref, stop);
    for (std::size_t i = 0, k = 0; i < hyp.size(); ++i) {
      double* const cells = row(i + 1) + 1;
      for (; k < similar_ends_[i]; ++k) {
        const auto j = static_cast<std::size_t>(similar_[k]);
        cells[j] *= row_factors_[i] * column_factors_[j];
      }
    }
    match(hyp, ref);
  }

  const Counterparts& counterparts() const { return counterparts_; }

  const StepLosses& steps() {
    follow_rows();
    follow_columns();
    lose(row_next_, row_skip_, row_free_, losses_.hyp);
    lose(column_next_, column_skip_, column_free_, losses_.ref);
    return losses_;
  }

 private:
  const WordCharacters& words_;
  const SoftLinkOptions options_;
  WordWeights& weights_;
  StepLosses losses_;
  Counterparts counterparts_;
  std::vector<std::int32_t> similar_;      // columns of words that are more than half equal, row by row
  std::vector<std::size_t> similar_ends_;  // of the columns of each row
  std::size_t rows_ = 0, columns_ = 0, stride_ = 0;
  std::vector<double> links_;                   // Q, framed
  std::vector<double> row_free_, column_free_;  // u and v: how far a word has no link
  std::vector<double> row_norms_, column_norms_, column_squares_;
  std::vector<double> row_next_, row_skip_;  // to(a, a + 1) and to(a, a + 2) of rows
  std::vector<double> column_next_, column_skip_;
  std::vector<double> row_factors_, column_factors_;  // 1 divided by the root of the sum of each
  std::vector<double> falling_, rising_;              // exp(−π·x/τ) and exp(π·x/τ) of places in the reference
  std::vector<double> followers_;                     // what the cells of a row may follow, see follow_rows
  std::vector<std::uint64_t> ref_bits_;
  std::vector<std::size_t> candidates_;  // columns of words that may be similar to the one of a row

  double* row(std::size_t i) { return links_.data() + i * stride_; }

  // Four sums side by side, in the same order on every machine.
  static double dot(const double* a, const double* b, std::size_t count) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    std::size_t k = 0;
    for (; k + 4 <= count; k += 4) {
      s0 += a[k] * b[k];
      s1 += a[k + 1] * b[k + 1];
      s2 += a[k + 2] * b[k + 2];
      s3 += a[k + 3] * b[k + 3];
    }
    for (; k < count; ++k) s0 += a[k] * b[k];
    return (s0 + s1) + (s2 + s3);
  }

  // Fills in exp(X/τ), and the roots of its sums over rows and columns. X/τ is at most 600 in size, so that
  // nothing overflows. exp(−π·|x − y|/τ) is the smaller one of two products of factors for x and for y.
  void weigh(std::span<const std::int32_t> hyp, std::span<const std::int32_t> ref, const Stop& stop) {
    rows_ = hyp.size() + 2;
    columns_ = ref.size() + 2;
    stride_ = columns_ + 2;  // two columns of zeros, so that sums need not end early
    // Two rows of zeros, for the same reason.
    links_.assign((rows_ + 2) * stride_, 0);
    const double rate = options_.distance / options_.temperature;
    const std::size_t n = hyp.size(), m = ref.size();
    falling_.resize(m);
    rising_.resize(m);
    ref_bits_.resize(m);
    candidates_.resize(m);
    for (std::size_t j = 0; j < m; ++j) {
      const double place = (static_cast<double>(j) + 0.5) / static_cast<double>(m);
      falling_[j] = std::exp(-rate * place);
      rising_[j] = std::exp(rate * place);
      ref_bits_[j] = character_bits(words_[ref[j]]);
    }
    const double equal = std::exp(1 / options_.temperature), half = weights_.half();
    row_factors_.assign(n, 0);
    column_factors_.assign(m, 0);
    similar_.clear();
    similar_ends_.clear();
    for (std::size_t i = 0; i < n; ++i) {
      if (stop.load(std::memory_order_relaxed)) throw Interrupted();
      const double place = (static_cast<double>(i) + 0.5) / static_cast<double>(n);
      const double falling = std::exp(-rate * place), rising = std::exp(rate * place);
      const std::uint64_t bits = character_bits(words_[hyp[i]]);
      double* const cells = row(i + 1) + 1;
      weights_.set_word(hyp[i], words_);
      // Words without a common character have similarity 0. The others are listed first, without a branch:
      // the processor could not foresee it.
      std::size_t count = 0;
      for (std::size_t j = 0; j < m; ++j) {
        cells[j] = 1;
        candidates_[count] = j;
        const std::size_t is_equal = hyp[i] == ref[j], has_common = (bits & ref_bits_[j]) != 0;
        count += is_equal | has_common;
      }
      for (std::size_t k = 0; k < count; ++k) {
        const std::size_t j = candidates_[k];
        cells[j] = hyp[i] == ref[j] ? equal : weights_.weight(ref[j]);
        if (cells[j] > half) similar_.push_back(static_cast<std::int32_t>(j));
      }
      similar_ends_.push_back(similar_.size());
      double sum = 0;
      for (std::size_t j = 0; j < m; ++j) {
        cells[j] *= std::min(falling * rising_[j], rising * falling_[j]);
        column_factors_[j] += cells[j];
        sum += cells[j];
      }
      row_factors_[i] = 1 / std::sqrt(sum);
    }
    for (double& factor : column_factors_) factor = 1 / std::sqrt(factor);
  }

  // Divides by the roots of both sums, adds the frame, and computes norms and how far words have no link.
  void normalize(std::size_t n, std::size_t m) {
    row_norms_.assign(rows_, 1);
    row_free_.assign(rows_, 0);
    column_norms_.assign(columns_, 1);
    column_free_.assign(columns_ + 2, 0);
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = row_factors_[i];
      double* const cells = row(i + 1) + 1;
      for (std::size_t j = 0; j < m; ++j) cells[j] *= factor * column_factors_[j];
      const double squares = dot(cells, cells, m);
      row_norms_[i + 1] = std::sqrt(squares);
      row_free_[i + 1] = std::max(0.0, 1 - squares);
    }
    column_squares_.assign(m, 0);
    for (std::size_t i = 0; i < n; ++i) {
      const double* const cells = row(i + 1) + 1;
      for (std::size_t j = 0; j < m; ++j) column_squares_[j] += cells[j] * cells[j];
    }
    for (std::size_t j = 0; j < m; ++j) {
      column_norms_[j + 1] = std::sqrt(column_squares_[j]);
      column_free_[j + 1] = std::max(0.0, 1 - column_squares_[j]);
    }
    row(0)[0] = 1;
    row(rows_ - 1)[columns_ - 1] = 1;
  }

  // Sums K = P²·max(0, 2s − 1) over rows and columns. The similarity s follows from its weight, which is
  // known for most pairs, so that the similarities need no memory.
  void match(std::span<const std::int32_t> hyp, std::span<const std::int32_t> ref) {
    counterparts_.hyp.assign(hyp.size(), 0);
    counterparts_.ref.assign(ref.size(), 0);
    for (std::size_t i = 0, k = 0; i < hyp.size(); ++i) {
      const double* const cells = row(i + 1) + 1;
      weights_.set_word(hyp[i], words_);
      for (; k < similar_ends_[i]; ++k) {
        const auto j = static_cast<std::size_t>(similar_[k]);
        const double kept = hyp[i] == ref[j] ? 1 : 2 * weights_.similarity(ref[j]) - 1;
        const double match = cells[j] * cells[j] * kept;
        counterparts_.hyp[i] += match;
        counterparts_.ref[j] += match;
      }
    }
  }

  // to(a, b) = Σ_j Q_aj·(Q_{b,j+1} + v_{j+1}·Q_{b,j+2}) / (‖Q_a‖·‖Q_b‖) for b = a + 1 and b = a + 2.
  void follow_rows() {
    row_next_.resize(rows_ - 1);
    row_skip_.resize(rows_ - 2);
    followers_.resize(columns_);
    for (std::size_t b = 1; b < rows_; ++b) {
      const double* const cells = row(b);
      for (std::size_t j = 0; j < columns_; ++j)
        followers_[j] = cells[j + 1] + column_free_[j + 1] * cells[j + 2];
      const auto from = [&](std::size_t a) {
        return dot(row(a), followers_.data(), columns_) / (row_norms_[a] * row_norms_[b]);
      };
      row_next_[b - 1] = from(b - 1);
      if (b >= 2) row_skip_[b - 2] = from(b - 2);
    }
  }

  // The same for columns: row by row, because that is how the links lie in memory.
  void follow_columns() {
    column_next_.assign(columns_ - 1, 0);
    column_skip_.assign(columns_ - 2, 0);
    for (std::size_t i = 0; i < rows_; ++i) {
      const double *const cells = row(i), *const next = row(i + 1), *const after = row(i + 2);
      const double free = i + 1 < rows_ ? row_free_[i + 1] : 0;
      for (std::size_t a = 0; a + 1 < columns_; ++a)
        column_next_[a] += cells[a] * (next[a + 1] + free * after[a + 1]);
      for (std::size_t a = 0; a + 2 < columns_; ++a)
        column_skip_[a] += cells[a] * (next[a + 2] + free * after[a + 2]);
    }
    for (std::size_t a = 0; a + 1 < columns_; ++a) column_next_[a] /= column_norms_[a] * column_norms_[a + 1];
    for (std::size_t a = 0; a + 2 < columns_; ++a) column_skip_[a] /= column_norms_[a] * column_norms_[a + 2];
  }

  // max(0, 1 − s_i/θ) of each step i, where s_i is the best of to(i, i + 1), u_i·to(i − 1, i + 1) and
  // u_{i+1}·to(i, i + 2).
  void lose(const std::vector<double>& next, const std::vector<double>& skip, const std::vector<double>& free,
            std::vector<double>& losses) const {
    losses.resize(next.size());
    for (std::size_t i = 0; i < next.size(); ++i) {
      double strength = next[i];
      if (i > 0) strength = std::max(strength, free[i] * skip[i - 1]);
      if (i < skip.size()) strength = std::max(strength, free[i + 1] * skip[i]);
      losses[i] = std::max(0.0, 1 - strength / options_.threshold);
    }
  }
};

}  // namespace hyperbaton
