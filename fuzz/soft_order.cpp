// Fuzz target: the parts of soft order against its definition, and counts as a damaged model has them.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "input.hpp"
#include "interruption.hpp"
#include "softorder/character_overlap.hpp"
#include "softorder/order_statistics.hpp"
#include "softorder/pair_counter.hpp"
#include "softorder/precedence.hpp"

using namespace hyperbaton;
using fuzz::require;

namespace {

using Words = std::vector<std::int32_t>;
using Matrix = std::vector<std::vector<double>>;

bool near(double a, double b, double tolerance = 1e-12) {
  return std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

// Words with their characters.
struct Spelt {
  std::vector<Words> words;
  Words characters;
  std::vector<std::int64_t> offsets{0};

  void add(const Words& word) {
    words.push_back(word);
    characters.insert(characters.end(), word.begin(), word.end());
    offsets.push_back(static_cast<std::int64_t>(characters.size()));
  }
};

Spelt read_words(fuzz::Input& input) {
  Spelt spelt;
  std::set<Words> known;
  for (std::size_t k = 1 + input.size(7); k > 0; --k) {
    // Two words at most are long, of few different characters.
    const bool is_long = k <= 2 && input.byte() < 32;
    const std::size_t length = is_long ? 60 + input.size(80) : 1 + input.size(6);
    Words word;
    for (std::size_t i = 0; i < length; ++i) {
      const std::int32_t letter = is_long && i > 40 ? static_cast<std::int32_t>(i % 3) : input.byte() % 8;
      word.push_back('a' + letter + (letter & 4 ? 0x400 : 0));
    }
    // Different words have different characters.
    while (!known.insert(word).second) word.push_back('z');
    spelt.add(word);
  }
  return spelt;
}

// Similarity

std::size_t levenshtein(const Words& a, const Words& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row.back();
}

std::size_t common_prefix(const Words& a, const Words& b) {
  std::size_t length = 0;
  while (length < std::min(a.size(), b.size()) && a[length] == b[length]) ++length;
  return length;
}

double similarity(const Words& a, const Words& b) {
  if (a == b) return 1;
  const auto longer = static_cast<double>(std::max(a.size(), b.size()));
  return std::max(1 - static_cast<double>(levenshtein(a, b)) / longer,
                  2 * static_cast<double>(common_prefix(a, b)) / static_cast<double>(a.size() + b.size()));
}

void check_similarity(const Spelt& spelt) {
  static WordSimilarity comparison;  // its memory of other words must not matter
  for (const Words& word : spelt.words) {
    comparison.set_word(word);
    for (const Words& other : spelt.words) {
      const Likeness likeness = comparison.compare(other);
      require(likeness.edits == levenshtein(word, other), "the edits are those of the plain algorithm");
      require(likeness.prefix == common_prefix(word, other), "the common prefix is right");
    }
  }
}

// Soft adjacency, steps 1 to 9 of its definition

// V(Q): the losses of the steps of the rows.
std::vector<double> plain_losses(const Matrix& q, double theta) {
  const std::size_t rows = q.size(), columns = q[0].size();
  std::vector<double> u(rows), v(columns), norms(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    double squares = 0;
    for (std::size_t j = 0; j < columns; ++j) squares += q[i][j] * q[i][j];
    u[i] = std::max(0.0, 1 - squares);
    norms[i] = std::sqrt(squares);
  }
  for (std::size_t j = 0; j < columns; ++j) {
    double squares = 0;
    for (std::size_t i = 0; i < rows; ++i) squares += q[i][j] * q[i][j];
    v[j] = std::max(0.0, 1 - squares);
  }
  const auto to = [&](std::size_t a, std::size_t b) {
    double sum = 0;
    for (std::size_t j = 0; j + 1 < columns; ++j) {
      sum += q[a][j] * q[b][j + 1];
      if (j + 2 < columns) sum += q[a][j] * v[j + 1] * q[b][j + 2];
    }
    return sum / (norms[a] * norms[b]);
  };
  std::vector<double> losses;
  for (std::size_t i = 0; i + 1 < rows; ++i) {
    double strength = to(i, i + 1);
    if (i > 0) strength = std::max(strength, u[i] * to(i - 1, i + 1));
    if (i + 2 < rows) strength = std::max(strength, u[i + 1] * to(i, i + 2));
    losses.push_back(std::max(0.0, 1 - strength / theta));
  }
  return losses;
}

StepLosses plain_steps(const Spelt& spelt, const Words& hyp, const Words& ref,
                       const SoftLinkOptions& options) {
  const std::size_t n = hyp.size(), m = ref.size();
  Matrix x(n, std::vector<double>(m)), q(n + 2, std::vector<double>(m + 2));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < m; ++j) {
      const double place = (static_cast<double>(i) + 0.5) / static_cast<double>(n),
                   other = (static_cast<double>(j) + 0.5) / static_cast<double>(m);
      x[i][j] = std::exp((similarity(spelt.words[hyp[i]], spelt.words[ref[j]]) -
                          options.distance * std::abs(place - other)) /
                         options.temperature);
    }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < m; ++j) {
      double row = 0, column = 0;
      for (std::size_t k = 0; k < m; ++k) row += x[i][k];
      for (std::size_t k = 0; k < n; ++k) column += x[k][j];
      q[i + 1][j + 1] = std::sqrt(x[i][j] / row * (x[i][j] / column));
    }
  q[0][0] = q[n + 1][m + 1] = 1;
  Matrix transposed(m + 2, std::vector<double>(n + 2));
  for (std::size_t i = 0; i < n + 2; ++i)
    for (std::size_t j = 0; j < m + 2; ++j) transposed[j][i] = q[i][j];
  return {plain_losses(q, options.threshold), plain_losses(transposed, options.threshold)};
}

