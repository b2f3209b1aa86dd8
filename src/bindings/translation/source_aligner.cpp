#include <nanobind/stl/optional.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include "bindings/batch.hpp"
#include "bindings/numbered_words.hpp"
#include "translation/pair_aligner.hpp"
#include "translation/training.hpp"

namespace hyperbaton::bindings {

namespace {

using Int32s = Array<std::int32_t>;
using Int64s = Array<std::int64_t>;
using Iterations = std::tuple<int, int, int>;  // of the three stages of the training
// Is told how many steps of how many are done.
using Progress = std::optional<nb::typed<nb::callable, void(std::uint64_t, std::uint64_t)>>;

// A copy of the spellings of all words of a language.
class CopiedSpellings {
 public:
  CopiedSpellings(const Int32s& text, const Int32s& prefix) : text_(copied(text)), prefix_(copied(prefix)) {
    check_same_size(text_.size(), prefix_.size());
    check_words(text_, most_words);
    // A word without a prefix has -1.
    const auto is_number = [](std::int32_t prefix) {
      return prefix >= -1 && prefix < static_cast<std::int32_t>(most_words);
    };
    if (!std::ranges::all_of(prefix_, is_number)) throw std::invalid_argument("a prefix has no such number");
  }
  operator Spellings() const { return {text_, prefix_}; }

 private:
  std::vector<std::int32_t> text_, prefix_;
};

// A bitext that nobody can change while an aligner is trained on it. All functions are called with the GIL,
// which only the training releases.
struct SharedBitext : Bitext {
  int trainings = 0;

  void check_free() const {
    if (trainings > 0) throw std::runtime_error("the bitext is being trained on");
  }
};

class InTraining {
 public:
  explicit InTraining(SharedBitext& bitext) : bitext_(bitext) { ++bitext.trainings; }
  ~InTraining() { --bitext_.trainings; }
  InTraining(const InTraining&) = delete;
  InTraining& operator=(const InTraining&) = delete;

 private:
  SharedBitext& bitext_;
};

void add_pairs(SharedBitext& bitext, const Int32s& sources, const Int64s& source_offsets,
               const Int32s& targets, const Int64s& target_offsets) {
  // The bitext copies the words; they are checked when it is used.
  const auto source = ragged(sources, source_offsets), target = ragged(targets, target_offsets);
  check_same_size(source.size(), target.size());
  bitext.check_free();
  for (std::size_t k = 0; k < source.size(); ++k) bitext.add(source[k], target[k]);
}

Result<bool> used_words(const SharedBitext& bitext, std::size_t side, std::size_t count) {
  if (side > 1) throw std::invalid_argument("there are two sides");
  check_count(count);
  auto* const used = new bool[count]();
  const nb::capsule owner(used, [](void* p) noexcept { delete[] static_cast<bool*>(p); });
  for (std::size_t k = 0; k < bitext.size(); ++k) {
    const WordNumbers sentence = bitext.side(side)[k];
    check_words(sentence, count);
    for (const std::int32_t word : sentence) used[word] = true;
  }
  return Result<bool>(used, {count}, owner);
}

void arrange(SharedBitext& bitext, const Int32s& source_table, const Int32s& target_table) {
  bitext.check_free();
  const std::array tables{view(source_table), view(target_table)};
  for (std::size_t side = 0; side < 2; ++side)
    for (std::size_t k = 0; k < bitext.size(); ++k) check_words(bitext.side(side)[k], tables[side].size());
  bitext.arrange(tables[0], tables[1]);
}

void check_arranged(const Bitext& bitext, const std::array<Spellings, 2>& spellings) {
  if (bitext.order().size() != bitext.size()) throw std::invalid_argument("the bitext is not arranged");
  for (std::size_t side = 0; side < 2; ++side)
    for (std::size_t k = 0; k < bitext.size(); ++k) check_words(bitext.side(side)[k], spellings[side].size());
}

// The counts of a direction: offsets, target words and counts of the links of each source word; links to no
// word; jumps.
using CountArrays = std::tuple<Result<std::int64_t>, Result<std::int32_t>, Result<std::uint32_t>,
                               Result<std::uint64_t>, Result<std::uint64_t>>;

CountArrays to_arrays(SampledCounts counts, std::size_t sources) {
  std::vector<LinkCounts::Entry> entries;
  entries.reserve(counts.links.pairs());
  counts.links.each([&](const LinkCounts::Entry& entry) { entries.push_back(entry); });
  counts.links = LinkCounts();
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return std::pair(a.from, a.to) < std::pair(b.from, b.to); });
  std::vector<std::int64_t> offsets(sources + 1);
  std::vector<std::int32_t> targets(entries.size());
  std::vector<std::uint32_t> sums(entries.size());
  for (std::size_t k = 0; k < entries.size(); ++k) {
    ++offsets[static_cast<std::size_t>(entries[k].from) + 1];
    targets[k] = entries[k].to;
    sums[k] = entries[k].count;
  }
  for (std::size_t word = 0; word < sources; ++word) offsets[word + 1] += offsets[word];
  const auto& jumps = counts.jumps.counts();
  return {to_numpy(std::move(offsets)), to_numpy(std::move(targets)), to_numpy(std::move(sums)),
          to_numpy(std::move(counts.null_links)),
          to_numpy(std::vector<std::uint64_t>(jumps.begin(), jumps.end()))};
}

