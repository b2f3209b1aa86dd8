// Precedence by the references of a segment alone, for segments of which no more is known.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "softorder/precedence.hpp"

namespace hyperbaton {

// How often pairs of small numbers were added, as rows of sorted followers.
class PairRows {
 public:
  void clear() { keys_.clear(); }
  void add(std::int32_t x, std::int32_t y) {
    keys_.push_back(static_cast<std::uint64_t>(x) << 32 | static_cast<std::uint32_t>(y));
  }

  // Ends adding. All first numbers are less than `rows`.
  void finish(std::size_t rows) {
    std::sort(keys_.begin(), keys_.end());
    offsets_.assign(rows + 1, 0);
    followers_.clear();
    counts_.clear();
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      if (k > 0 && keys_[k] == keys_[k - 1]) {
        ++counts_.back();
        continue;
      }
      followers_.push_back(static_cast<std::int32_t>(keys_[k] & 0xFFFFFFFF));
      counts_.push_back(1);
      ++offsets_[static_cast<std::size_t>(keys_[k] >> 32) + 1];
    }
    for (std::size_t x = 0; x < rows; ++x) offsets_[x + 1] += offsets_[x];
  }

  PairTable table() const { return {offsets_, followers_, counts_}; }

 private:
  std::vector<std::uint64_t> keys_;
  std::vector<std::int64_t> offsets_;
  std::vector<std::int32_t> followers_;
  std::vector<std::uint32_t> counts_;
};

// The characters of words, and the class that each word has if it is rare. Words are numbered from 0.
struct WordForms {
  std::span<const std::int32_t> characters;
  std::span<const std::int64_t> offsets;
  std::span<const std::int32_t> classes;

  std::span<const std::int32_t> operator[](std::int32_t word) const {
    const auto begin = static_cast<std::size_t>(offsets[static_cast<std::size_t>(word)]);
    const auto end = static_cast<std::size_t>(offsets[static_cast<std::size_t>(word) + 1]);
    return characters.subspan(begin, end - begin);
  }
};

// Judges segments one after another, by counts in their references: its values are those of a PrecedenceModel
// of these references. Most segments have so few different words that each is a class of its own. Each thread
// needs its own.
class OwnPrecedence {
 public:
  using Sentence = std::span<const std::int32_t>;

  explicit OwnPrecedence(const WordForms& forms) : forms_(forms) {}

  // Counts in the references of a segment, in which no line is repeated, and takes its hypothesis, which must
  // stay there.
  void set_segment(Sentence hyp, std::span<const Sentence> references) {
    number_words(references);
    word_counts_.count(references, word_count() + 2, begin_mark(),
                       [this](auto word) { return number(word); });
    has_classes_ = words_.size() > own_class;
    if (has_classes_) {
      classify();
      class_counts_.count(references, own_class + 2 + rare_.size(), own_class,
                          [this](auto word) { return class_of_[static_cast<std::size_t>(number(word))]; });
    }
    hyp_ = hyp;
    framed_.assign(1, begin_mark());
    for (const std::int32_t word : hyp) framed_.push_back(item(word));
    framed_.push_back(begin_mark() + 1);
    losses_.assign(hyp.size(), unknown);
  }

  // B of the hypothesis beside one of its references.
  double operator()(Sentence ref) {
    if (hyp_.size() < 2) return 1;
    neighbours_.set_sentence(ref);
    double sum = 0;
    for (std::size_t i = 0; i + 1 < hyp_.size(); ++i)
      if (hyp_[i] != hyp_[i + 1] && !neighbours_.contain(hyp_[i], hyp_[i + 1])) sum += loss(i);
    return 1 - sum / static_cast<double>(hyp_.size() + 1);
  }

 private:
  static constexpr std::size_t own_class = 150;  // the most frequent words have classes of their own
  static constexpr std::int32_t none = -1;
  static constexpr double unknown = -1;

  // How often numbers occur, and pairs of them at both distances. Each sentence stands between the mark
  // `begin` and the mark behind it.
  struct Counts {
    std::vector<std::int64_t> single;
    PairRows pairs[2];
    std::vector<std::int32_t> framed;

    template <class Number>
    void count(std::span<const Sentence> references, std::size_t slots, std::int32_t begin,
               Number number_of) {
      single.assign(slots, 0);
      for (PairRows& rows : pairs) rows.clear();
      for (const Sentence& reference : references) {
        framed.assign(1, begin);
        for (const std::int32_t word : reference) framed.push_back(number_of(word));
        framed.push_back(begin + 1);
        for (std::size_t k = 0; k < framed.size(); ++k) {
          ++single[static_cast<std::size_t>(framed[k])];
          if (k >= 1) pairs[0].add(framed[k - 1], framed[k]);
          if (k >= 2) pairs[1].add(framed[k - 2], framed[k]);
        }
      }
      for (PairRows& rows : pairs) rows.finish(slots);
    }
    double together(std::size_t distance, std::int32_t x, std::int32_t y) const {
      return static_cast<double>(pairs[distance - 1].table().count(x, y));
    }
    // The chance of both, of as many neighbours.
    double by_chance(std::int32_t x, std::int32_t y, double neighbours) const {
      return static_cast<double>(single[static_cast<std::size_t>(x)]) *
             static_cast<double>(single[static_cast<std::size_t>(y)]) / neighbours;
    }
  };

