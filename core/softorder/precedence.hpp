// Precedence: do neighbouring words stand the right way round, by what was counted in a corpus?
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "support/errors.hpp"
#include "support/pair_cache.hpp"

namespace hyperbaton {

// How often the pairs of words occur at one distance, as sorted rows. Row x has the words that follow x.
struct PairTable {
  std::span<const std::int64_t> offsets;    // of the row of each word, and the end of the last
  std::span<const std::int32_t> followers;  // sorted within a row
  std::span<const std::uint32_t> counts;

  std::uint32_t count(std::int32_t x, std::int32_t y) const {
    const auto begin = followers.begin() + offsets[static_cast<std::size_t>(x)];
    const auto end = followers.begin() + offsets[static_cast<std::size_t>(x) + 1];
    const auto at = std::lower_bound(begin, end, y);
    return at != end && *at == y ? counts[static_cast<std::size_t>(at - followers.begin())] : 0;
  }
};

// θ: the logarithm of how much more often two words stand together than by chance. It falls back on their
// classes, the more the fewer times the words occur.
inline double association(double together, double by_chance, double classes_together,
                          double classes_by_chance) {
  constexpr double class_prior = 3, word_prior = 0.3;  // κ₀ and κ₁
  const double ratio = (classes_together + class_prior) / (classes_by_chance + class_prior);
  return std::log((together + word_prior * ratio) / (by_chance + word_prior));
}

// What was counted in a corpus, and how likely words stand next to each other by it.
//
// Words are numbered from 0; the last two are the marks of a sentence's begin and end. A word that the corpus
// does not have has only a class: class c is the item `word_count() + c`. The last class was never seen.
class PrecedenceModel {
 public:
  // `classes` has the class of each word; there are at most as many as words. The tables belong to the
  // caller. Another thread may change their followers and counts, so words among the followers are checked
  // each time that they are used as indices.
  PrecedenceModel(std::vector<std::int64_t> word_counts, const PairTable& next, const PairTable& after_next,
                  std::vector<std::int32_t> classes, std::size_t class_count)
      : word_counts_(std::move(word_counts)), tables_{next, after_next}, classes_(std::move(classes)) {
    check(class_count);
    class_counts_.resize(class_count + 1);
    for (const std::uint32_t count : tables_[0].counts) pairs_ += count;
    for (std::size_t x = 0; x < word_counts_.size(); ++x)
      class_counts_[static_cast<std::size_t>(classes_[x])] += word_counts_[x];
    for (std::size_t d = 0; d < 2; ++d) count_class_pairs(d);
  }

  std::size_t word_count() const { return word_counts_.size(); }
  std::size_t class_count() const { return class_counts_.size(); }  // with the one that was never seen
  std::int32_t begin_mark() const { return static_cast<std::int32_t>(word_counts_.size()) - 2; }
  std::int32_t end_mark() const { return static_cast<std::int32_t>(word_counts_.size()) - 1; }

  // θ_d(x, y): the logarithm of how much more often y stands d words after x than by chance.
  double theta(std::size_t distance, std::int32_t x, std::int32_t y) const {
    const auto cx = class_of(x), cy = class_of(y);
    const double corpus = static_cast<double>(pairs_);
    const double by_chance =
        static_cast<double>(class_counts_[cx]) * static_cast<double>(class_counts_[cy]) / corpus;
    const auto seen = class_pairs_[distance - 1].find(class_key(cx, cy));
    const double together = seen == class_pairs_[distance - 1].end() ? 0 : static_cast<double>(seen->second);
    if (!is_word(x) || !is_word(y)) return association(0, 0, together, by_chance);
    const double words = static_cast<double>(tables_[distance - 1].count(x, y));
    const double words_by_chance = static_cast<double>(word_counts_[static_cast<std::size_t>(x)]) *
                                   static_cast<double>(word_counts_[static_cast<std::size_t>(y)]) / corpus;
    return association(words, words_by_chance, together, by_chance);
  }