TrainingSettings settings(std::uint64_t seed, const Iterations& iterations) {
  const auto [first, second, third] = iterations;
  return {seed, first, second, third};
}

// Looks for signals, and tells Python how far the work is.
Poll progress_poll(const Progress& progress, const Training& training) {
  const Poll signals = signal_poll();
  if (!progress) return signals;
  return [&progress, &training, signals] {
    if (finalizing() || (signals && signals())) return true;
    const nb::gil_scoped_acquire gil;
    try {
      (*progress)(training.done(), training.total());
      return false;
    } catch (nb::python_error& error) {
      error.restore();
      return true;
    }
  };
}

std::tuple<CountArrays, CountArrays, std::uint64_t> train_aligner(
    SharedBitext& bitext, const Int32s& source_text, const Int32s& source_prefix, const Int32s& target_text,
    const Int32s& target_prefix, std::uint64_t seed, const Iterations& iterations, int threads,
    const Progress& progress) {
  const CopiedSpellings source(source_text, source_prefix), target(target_text, target_prefix);
  const std::array<Spellings, 2> sides{source, target};
  check_arranged(bitext, sides);
  const InTraining in_training(bitext);
  Training training(bitext, sides, settings(seed, iterations));
  const Poll poll = progress_poll(progress, training);
  run_interruptible([&] { training.run(threads, poll); });
  if (progress) (*progress)(training.total(), training.total());
  return {to_arrays(training.take_counts(0), sides[0].size()),
          to_arrays(training.take_counts(1), sides[1].size()), training.samples()};
}

Result<std::uint16_t> sample_chain(const SharedBitext& bitext, const Int32s& source_text,
                                   const Int32s& source_prefix, const Int32s& target_text,
                                   const Int32s& target_prefix, std::size_t from, std::uint64_t seed,
                                   const Iterations& iterations) {
  const CopiedSpellings source(source_text, source_prefix), target(target_text, target_prefix);
  const std::array<Spellings, 2> sides{source, target};
  check_arranged(bitext, sides);
  if (from > 1) throw std::invalid_argument("there are two sides");
  const LexicalPrior prior(sides[1 - from]);
  const TrainingSettings stages = settings(seed, iterations);
  const Stop stop{false};
  std::atomic<std::uint64_t> done{0};
  GibbsChain chain(bitext, from, sides, prior, seed);
  chain.link_at_random(stop);
  for (int iteration = 0; iteration < stages.iterations(); ++iteration)
    chain.iterate(stages.stage(iteration), stop, done);
  auto links = chain.links();
  return to_numpy(std::move(links));
}

// Takes the arrays of to_arrays, for a model with so many words on both sides.
SampledCounts from_arrays(std::size_t sources, std::size_t targets, const Int64s& offsets,
                          const Int32s& words, const Array<std::uint32_t>& sums,
                          const Array<std::uint64_t>& null_links, const Array<std::uint64_t>& jumps) {
  const auto rows = copied_ragged(words, offsets);
  SampledCounts counts;
  JumpCounts::Counts jump_counts;
  check_same_size(rows.size(), sources);
  check_same_size(words.size(), sums.size());
  check_same_size(null_links.size(), targets);
  check_same_size(jumps.size(), jump_counts.size());
  check_words(rows.values, targets);
  std::ranges::copy(view(jumps), jump_counts.begin());
  counts.jumps = JumpCounts(jump_counts);
  counts.null_links.assign(view(null_links).begin(), view(null_links).end());
  std::size_t k = 0;
  for (std::size_t source = 0; source < rows.size(); ++source)
    for (const std::int32_t target : rows[source])
      counts.links.add(static_cast<std::int32_t>(source), target, view(sums)[k++]);
  return counts;
}

