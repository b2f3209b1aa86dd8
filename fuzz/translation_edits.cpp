// Fuzz target: the edits of TER. The tests and the target binding_edit compare them with sacreBLEU's; here,
// sanitizers watch sentences of very different lengths, and properties that every count of edits has.
#include <algorithm>
#include <cstdlib>

#include "edit/translation_edit_rate.hpp"
#include "input.hpp"
#include "interruption.hpp"
#include "plain_edit_distance.hpp"

using namespace hyperbaton;
using fuzz::Input;
using fuzz::require;

namespace {

using Words = std::vector<std::int32_t>;

// Words that must be inserted, deleted or replaced whatever is shifted.
std::int64_t bag_distance(Words s, Words t) {
  std::ranges::sort(s);
  std::ranges::sort(t);
  Words common;
  std::ranges::set_intersection(s, t, std::back_inserter(common));
  return static_cast<std::int64_t>(std::max(s.size(), t.size()) - common.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const bool stopped = input.byte() == 255;
  const bool is_long = input.byte() > 200;
  const auto types = static_cast<std::int32_t>(input.number(0, 40));
  const auto sentence = [&] {
    // Long sentences repeat a few words, since the input is short.
    const Words words = input.numbers(1 + input.size(is_long ? 30 : 23), 0, types);
    const std::size_t length = is_long ? input.size(400) : input.size(words.size());
    Words repeated(length);
    for (std::size_t k = 0; k < length; ++k) repeated[k] = words[k % words.size()];
    return repeated;
  };
  const Words hypothesis = sentence(), reference = sentence();
  static Stop stop{false};
  static TranslationEdits translation_edits;
  if (stopped) fuzz::interrupts(stop, [&] { translation_edits(hypothesis, reference, stop); });
  const std::int64_t edits = translation_edits(hypothesis, reference, stop);
  require(edits == translation_edits(hypothesis, reference, stop), "a count does not depend on earlier ones");
  require(edits >= bag_distance(hypothesis, reference), "a shift changes no word");
  require(translation_edits(reference, reference, stop) == 0, "equal sentences need no edit");
  // The beam contains all cells of short sentences, and the distance is what the edits are without shifts.
  if (hypothesis.size() <= 24 && reference.size() <= 24)
    require(edits <= plain::edit_distance(hypothesis, reference), "shifts only save edits");
  return 0;
}