 private:
  std::vector<std::int64_t> word_counts_;
  PairTable tables_[2];
  std::vector<std::int32_t> classes_;
  std::vector<std::int64_t> class_counts_;
  std::unordered_map<std::uint64_t, std::int64_t> class_pairs_[2];
  std::int64_t pairs_ = 0;  // of neighbours

  static void require(bool valid) {
    if (!valid) throw InputError("the counts of words contradict each other");
  }

  // Follower k of a table.
  std::size_t follower(const PairTable& table, std::size_t k) const {
    const auto y = static_cast<std::size_t>(table.followers[k]);
    require(y < word_counts_.size());
    return y;
  }

  // A model may come from a file.
  void check(std::size_t class_count) const {
    const std::size_t words = word_counts_.size();
    require(words >= 2 && classes_.size() == words && class_count <= words);
    for (const std::int32_t c : classes_) require(c >= 0 && static_cast<std::size_t>(c) < class_count);
    for (const std::int64_t count : word_counts_) require(count >= 0);
    for (const PairTable& table : tables_) {
      const auto pairs = static_cast<std::int64_t>(table.followers.size());
      require(table.counts.size() == table.followers.size() && table.offsets.size() == words + 1);
      require(table.offsets.front() == 0 && table.offsets.back() == pairs);
      for (std::size_t x = 0; x < words; ++x) {
        const std::int64_t begin = table.offsets[x], end = table.offsets[x + 1];
        require(begin <= end && end <= pairs);
        for (std::int64_t k = begin; k < end; ++k) {
          const std::int32_t y = table.followers[static_cast<std::size_t>(k)];
          require(y >= 0 && static_cast<std::size_t>(y) < words);
          require(k == begin || table.followers[static_cast<std::size_t>(k - 1)] < y);
        }
      }
    }
    require(has_consistent_sums());
  }

  // Whether the pairs have each word as often as it occurs. Every word but the end mark has a next word, and
  // every word but the begin mark is one; words next to a mark have none beyond it.
  bool has_consistent_sums() const {
    const auto begin = static_cast<std::size_t>(begin_mark()), end = static_cast<std::size_t>(end_mark());
    const std::size_t words = word_counts_.size();
    for (const PairTable& table : tables_) {
      std::vector<std::int64_t> before(words), after(words);  // how often a word is the first, or the second
      for (std::size_t x = 0; x < words; ++x)
        for (std::int64_t k = table.offsets[x]; k < table.offsets[x + 1]; ++k) {
          const auto pair = static_cast<std::size_t>(k);
          before[x] += table.counts[pair];
          after[follower(table, pair)] += table.counts[pair];
        }
      const bool is_next = &table == &tables_[0];
      for (std::size_t x = 0; x < words; ++x) {
        const auto word = static_cast<std::int32_t>(x);
        const std::int64_t last = is_next ? 0 : tables_[0].count(word, end_mark());
        const std::int64_t first = is_next ? 0 : tables_[0].count(begin_mark(), word);
        if (before[x] != (x == end ? 0 : word_counts_[x] - last)) return false;
        if (after[x] != (x == begin ? 0 : word_counts_[x] - first)) return false;
      }
    }
    return true;
  }

  bool is_word(std::int32_t item) const { return static_cast<std::size_t>(item) < word_counts_.size(); }
  std::size_t class_of(std::int32_t item) const {
    const auto index = static_cast<std::size_t>(item);
    return is_word(item) ? static_cast<std::size_t>(classes_[index]) : index - word_counts_.size();
  }
  static std::uint64_t class_key(std::size_t first, std::size_t second) {
    return static_cast<std::uint64_t>(first) << 32 | second;
  }

  void count_class_pairs(std::size_t d) {
    const PairTable& table = tables_[d];
    for (std::size_t x = 0; x < word_counts_.size(); ++x)
      for (auto k = static_cast<std::size_t>(table.offsets[x]);
           k < static_cast<std::size_t>(table.offsets[x + 1]); ++k) {
        const std::size_t y = follower(table, k);
        class_pairs_[d][class_key(static_cast<std::size_t>(classes_[x]),
                                  static_cast<std::size_t>(classes_[y]))] += table.counts[k];
      }
  }
};

// The pairs of neighbours of a sentence.
class Neighbours {
 public:
  void set_sentence(std::span<const std::int32_t> sentence) {
    pairs_.clear();
    for (std::size_t j = 0; j + 1 < sentence.size(); ++j) pairs_.emplace_back(sentence[j], sentence[j + 1]);
    std::sort(pairs_.begin(), pairs_.end());
  }
  bool contain(std::int32_t first, std::int32_t second) const {
    return std::binary_search(pairs_.begin(), pairs_.end(), std::pair(first, second));
  }