// Sentences of one side: numbers of words in the model (-1: unknown), and their spellings.
struct Side {
  Ragged<std::int32_t> numbers;
  std::span<const std::int32_t> text, prefix;
  std::size_t known;

  Side(const Int32s& words, const Int32s& text_numbers, const Int32s& prefix_numbers, const Int64s& offsets,
       std::size_t known_words)
      : numbers(ragged(words, offsets)),
        text(view(text_numbers)),
        prefix(view(prefix_numbers)),
        known(known_words) {
    check_same_size(words.size(), text.size());
    check_same_size(words.size(), prefix.size());
  }

  // Copies a sentence, and checks the copy.
  void read(std::size_t k, std::vector<ModelWord>& sentence) const {
    const auto words = numbers[k];
    const auto start = static_cast<std::size_t>(words.data() - numbers.values.data());
    sentence.resize(words.size());
    for (std::size_t i = 0; i < words.size(); ++i)
      sentence[i] = {words[i], {text[start + i], prefix[start + i]}};
    for (const ModelWord& word : sentence) {
      if (word.number < -1 || (word.number >= 0 && static_cast<std::size_t>(word.number) >= known))
        throw std::invalid_argument("a word is not in the model");
      if (word.spelling.text < 0) throw std::invalid_argument("a word has no spelling");
    }
  }
};

class SourceAligner {
 public:
  SourceAligner(const Int32s& source_text, const Int32s& source_prefix, const Int32s& target_text,
                const Int32s& target_prefix, std::uint64_t samples, const Int64s& target_offsets,
                const Int32s& targets, const Array<std::uint32_t>& target_sums,
                const Array<std::uint64_t>& target_nulls, const Array<std::uint64_t>& target_jumps,
                const Int64s& source_offsets, const Int32s& sources, const Array<std::uint32_t>& source_sums,
                const Array<std::uint64_t>& source_nulls, const Array<std::uint64_t>& source_jumps)
      : known_{source_text.size(), target_text.size()},
        to_target_(from_arrays(known_[0], known_[1], target_offsets, targets, target_sums, target_nulls,
                               target_jumps),
                   checked(samples), known_[0], CopiedSpellings(target_text, target_prefix)),
        to_source_(from_arrays(known_[1], known_[0], source_offsets, sources, source_sums, source_nulls,
                               source_jumps),
                   checked(samples), known_[1], CopiedSpellings(source_text, source_prefix)) {}

  std::tuple<Result<std::int32_t>, Result<std::int32_t>, Result<double>, Result<std::int64_t>> links(
      const Int32s& source_words, const Int32s& source_text, const Int32s& source_prefix,
      const Int64s& source_offsets, const Int32s& target_words, const Int32s& target_text,
      const Int32s& target_prefix, const Int64s& target_offsets, int method, double threshold,
      int threads) const {
    const Side source(source_words, source_text, source_prefix, source_offsets, known_[0]);
    const Side target(target_words, target_text, target_prefix, target_offsets, known_[1]);
    if (method < 0 || method > static_cast<int>(Symmetrization::grow_diag_final_and))
      throw std::invalid_argument("there is no such symmetrization");
    if (!(threshold >= 0 && threshold < 1)) throw std::invalid_argument("there is no such threshold");
    std::vector<std::vector<WordLink>> found(source.numbers.size());
    for_each_pair(source, target, link_power, threads, [&](const Stop& stop) {
      return [&found, symmetrizer = Symmetrizer(static_cast<Symmetrization>(method), threshold, stop)](
                 PairAligner& aligner, std::size_t k, ModelWords sources, ModelWords targets) {
        found[k] = aligner.links(sources, targets, symmetrizer);
      };
    });
    std::vector<std::int32_t> from, to;
    std::vector<double> posteriors;
    std::vector<std::int64_t> offsets{0};
    for (const auto& links : found) {
      for (const WordLink& link : links) {
        from.push_back(link.source);
        to.push_back(link.target);
        posteriors.push_back(link.posterior);
      }
      offsets.push_back(static_cast<std::int64_t>(from.size()));
    }
    return {to_numpy(std::move(from)), to_numpy(std::move(to)), to_numpy(std::move(posteriors)),
            to_numpy(std::move(offsets))};
  }

