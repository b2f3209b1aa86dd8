#include "softorder/pair_counter.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <mutex>
#include <tuple>

#include "bindings/batch.hpp"
#include "bindings/numbered_words.hpp"
#include "bindings/text/lines.hpp"

namespace hyperbaton::bindings {

namespace {

// Counts in the distinct lines of a part of a corpus. Several Python threads may use it. A thread waits for
// the lock only without the GIL, because the thread that holds the lock may be waiting for the GIL.
class LineCounter {
 public:
  LineCounter(std::uint64_t part, std::uint64_t parts) : lines_(part, parts) {
    if (part >= parts) throw std::invalid_argument("there is no such part");
  }

  // The lines, and the numbers of their words.
  void add(const Lines& lines, const Array<std::int32_t>& numbers, const Array<std::int64_t>& offsets) {
    const auto sentences = copied_ragged(numbers, offsets);
    check_same_size(lines.views.size(), sentences.size());
    check_words(sentences.values, most_words);
    const WithoutGil no_gil;
    const std::lock_guard lock(mutex_);
    for (std::size_t k = 0; k < sentences.size(); ++k)
      if (lines_.add(lines.views[k])) counter_.add(sentences[k]);
  }

  std::size_t lines() const {
    const WithoutGil no_gil;
    const std::lock_guard lock(mutex_);
    return lines_.count();
  }
  std::pair<std::uint64_t, std::uint64_t> digest() const {
    const WithoutGil no_gil;
    const std::lock_guard lock(mutex_);
    return {lines_.digest().low, lines_.digest().high};
  }
  std::vector<std::int64_t> word_counts() const {
    const WithoutGil no_gil;
    const std::lock_guard lock(mutex_);
    return counter_.word_counts();
  }
  CountedPairs take_table(std::size_t distance, const Array<std::int32_t>& rank_of, std::size_t words) {
    if (distance < 1 || distance > 2) throw std::invalid_argument("the distance must be 1 or 2");
    const auto ranks = copied(rank_of);
    const WithoutGil no_gil;
    const std::lock_guard lock(mutex_);
    if (ranks.size() < counter_.word_counts().size()) throw std::invalid_argument("a word has no rank");
    check_count(words);
    check_words(ranks, words);
    return counter_.take_table(distance, ranks, words);
  }

 private:
  DistinctLines lines_;
  PairCounter counter_;
  mutable std::mutex mutex_;
};

}  // namespace

void bind_pair_counter(nb::module_& m) {
  nb::class_<LineCounter>(m, "LineCounter")
      .def(nb::init<std::uint64_t, std::uint64_t>(), nb::arg("part"), nb::arg("parts"))
      .def("add", &LineCounter::add, nb::arg("lines"), nb::arg("numbers").noconvert(),
           nb::arg("offsets").noconvert())
      .def_prop_ro("lines", &LineCounter::lines)
      .def_prop_ro("digest", &LineCounter::digest)
      .def("word_counts", [](const LineCounter& counter) { return to_numpy(counter.word_counts()); })
      .def(
          "take_table",
          [](LineCounter& counter, std::size_t distance, const Array<std::int32_t>& ranks,
             std::size_t words) {
            CountedPairs table = counter.take_table(distance, ranks, words);
            return std::tuple(to_numpy(std::move(table.offsets)), to_numpy(std::move(table.followers)),
                              to_numpy(std::move(table.counts)));
          },
          nb::arg("distance"), nb::arg("ranks").noconvert(), nb::arg("words"));
}

}  // namespace hyperbaton::bindings