  const WordForms forms_;
  std::vector<std::int32_t> words_;  // of the references, sorted: the number of a word is its place
  double neighbours_count_ = 0;
  Counts word_counts_, class_counts_;
  bool has_classes_ = false;
  std::vector<std::int32_t> rare_;      // the classes of rare words, sorted
  std::vector<std::int32_t> class_of_;  // of each word and mark: frequent words, marks, then rare_
  std::vector<std::int32_t> order_, characters_;
  std::vector<std::size_t> ends_;
  Sentence hyp_;
  std::vector<std::int32_t> framed_;
  Neighbours neighbours_;
  std::vector<double> losses_;

  static std::int32_t find(const std::vector<std::int32_t>& sorted, std::int32_t value) {
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), value);
    return at != sorted.end() && *at == value ? static_cast<std::int32_t>(at - sorted.begin()) : none;
  }
  static void sort_distinct(std::vector<std::int32_t>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
  }

  std::size_t word_count() const { return words_.size(); }
  std::int32_t begin_mark() const { return static_cast<std::int32_t>(words_.size()); }
  std::int32_t number(std::int32_t word) const { return find(words_, word); }

  void number_words(std::span<const Sentence> references) {
    words_.clear();
    neighbours_count_ = 0;
    for (const Sentence& reference : references) {
      words_.insert(words_.end(), reference.begin(), reference.end());
      neighbours_count_ += static_cast<double>(reference.size() + 1);
    }
    sort_distinct(words_);
  }

  // Gives classes of their own to the most frequent words, of equally frequent ones to those that come first
  // by code points. These are copied, because another thread may change them while words are compared.
  void classify() {
    characters_.clear();
    ends_.assign(1, 0);
    for (const std::int32_t word : words_) {
      const auto word_characters = forms_[word];
      characters_.insert(characters_.end(), word_characters.begin(), word_characters.end());
      ends_.push_back(characters_.size());
    }
    const auto characters = [this](std::int32_t word) {
      const auto k = static_cast<std::size_t>(word);
      return std::span(characters_).subspan(ends_[k], ends_[k + 1] - ends_[k]);
    };
    order_.resize(words_.size());
    std::iota(order_.begin(), order_.end(), 0);
    const auto frequent_end = order_.begin() + static_cast<std::ptrdiff_t>(own_class);
    std::nth_element(order_.begin(), frequent_end, order_.end(), [&](std::int32_t a, std::int32_t b) {
      const std::int64_t times = word_counts_.single[static_cast<std::size_t>(a)];
      const std::int64_t others = word_counts_.single[static_cast<std::size_t>(b)];
      return times != others ? times > others
                             : std::ranges::lexicographical_compare(characters(a), characters(b));
    });
    class_of_.assign(words_.size() + 2, none);
    for (std::size_t k = 0; k < own_class; ++k)
      class_of_[static_cast<std::size_t>(order_[k])] = static_cast<std::int32_t>(k);
    class_of_[words_.size()] = own_class;
    class_of_[words_.size() + 1] = own_class + 1;
    rare_.clear();
    for (auto word = frequent_end; word != order_.end(); ++word) {
      const auto k = static_cast<std::size_t>(*word);
      class_of_[k] = forms_.classes[static_cast<std::size_t>(words_[k])];
      rare_.push_back(class_of_[k]);
    }
    sort_distinct(rare_);
    for (auto word = frequent_end; word != order_.end(); ++word) {
      std::int32_t& word_class = class_of_[static_cast<std::size_t>(*word)];
      word_class = static_cast<std::int32_t>(own_class) + 2 + find(rare_, word_class);
    }
  }

  // The number of a word. If it does not occur, its class stands behind the marks, or it is `none` without
  // one that occurs.
  std::int32_t item(std::int32_t word) const {
    const std::int32_t known = number(word);
    if (known != none || !has_classes_) return known;
    const std::int32_t rare = find(rare_, forms_.classes[static_cast<std::size_t>(word)]);
    return rare == none ? none : begin_mark() + 2 + rare;
  }

  double theta(std::size_t distance, std::int32_t x, std::int32_t y) const {
    if (x == none || y == none) return 0;  // such words occur as often by chance: never
    if (!has_classes_) {
      const double together = word_counts_.together(distance, x, y);
      const double by_chance = word_counts_.by_chance(x, y, neighbours_count_);
      return association(together, by_chance, together, by_chance);
    }
    const std::int32_t cx = class_of(x), cy = class_of(y);
    const double together = class_counts_.together(distance, cx, cy);
    const double by_chance = class_counts_.by_chance(cx, cy, neighbours_count_);
    if (x > begin_mark() + 1 || y > begin_mark() + 1) return association(0, 0, together, by_chance);
    return association(word_counts_.together(distance, x, y), word_counts_.by_chance(x, y, neighbours_count_),
                       together, by_chance);
  }
  std::int32_t class_of(std::int32_t item) const {
    const std::int32_t behind = item - begin_mark() - 2;
    return behind < 0 ? class_of_[static_cast<std::size_t>(item)]
                      : static_cast<std::int32_t>(own_class) + 2 + behind;
  }

  // Of the neighbours at i and i + 1, whatever the reference has. Computed when it is asked for, because most
  // neighbours are those of a reference.
  double loss(std::size_t i) {
    if (losses_[i] == unknown)
      losses_[i] = swap_loss(
          framed_, i + 1, [this](std::int32_t x, std::int32_t y) { return theta(1, x, y); },
          [this](std::int32_t x, std::int32_t y) { return theta(2, x, y); });
    return losses_[i];
  }
};

}  // namespace hyperbaton