void check_adjacency(fuzz::Input& input, const Spelt& spelt, const Words& hyp, const Words& ref) {
  const SoftLinkOptions options{static_cast<double>(input.number(1, 1000)) / 100,
                                static_cast<double>(input.number(0, 500)) / 100,
                                static_cast<double>(input.number(1, 100)) / 100};
  static WordWeights weights;
  static std::uint64_t vocabulary = 0;  // a new one for each input
  const WordCharacters words{spelt.characters, spelt.offsets, ++vocabulary};
  Stop stop{false};
  OrderComparison compare(words, options, weights);
  const OrderStatistics found = compare(hyp, ref, true, stop);
  require(found.distinguishable >= 0 && found.distinguishable <= 0.5 * (hyp.size() + ref.size()) + 1e-9,
          "no more words can be told apart than there are");
  if (hyp.empty() || ref.empty()) {
    require(found.matched == 0 && found.lost == 0, "without words nothing is matched");
    return;
  }
  const StepLosses expected = plain_steps(spelt, hyp, ref, options);
  SoftAdjacency adjacency(words, options, weights);
  adjacency.link(hyp, ref, stop);
  const StepLosses losses = adjacency.steps();
  const Counterparts& matches = adjacency.counterparts();
  const double tolerance = 1e-12 / options.threshold;
  const auto same = [&](const std::vector<double>& a, const std::vector<double>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](double x, double y) { return near(x, y, tolerance); });
  };
  require(same(losses.hyp, expected.hyp) && same(losses.ref, expected.ref),
          "the steps are those of the definition");
  double matched = 0, lost = 0;
  for (std::size_t i = 0; i < hyp.size(); ++i) {
    matched += matches.hyp[i];
    lost += matches.hyp[i] * (expected.hyp[i] + expected.hyp[i + 1]) / 4;
  }
  for (std::size_t j = 0; j < ref.size(); ++j)
    lost += matches.ref[j] * (expected.ref[j] + expected.ref[j + 1]) / 4;
  const double size = static_cast<double>(hyp.size() + ref.size());
  require(near(found.matched, matched, tolerance * size), "M is the sum of the matches");
  require(near(found.lost, hyp == ref ? 0 : lost, tolerance * size), "λ is that of the definition");
  require(found.lost >= 0 && found.lost <= found.matched, "λ is from 0 to M");
  // Once more, with words whose weights are known.
  require(compare(hyp, ref, true, stop).lost == found.lost, "a weight that is remembered is the same");
  const OrderStatistics alone = compare(hyp, ref, false, stop);
  require(alone.matched == found.matched && alone.distinguishable == found.distinguishable && alone.lost == 0,
          "M and N do not depend on whether λ is counted");
  require(fuzz::interrupts(stop, [&] { adjacency.match_words(hyp, ref, stop); }), "a stop interrupts");
  require(fuzz::interrupts(stop, [&] { adjacency.link(hyp, ref, stop); }), "a stop interrupts");
}