 private:
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs_;
};

// The loss of the neighbours at k and k + 1 of a sentence between its marks: tanh(−δ/2) for δ < 0, else 0. δ
// is by how much Φ of the sentence is greater than Φ with both words swapped. Only terms with one of the two
// words differ; the pair itself is two apart from none. `theta(distance, x, y)` is θ.
template <class Theta>
double swap_loss(std::span<const std::int32_t> framed, std::size_t k, Theta theta) {
  constexpr double after_next_weight = 0.3;
  const std::int32_t a = framed[k], b = framed[k + 1];
  const std::int32_t before = framed[k - 1], after = framed[k + 2];
  const double near = theta(1, before, a) + theta(1, a, b) + theta(1, b, after) - theta(1, before, b) -
                      theta(1, b, a) - theta(1, a, after);
  double far = theta(2, before, b) + theta(2, a, after) - theta(2, before, a) - theta(2, b, after);
  if (k >= 2) far += theta(2, framed[k - 2], a) - theta(2, framed[k - 2], b);
  if (k + 3 < framed.size()) far += theta(2, b, framed[k + 3]) - theta(2, a, framed[k + 3]);
  const double change = near + after_next_weight * far;
  return change < 0 ? std::tanh(-change / 2) : 0;
}

// Judges sentences one after another. Each thread needs its own.
class Precedence {
 public:
  // `items` has the item of each word of a sentence.
  Precedence(const PrecedenceModel& model, std::uint64_t model_number, std::span<const std::int32_t> items,
             PairCache& cache)
      : model_(model), items_(items), cache_(cache) {
    cache_.prepare(model_number);
  }

  // B: 1 minus the loss of all pairs of neighbours, divided by the number of steps.
  double operator()(std::span<const std::int32_t> hyp, std::span<const std::int32_t> ref) {
    double sum = 0;
    for (const double loss : losses(hyp, ref)) sum += loss;
    return 1 - sum / static_cast<double>(hyp.size() + 1);
  }

  // The loss of each pair of neighbours. A pair of equal words, or one that the reference has, loses nothing.
  const std::vector<double>& losses(std::span<const std::int32_t> hyp, std::span<const std::int32_t> ref) {
    losses_.clear();
    if (hyp.size() < 2) return losses_;
    neighbours_.set_sentence(ref);
    // The marks, and beyond them nothing, so that all words have neighbours.
    framed_.assign(1, model_.begin_mark());
    for (const std::int32_t word : hyp) framed_.push_back(items_[static_cast<std::size_t>(word)]);
    framed_.push_back(model_.end_mark());
    const auto theta = [this](std::size_t distance, std::int32_t x, std::int32_t y) {
      // Two calls, so that compilers do not put what is computed into what is looked up.
      if (distance == 1) return cache_.get(x, y, [&] { return model_.theta(1, x, y); });
      return cache_.get(x, -2 - y, [&] { return model_.theta(2, x, y); });  // the sign tells distances apart
    };
    for (std::size_t i = 0; i + 1 < hyp.size(); ++i) {
      const bool judged = hyp[i] != hyp[i + 1] && !neighbours_.contain(hyp[i], hyp[i + 1]);
      losses_.push_back(judged ? swap_loss(framed_, i + 1, theta) : 0);
    }
    return losses_;
  }

 private:
  const PrecedenceModel& model_;
  std::span<const std::int32_t> items_;
  PairCache& cache_;
  std::vector<std::int32_t> framed_;
  Neighbours neighbours_;
  std::vector<double> losses_;
};

}  // namespace hyperbaton