  Result<double> expected_kendall(const Int32s& source_words, const Int32s& source_text,
                                  const Int32s& source_prefix, const Int64s& source_offsets,
                                  const Int32s& target_words, const Int32s& target_text,
                                  const Int32s& target_prefix, const Int64s& target_offsets,
                                  int threads) const {
    const Side source(source_words, source_text, source_prefix, source_offsets, known_[0]);
    const Side target(target_words, target_text, target_prefix, target_offsets, known_[1]);
    std::vector<double> values(source.numbers.size());
    for_each_pair(source, target, order_power, threads, [&](const Stop&) {
      return [&values](PairAligner& aligner, std::size_t k, ModelWords sources, ModelWords targets) {
        values[k] = aligner.expected_kendall(sources, targets);
      };
    });
    return to_numpy(std::move(values));
  }

  std::tuple<Result<double>, Result<double>> posteriors(const Int32s& source_words, const Int32s& source_text,
                                                        const Int32s& source_prefix,
                                                        const Int32s& target_words, const Int32s& target_text,
                                                        const Int32s& target_prefix, int quarters) const {
    if (quarters != 0 && quarters != 2 && quarters != 3)
      throw std::invalid_argument("there is no such power of jumps");
    const std::array<std::int64_t, 2> source_bounds{0, static_cast<std::int64_t>(source_words.size())};
    const std::array<std::int64_t, 2> target_bounds{0, static_cast<std::int64_t>(target_words.size())};
    const Side source(source_words, source_text, source_prefix, Int64s(source_bounds.data(), {2}), known_[0]);
    const Side target(target_words, target_text, target_prefix, Int64s(target_bounds.data(), {2}), known_[1]);
    if (source_words.size() == 0 || target_words.size() == 0)
      throw std::invalid_argument("a sentence is empty");
    std::vector<ModelWord> sources, targets;
    source.read(0, sources);
    target.read(0, targets);
    return {direction(to_target_, sources, targets, quarters),
            direction(to_source_, targets, sources, quarters)};
  }

 private:
  std::array<std::size_t, 2> known_;
  LinkModel to_target_, to_source_;

  static std::uint64_t checked(std::uint64_t samples) {
    if (samples == 0) throw std::invalid_argument("there are no samples");
    return samples;
  }

  static Result<double> direction(const LinkModel& model, ModelWords sources, ModelWords targets,
                                  int quarters) {
    std::vector<double> values;
    const auto collect = [&](const auto& posteriors) {
      for (std::size_t j = 0; j < targets.size(); ++j) {
        for (std::size_t i = 0; i < sources.size(); ++i) values.push_back(posteriors(j, i));
        values.push_back(posteriors.none(j));
      }
    };
    if (quarters == 0) {
      WordPosteriors ibm1;
      const Stop stop{false};
      ibm1.find(model, sources, targets, stop);
      collect(ibm1);
    } else {
      const JumpPower power = quarters == 2 ? JumpPower::half : JumpPower::three_quarters;
      HmmPosteriors hmm;
      hmm.find(model, model.jumps(power, static_cast<int>(sources.size()) + 1), sources, targets);
      collect(hmm);
    }
    return to_numpy(std::move(values));
  }

  // Calls body(aligner, k, sources, targets) for each pair, where `body` is what bind_body(stop) returns.
  template <class BindBody>
  void for_each_pair(const Side& source, const Side& target, JumpPower power, int threads,
                     BindBody bind_body) const {
    const std::size_t count = source.numbers.size();
    check_same_size(count, target.numbers.size());
    std::size_t cost = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t n = source.numbers[k].size(), m = target.numbers[k].size();
      if (!PairAligner::is_too_long(n, m)) cost += n * m * std::min((n + m) / 2, PairAligner::max_hmm_words);
    }
    run(count, cost, threads, [&](const Stop& stop) {
      return [&, aligner = PairAligner(to_target_, to_source_, power, stop), body = bind_body(stop),
              sources = std::vector<ModelWord>(), targets = std::vector<ModelWord>()](std::size_t k) mutable {
        source.read(k, sources);
        target.read(k, targets);
        body(aligner, k, sources, targets);
      };
    });
  }
};

double expected_kendall(const Array<double>& posteriors, std::size_t columns) {
  if (columns == 0 || posteriors.size() % columns != 0)
    throw std::invalid_argument("the rows have different lengths");
  ExpectedKendall order;
  for (std::size_t k = 0; k < posteriors.size(); k += columns)
    order.add(view(posteriors).subspan(k, columns));
  return order.value();
}

}  // namespace

