// Fuzz target: batches with any offsets and values, which are refused or read as they are, and the parallel
// loop over them: its results, its errors and its interruption.
#include "support/ragged.hpp"

#include <optional>
#include <string>

#include "input.hpp"
#include "permutations/measures.hpp"
#include "support/parallel.hpp"

using namespace hyperbaton;
using fuzz::Input;
using fuzz::require;

namespace {

template <class Value>
Value read_value(Input& input) {
  const auto byte = static_cast<std::int8_t>(input.byte());
  if (byte == 127) return std::numeric_limits<Value>::max();
  if (byte == 126) return std::numeric_limits<Value>::min();
  if (byte == 125) return static_cast<Value>(input.number(INT64_MIN, INT64_MAX));
  return byte;
}

bool are_bounds(const std::vector<std::int64_t>& offsets, std::size_t size) {
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != static_cast<std::int64_t>(size))
    return false;
  return std::is_sorted(offsets.begin(), offsets.end());
}

template <class Value>
bool is_permutation(std::span<const Value> values) {
  for (std::size_t v = 1; v <= values.size(); ++v)
    if (std::count(values.begin(), values.end(), static_cast<Value>(v)) != 1) return false;
  return true;
}

// The scores of a batch, one row for each permutation, by a number of threads.
template <class Value>
std::vector<double> score_batch(const Ragged<Value>& batch, int threads, std::size_t cost, const Poll& poll) {
  std::vector<double> scores(batch.size() * measures.size());
  for_each(batch.size(), cost, threads, poll, [&](const Stop& stop) {
    return [&, pi = Permutation(),
            analysis = std::make_shared<PermutationAnalysis>(stop)](std::size_t k) mutable {
      try {
        pi.load(batch[k]);
      } catch (const NotAPermutation& error) {
        throw NotAPermutation(std::to_string(k) + ": " + error.what());
      }
      analysis->load(pi);
      for (std::size_t m = 0; m < measures.size(); ++m)
        scores[k * measures.size() + m] = measures[m].score(*analysis);
    };
  });
  return scores;
}

template <class Value>
void check(Input& input) {
  const bool valid = input.flag(), threaded = input.byte() % 8 == 7;
  const std::size_t sequences = input.size(12);
  std::vector<Value> values;
  std::vector<std::int64_t> offsets{0};
  for (std::size_t k = 0; k < sequences; ++k) {
    if (valid || input.flag()) {
      for (const std::int32_t value : input.permutation(input.size(8))) values.push_back(value);
    } else {
      for (std::size_t left = input.size(5); left > 0; --left) values.push_back(read_value<Value>(input));
    }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  for (std::size_t wrong = valid ? 0 : input.size(2); wrong > 0; --wrong) {
    const std::size_t at = input.size(offsets.size());
    if (at < offsets.size())
      offsets[at] = read_value<std::int64_t>(input);
    else
      offsets.resize(input.size(offsets.size()));
    if (offsets.empty()) break;
  }

  std::optional<Ragged<Value>> batch;
  try {
    batch.emplace(values, offsets);
  } catch (const InputError&) {
  }
  require(batch.has_value() == are_bounds(offsets, values.size()), "only bounds of all values are accepted");
  if (!batch) return;
  require(batch->size() == offsets.size() - 1, "a batch has its sequences");

  std::size_t first_wrong = 0;
  while (first_wrong < batch->size() && is_permutation((*batch)[first_wrong])) ++first_wrong;
  const std::string wrong = std::to_string(first_wrong) + ": value ";
  const auto run = [&](int threads, std::size_t cost, const Poll& poll) -> std::vector<double> {
    try {
      const auto scores = score_batch(*batch, threads, cost, poll);
      require(first_wrong == batch->size(), "a sequence that is no permutation is refused");
      return scores;
    } catch (const NotAPermutation& error) {
      require(std::string(error.what()).starts_with(wrong), "the first wrong permutation is named");
      return {};
    }
  };
  const auto alone = run(1, 0, nullptr);
  if (!threaded) return;
  require(run(3, 20'000, nullptr) == alone, "threads change nothing");
  require(run(2, 20'000, [] { return false; }) == alone, "a poll changes nothing");
  // Another thread may cancel the work of this one.
  Cancellation cancelled;
  cancelled.cancel();
  cancellation = &cancelled;
  bool interrupted = false;
  try {
    run(2, input.flag() ? 20'000 : 0, nullptr);
  } catch (const Interrupted&) {
    interrupted = true;
  }
  cancellation = nullptr;
  require(interrupted, "cancelled work is interrupted");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  if (input.flag())
    check<std::int64_t>(input);
  else
    check<std::int32_t>(input);
  return 0;
}
