// The statistics of chrF (Popović 2015) and chrF++ (Popović 2017) exactly as sacreBLEU counts them, in its
// metrics/chrf.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ngrams/ngram_table.hpp"
#include "text/string_numbers.hpp"
#include "text/utf8.hpp"
#include "text/word_table.hpp"

namespace hyperbaton {

struct ChrfOptions {
  std::size_t characters = 6, words = 0;  // of the longest n-grams
  bool white_space = false;               // whether it counts as characters
  double beta = 2;
  bool effective = true;  // only lengths of n-grams that both sides have

  std::size_t lengths() const { return characters + words; }
  std::size_t statistics() const { return 3 * lengths(); }  // of a segment
};

// Calls body(word) for each word of a line; punctuation at its end or its beginning is a word of its own.
template <class Body>
void for_each_chrf_word(std::string_view line, Body body) {
  const auto is_punctuation = [](char c) {
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
           (c >= '{' && c <= '~');
  };
  for_each_word(line, [&](std::string_view word, std::size_t) {
    if (word.size() == code_point_size(word[0])) return body(word);
    if (is_punctuation(word.back())) {
      body(word.substr(0, word.size() - 1));
      return body(word.substr(word.size() - 1));
    }
    if (!is_punctuation(word.front())) return body(word);
    body(word.substr(0, 1));
    body(word.substr(1));
  });
}

// The n-grams of a reference, and its lengths in characters and in words.
struct ChrfReference {
  NgramTable characters, words;
  std::size_t character_count = 0, word_count = 0;
};

// Counts segments one after another. Each thread needs its own.
class ChrfCounter {
 public:
  // The numbers of the references' words must exist before references are prepared.
  ChrfCounter(const ChrfOptions& options, const StringNumbers& words)
      : options_(options), numbers_(words), characters_(options.characters), words_(options.words) {}

  ChrfReference prepare(std::string_view line) {
    read(line);
    const std::span<const Symbol> characters = character_symbols_, words = word_symbols_;
    return {characters_.make_table({&characters, 1}),
            options_.words > 0 ? words_.make_table({&words, 1}) : NgramTable(), characters.size(),
            words.size()};
  }

  // Writes, for each length of n-grams, those of the hypothesis, of the reference and of both: with the
  // reference that gives the best score, the first of equal ones.
  void operator()(std::span<const ChrfReference> references, std::string_view line, const Stop& stop,
                  double* out) {
    read(line);
    double best = -1;
    for (const ChrfReference& reference : references) {
      counts_.clear();
      append(characters_(reference.characters, character_symbols_, stop), character_symbols_.size(),
             reference.character_count);
      if (options_.words > 0)
        append(words_(reference.words, word_symbols_, stop), word_symbols_.size(), reference.word_count);
      const double found = references.size() == 1 ? 0 : score();
      if (found <= best) continue;
      best = found;
      std::copy(counts_.begin(), counts_.end(), out);
    }
  }

 private:
  const ChrfOptions options_;
  const StringNumbers& numbers_;
  NgramCounter characters_, words_;
  std::vector<Symbol> character_symbols_, word_symbols_;
  std::vector<double> counts_;

  void read(std::string_view line) {
    line = strip_end(line, {});
    character_symbols_.clear();
    for (std::size_t k = 0; k < line.size();) {
      const std::size_t size = code_point_size(line[k]);
      if (options_.white_space || white_space_at(line, k) == 0)
        character_symbols_.push_back(code_point(line.substr(k, size)));
      k += size;
    }
    word_symbols_.clear();
    if (options_.words > 0)
      for_each_chrf_word(line, [&](std::string_view word) { word_symbols_.push_back(numbers_.find(word)); });
  }

  void append(std::span<const std::int64_t> matches, std::size_t hypothesis, std::size_t reference) {
    const auto ngrams = [](std::size_t length, std::size_t n) { return length < n ? 0 : length - n + 1; };
    for (std::size_t n = 1; n <= matches.size(); ++n) {
      const std::size_t of_reference = ngrams(reference, n);
      // Those of the hypothesis do not count where the reference has none.
      counts_.push_back(static_cast<double>(of_reference == 0 ? 0 : ngrams(hypothesis, n)));
      counts_.push_back(static_cast<double>(of_reference));
      counts_.push_back(static_cast<double>(matches[n - 1]));
    }
  }

  // sacreBLEU's score, rounded as it does: it decides between references.
  double score() const {
    constexpr double eps = 1e-16;
    const double factor = options_.beta * options_.beta;
    double sum = 0, precision = 0, recall = 0, lengths = 0;
    for (std::size_t k = 0; k < counts_.size(); k += 3) {
      const double hyp = counts_[k], ref = counts_[k + 1], both = counts_[k + 2];
      const double p = hyp > 0 ? both / hyp : eps, r = ref > 0 ? both / ref : eps;
      const double denominator = factor * p + r;
      sum += denominator > 0 ? (1 + factor) * p * r / denominator : eps;
      if (hyp > 0 && ref > 0) {
        precision += p;
        recall += r;
        ++lengths;
      }
    }
    if (!options_.effective) return 100 * sum / static_cast<double>(options_.lengths());
    if (lengths == 0) return 0;
    precision /= lengths;
    recall /= lengths;
    if (precision + recall == 0) return 0;
    return 100 * ((1 + factor) * precision * recall / (factor * precision + recall));
  }
};

}  // namespace hyperbaton