void bind_source_aligner(nb::module_& m) {
  nb::class_<SharedBitext> bitext(m, "Bitext");
  bitext.attr("MAX_WORDS") = Bitext::max_words;
  bitext.def(nb::init<>())
      .def("add", &add_pairs, nb::arg("sources").noconvert(), nb::arg("source_offsets").noconvert(),
           nb::arg("targets").noconvert(), nb::arg("target_offsets").noconvert())
      .def("used_words", &used_words, nb::arg("side"), nb::arg("count"),
           "Which of the first `count` words of a side occur in the pairs that are kept.")
      .def("arrange", &arrange, nb::arg("source_table").noconvert(), nb::arg("target_table").noconvert())
      .def("__len__", [](const SharedBitext& pairs) { return pairs.size(); })
      .def_prop_ro("distinct_sources", [](const SharedBitext& pairs) { return pairs.distinct_sources(); })
      .def_prop_ro("empty_pairs", [](const SharedBitext& pairs) { return pairs.empty_pairs(); })
      .def_prop_ro("long_pairs", [](const SharedBitext& pairs) { return pairs.long_pairs(); });
  m.def("train_aligner", &train_aligner, nb::arg("bitext"), nb::arg("source_text").noconvert(),
        nb::arg("source_prefix").noconvert(), nb::arg("target_text").noconvert(),
        nb::arg("target_prefix").noconvert(), nb::arg("seed"), nb::arg("iterations"), nb::arg("threads"),
        nb::arg("progress"),
        "The sums of the sampled links from source to target words and from target to source words, and the\n"
        "number of samples. `progress` is told how many steps of how many are done.");
  m.def("sample_chain", &sample_chain, nb::arg("bitext"), nb::arg("source_text").noconvert(),
        nb::arg("source_prefix").noconvert(), nb::arg("target_text").noconvert(),
        nb::arg("target_prefix").noconvert(), nb::arg("source"), nb::arg("seed"), nb::arg("iterations"),
        "The links of one chain: the source position of each target word, from 1, or 0. The naive twin is\n"
        "compared with it.");
  nb::class_<SourceAligner> aligner(m, "SourceAligner");
  aligner.attr("MAX_CELLS") = PairAligner::max_cells;
  aligner
      .def(nb::init<const Int32s&, const Int32s&, const Int32s&, const Int32s&, std::uint64_t, const Int64s&,
                    const Int32s&, const Array<std::uint32_t>&, const Array<std::uint64_t>&,
                    const Array<std::uint64_t>&, const Int64s&, const Int32s&, const Array<std::uint32_t>&,
                    const Array<std::uint64_t>&, const Array<std::uint64_t>&>(),
           nb::arg("source_text"), nb::arg("source_prefix"), nb::arg("target_text"), nb::arg("target_prefix"),
           nb::arg("samples"), nb::arg("target_offsets"), nb::arg("targets"), nb::arg("target_sums"),
           nb::arg("target_nulls"), nb::arg("target_jumps"), nb::arg("source_offsets"), nb::arg("sources"),
           nb::arg("source_sums"), nb::arg("source_nulls"), nb::arg("source_jumps"))
      .def("links", &SourceAligner::links, nb::arg("source_words").noconvert(),
           nb::arg("source_text").noconvert(), nb::arg("source_prefix").noconvert(),
           nb::arg("source_offsets").noconvert(), nb::arg("target_words").noconvert(),
           nb::arg("target_text").noconvert(), nb::arg("target_prefix").noconvert(),
           nb::arg("target_offsets").noconvert(), nb::arg("method"), nb::arg("threshold"), nb::arg("threads"),
           "Source and target words of all links, their posteriors, and where the links of each pair start.")
      .def("expected_kendall", &SourceAligner::expected_kendall, nb::arg("source_words").noconvert(),
           nb::arg("source_text").noconvert(), nb::arg("source_prefix").noconvert(),
           nb::arg("source_offsets").noconvert(), nb::arg("target_words").noconvert(),
           nb::arg("target_text").noconvert(), nb::arg("target_prefix").noconvert(),
           nb::arg("target_offsets").noconvert(), nb::arg("threads"))
      .def(
          "posteriors", &SourceAligner::posteriors, nb::arg("source_words").noconvert(),
          nb::arg("source_text").noconvert(), nb::arg("source_prefix").noconvert(),
          nb::arg("target_words").noconvert(), nb::arg("target_text").noconvert(),
          nb::arg("target_prefix").noconvert(), nb::arg("quarters"),
          "The posterior probabilities of one pair: rows of target words with those of source words and of\n"
          "none, and the opposite. The power of jumps is given in quarters, 2 or 3; with 0 the positions of\n"
          "words do not matter. The naive twin is compared with them.");
  m.def("expected_kendall", &expected_kendall, nb::arg("posteriors").noconvert(), nb::arg("columns"),
        "Kendall's measure of the order that a matrix of posteriors lets expect.");
}

}  // namespace hyperbaton::bindings