void check_overlap(fuzz::Input& input, const Words& hyp, const Words& ref, std::size_t word_count) {
  Words ngrams;
  std::vector<std::int64_t> offsets{0};
  for (std::size_t word = 0; word < word_count; ++word) {
    ngrams.push_back(4 * static_cast<std::int32_t>(input.size(3)));  // every word has a character
    for (std::size_t k = input.size(4); k > 0; --k)
      ngrams.push_back(static_cast<std::int32_t>(input.size(15)));
    offsets.push_back(static_cast<std::int64_t>(ngrams.size()));
  }
  const double beta = static_cast<double>(input.number(1, 400)) / 100;
  const auto count = [&](const Words& sentence) {
    std::map<std::int32_t, std::int64_t> bag;
    for (const std::int32_t word : sentence)
      for (auto k = offsets[word]; k < offsets[word + 1]; ++k) ++bag[ngrams[k]];
    return bag;
  };
  auto hyp_bag = count(hyp), ref_bag = count(ref);
  double sum = 0;
  int lengths = 0;
  for (std::int32_t n = 0; n < 4; ++n) {
    std::int64_t common = 0, hyp_total = 0, ref_total = 0;
    for (std::int32_t ngram = n; ngram < 16; ngram += 4) {
      common += std::min(hyp_bag[ngram], ref_bag[ngram]);
      hyp_total += hyp_bag[ngram];
      ref_total += ref_bag[ngram];
    }
    if (hyp_total + ref_total == 0) continue;
    ++lengths;
    sum += (1 + beta * beta) * static_cast<double>(common) /
           (beta * beta * static_cast<double>(ref_total) + static_cast<double>(hyp_total));
  }
  CharacterOverlap overlap({ngrams, offsets}, beta);
  for (int k = 0; k < 2; ++k) {  // the memory of the first time must not matter
    const double value = overlap(hyp, ref);
    require(near(value, hyp.empty() || ref.empty() ? 0 : sum / lengths), "the overlap is that of the bags");
  }
}

// Precedence

// The counts of a model, which a damaged file may have in any state.
struct Counts {
  std::vector<std::int64_t> words;
  CountedPairs tables[2];
  Words classes;
  std::size_t class_count = 1;

  PrecedenceModel model() const {
    const auto table = [](const CountedPairs& pairs) -> PairTable {
      return {pairs.offsets, pairs.followers, pairs.counts};
    };
    return {words, table(tables[0]), table(tables[1]), classes, class_count};
  }
};

using PairMap = std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t>;

// What the corpus has, counted sentence by sentence. The marks are the last two words.
struct PlainCounts {
  std::map<std::int32_t, std::int64_t> words;
  PairMap pairs[2];

  PlainCounts(const std::vector<Words>& sentences, std::int32_t word_count) {
    for (const Words& sentence : sentences) {
      Words framed{word_count};
      framed.insert(framed.end(), sentence.begin(), sentence.end());
      framed.push_back(word_count + 1);
      for (const std::int32_t word : framed) ++words[word];
      for (std::size_t d = 1; d <= 2; ++d)
        for (std::size_t k = 0; k + d < framed.size(); ++k) ++pairs[d - 1][{framed[k], framed[k + d]}];
    }
  }
};

void check_table(const CountedPairs& table, const PairMap& expected, std::size_t rows) {
  require(table.offsets.size() == rows + 1 && table.followers.size() == expected.size() &&
              table.counts.size() == expected.size(),
          "the table has all pairs");
  auto pair = expected.begin();
  for (std::size_t x = 0; x < rows; ++x)
    for (auto k = table.offsets[x]; k < table.offsets[x + 1]; ++k, ++pair)
      require(pair->first == std::pair(static_cast<std::int32_t>(x), table.followers[k]) &&
                  pair->second == table.counts[k],
              "the table has the counts of the corpus");
}

double plain_theta(const PlainCounts& counts, const Words& classes, std::size_t d, std::int32_t x,
                   std::int32_t y) {
  const auto class_of = [&](std::int32_t item) {
    const auto words = static_cast<std::int32_t>(classes.size());
    return item < words ? classes[item] : item - words;
  };
  double neighbours = 0, together = 0, first = 0, second = 0;
  for (const auto& [pair, count] : counts.pairs[0]) neighbours += static_cast<double>(count);
  for (const auto& [pair, count] : counts.pairs[d - 1])
    if (classes[pair.first] == class_of(x) && classes[pair.second] == class_of(y))
      together += static_cast<double>(count);
  for (const auto& [word, count] : counts.words) {
    if (classes[word] == class_of(x)) first += static_cast<double>(count);
    if (classes[word] == class_of(y)) second += static_cast<double>(count);
  }
  const double ratio = (together + 3) / (first * second / neighbours + 3);
  const auto words = static_cast<std::int32_t>(classes.size());
  if (x >= words || y >= words) return std::log(ratio);
  const auto find = [](const auto& map, const auto& key) {
    const auto at = map.find(key);
    return at == map.end() ? 0.0 : static_cast<double>(at->second);
  };
  return std::log((find(counts.pairs[d - 1], std::pair(x, y)) + 0.3 * ratio) /
                  (find(counts.words, x) * find(counts.words, y) / neighbours + 0.3));
}

