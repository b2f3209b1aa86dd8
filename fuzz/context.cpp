// Fuzz target: the context aligner against the definition of RIBES, run by run.
#include <algorithm>
#include <memory>
#include <span>

#include "alignment/context_aligner.hpp"
#include "input.hpp"
#include "interruption.hpp"

using namespace hyperbaton;
using fuzz::require;

namespace {

using Words = std::vector<std::int32_t>;

// Where a run of words occurs, if it does so exactly once; -1 otherwise.
std::int32_t only_place(const Words& sentence, std::span<const std::int32_t> run) {
  std::int32_t place = -1;
  for (std::size_t start = 0; start + run.size() <= sentence.size(); ++start)
    if (std::equal(run.begin(), run.end(), sentence.begin() + static_cast<std::ptrdiff_t>(start))) {
      if (place >= 0) return -1;
      place = static_cast<std::int32_t>(start);
    }
  return place;
}

std::int32_t plain_link(const Words& hyp, const Words& ref, std::size_t i) {
  const std::span<const std::int32_t> words(hyp);
  for (std::size_t length = 1; length <= hyp.size(); ++length) {
    if (length <= i + 1) {
      const auto run = words.subspan(i + 1 - length, length);
      const std::int32_t place = only_place(ref, run);
      if (place >= 0 && only_place(hyp, run) >= 0) return place + static_cast<std::int32_t>(length) - 1;
    }
    if (i + length <= hyp.size()) {
      const auto run = words.subspan(i, length);
      const std::int32_t place = only_place(ref, run);
      if (place >= 0 && only_place(hyp, run) >= 0) return place;
    }
  }
  return -1;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const auto last_word = static_cast<std::int32_t>(input.size(6));
  const std::size_t n = input.size(20), m = input.size(20);
  const Words hyp = input.numbers(n, 0, last_word), ref = input.numbers(m, 0, last_word);
  Words expected(n);
  for (std::size_t i = 0; i < n; ++i) expected[i] = plain_link(hyp, ref, i);

  static ContextAligner aligner;  // its memory of other pairs must not matter
  Stop stop{false};
  Words links(n);
  aligner(hyp, ref, links, stop);
  require(links == expected, "the links are those of the definition");
  const bool interrupted = fuzz::interrupts(stop, [&] { aligner(hyp, ref, links, stop); });
  require(interrupted || n == 0, "a stop interrupts");
  if (input.byte() % 16 == 1)
    for_each(4, 1'000'000, 2, nullptr, [&](const Stop& threads_stop) {
      return [&, own = std::make_shared<ContextAligner>()](std::size_t) {
        Words found(n);
        (*own)(hyp, ref, found, threads_stop);
        require(found == expected, "links do not depend on threads");
      };
    });
  return 0;
}