// Whether every count of a model follows from some corpus, as far as the sums say.
bool is_consistent(const Counts& counts) {
  const std::size_t words = counts.words.size();
  if (words < 2 || counts.classes.size() != words || counts.class_count > words) return false;
  for (const std::int32_t c : counts.classes)
    if (c < 0 || static_cast<std::size_t>(c) >= counts.class_count) return false;
  std::vector<PairMap> maps(2);
  for (std::size_t d = 0; d < 2; ++d) {
    const CountedPairs& table = counts.tables[d];
    if (table.offsets.size() != words + 1 || table.counts.size() != table.followers.size()) return false;
    if (table.offsets.front() != 0 || table.offsets.back() != static_cast<std::int64_t>(table.counts.size()))
      return false;
    if (!std::is_sorted(table.offsets.begin(), table.offsets.end())) return false;
    for (std::size_t x = 0; x < words; ++x)
      for (auto k = table.offsets[x]; k < table.offsets[x + 1]; ++k) {
        const std::int32_t y = table.followers[k];
        if (y < 0 || static_cast<std::size_t>(y) >= words) return false;
        if (k > table.offsets[x] && table.followers[k - 1] >= y) return false;
        maps[d][{static_cast<std::int32_t>(x), y}] = table.counts[k];
      }
  }
  const auto begin = static_cast<std::int32_t>(words) - 2, end = begin + 1;
  for (std::size_t d = 0; d < 2; ++d)
    for (std::int32_t x = 0; x <= end; ++x) {
      std::int64_t before = 0, after = 0;
      for (const auto& [pair, count] : maps[d]) {
        if (pair.first == x) before += count;
        if (pair.second == x) after += count;
      }
      const std::int64_t n = counts.words[x];
      if (before != (x == end ? 0 : n - (d == 1 ? maps[0][{x, end}] : 0))) return false;
      if (after != (x == begin ? 0 : n - (d == 1 ? maps[0][{begin, x}] : 0))) return false;
      if (n < 0) return false;
    }
  return true;
}

void check_precedence(fuzz::Input& input, const Words& hyp, const Words& ref, std::size_t word_count) {
  const auto last = static_cast<std::int32_t>(word_count) - 1;
  std::vector<Words> sentences(input.size(5));
  for (Words& sentence : sentences) sentence = input.numbers(input.size(5), 0, last);
  PairCounter counter;
  for (const Words& sentence : sentences) counter.add(sentence);
  // Ranks are another numbering, which a later sentence has too.
  Words ranks(word_count);
  for (std::size_t k = 0; const std::int32_t rank : input.permutation(word_count)) ranks[k++] = rank - 1;
  for (Words& sentence : sentences)
    for (std::int32_t& word : sentence) word = ranks[word];
  const PlainCounts plain(sentences, static_cast<std::int32_t>(word_count));

  Counts counts;
  counts.words.assign(word_count + 2, 0);
  for (std::size_t word = 0; word < counter.word_counts().size(); ++word)
    counts.words[ranks[word]] = counter.word_counts()[word];
  counts.words[word_count] = counts.words[word_count + 1] = static_cast<std::int64_t>(sentences.size());
  for (std::size_t word = 0; word < counts.words.size(); ++word) {
    const auto at = plain.words.find(static_cast<std::int32_t>(word));
    require(counts.words[word] == (at == plain.words.end() ? 0 : at->second), "words are counted");
  }
  for (std::size_t d = 0; d < 2; ++d) {
    counts.tables[d] = counter.take_table(d + 1, ranks, word_count);
    check_table(counts.tables[d], plain.pairs[d], word_count + 2);
  }
  counts.class_count = 1 + input.size(std::min<std::size_t>(4, word_count + 1));
  counts.classes = input.numbers(word_count + 2, 0, static_cast<std::int32_t>(counts.class_count) - 1);

  static PairCache cache;
  static std::uint64_t model_number = 0;
  if (!sentences.empty()) {
    const PrecedenceModel model = counts.model();
    const auto items = static_cast<std::int32_t>(model.word_count() + model.class_count());
    for (std::int32_t x = 0; x < items; ++x) {
      const auto y = static_cast<std::int32_t>(input.size(static_cast<std::size_t>(items) - 1));
      for (std::size_t d = 1; d <= 2; ++d)
        require(near(model.theta(d, x, y), plain_theta(plain, counts.classes, d, x, y)),
                "θ is that of the definition");
    }
    const Words item_of = input.numbers(word_count, 0, items - 1);
    Precedence precedence(model, ++model_number, item_of, cache);
    const std::vector<double> losses = precedence.losses(hyp, ref);
    require(losses.size() == (hyp.size() < 2 ? 0 : hyp.size() - 1), "there is a loss for each pair");
    double sum = 0;
    for (std::size_t i = 0; i + 1 < hyp.size(); ++i) {
      const auto phi = [&](const Words& words) {
        Words framed{model.begin_mark()};
        for (const std::int32_t word : words) framed.push_back(item_of[word]);
        framed.push_back(model.end_mark());
        double near_sum = 0, far_sum = 0;
        for (std::size_t k = 0; k + 1 < framed.size(); ++k)
          near_sum += model.theta(1, framed[k], framed[k + 1]);
        for (std::size_t k = 0; k + 2 < framed.size(); ++k)
          far_sum += model.theta(2, framed[k], framed[k + 2]);
        return near_sum + 0.3 * far_sum;
      };
      Words swapped = hyp;
      std::swap(swapped[i], swapped[i + 1]);
      bool in_reference = hyp[i] == hyp[i + 1];
      for (std::size_t j = 0; j + 1 < ref.size(); ++j)
        in_reference = in_reference || (ref[j] == hyp[i] && ref[j + 1] == hyp[i + 1]);
      const double change = in_reference ? 0 : phi(hyp) - phi(swapped);
      const double loss = change < 0 ? std::tanh(-change / 2) : 0;
      require(near(losses[i], loss, 1e-11), "the loss is that of the definition");
      sum += loss;
    }
    require(near(precedence(hyp, ref), 1 - sum / static_cast<double>(hyp.size() + 1), 1e-11),
            "B is that of the definition");
  }

  const std::size_t changes = input.size(3);
  if (changes == 0) return;
  for (std::size_t k = 0; k < changes; ++k) {
    const auto kind = input.byte();
    std::int64_t any = -1;
    if (kind % 4 == 1) any = static_cast<std::int64_t>(word_count) + kind / 4 % 4;
    if (kind % 4 == 2) any = kind / 4;
    if (kind % 4 == 3) any = input.number(INT64_MIN, INT64_MAX);
    const auto change = [&](auto& values) {
      const auto how = input.byte() % 8;
      if (how == 0) values.push_back({});
      if (values.empty()) return;
      if (how == 1) return values.pop_back();
      auto& value = values[input.size(values.size() - 1)];
      value = static_cast<std::decay_t<decltype(value)>>(any);
    };
    CountedPairs& table = counts.tables[input.byte() & 1];
    switch (input.byte() % 6) {
      case 0:
        change(counts.words);
        break;
      case 1:
        change(counts.classes);
        break;
      case 2:
        change(table.offsets);
        break;
      case 3:
        change(table.followers);
        break;
      case 4:
        change(table.counts);
        break;
      case 5:
        counts.class_count = static_cast<std::size_t>(any);
        break;
    }
  }
  bool accepted = true;
  try {
    const PrecedenceModel model = counts.model();
    const auto items = static_cast<std::int32_t>(model.word_count() + model.class_count());
    const Words item_of = input.numbers(word_count, 0, std::min(items, 40) - 1);
    const double value = Precedence(model, ++model_number, item_of, cache)(hyp, ref);
    require(value >= 0 && value <= 1, "a model that is accepted gives values from 0 to 1");
  } catch (const InputError&) {
    accepted = false;
  }
  require(accepted == is_consistent(counts), "counts that contradict each other are refused, others are not");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const auto part = input.byte() % 4;
  const Spelt spelt = read_words(input);
  const std::size_t words = spelt.words.size();
  const std::size_t n = input.size(9), m = input.size(9);
  const auto last = static_cast<std::int32_t>(words) - 1;
  const Words hyp = input.numbers(n, 0, last), ref = input.numbers(m, 0, last);
  switch (part) {
    case 0:
      check_similarity(spelt);
      break;
    case 1:
      check_adjacency(input, spelt, hyp, ref);
      break;
    case 2:
      check_overlap(input, hyp, ref, words);
      break;
    case 3:
      check_precedence(input, hyp, ref, words);
      break;
  }
  return 0;
}
