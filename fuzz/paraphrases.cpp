// Fuzz target: the paraphrases of a pair against a scan of all its phrases, and damaged indexes.
#include <algorithm>
#include <map>
#include <set>

#include "alignment/paraphrase_finder.hpp"
#include "input.hpp"
#include "interruption.hpp"

using namespace hyperbaton;
using fuzz::require;

namespace {

using Words = std::vector<std::int32_t>;

// A table of paraphrases with the memory of its index. Phrases are by node; node 0 is the empty one.
struct Table {
  std::int64_t words = 0;
  std::vector<Words> phrases{{}};
  std::vector<std::int64_t> edges;
  std::vector<std::int32_t> first{0}, other;

  ParaphraseIndex index() const { return {words, edges, first, other}; }
};

Table make_table(std::int64_t words, const std::vector<std::pair<Words, Words>>& pairs) {
  Table table;
  table.words = words;
  // All prefixes, shorter ones first, so that the edges ascend.
  const auto before = [](const Words& a, const Words& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  };
  std::set<Words, decltype(before)> prefixes(before);
  for (const auto& pair : pairs)
    for (const Words& phrase : {pair.first, pair.second})
      for (std::size_t length = 1; length <= phrase.size(); ++length)
        prefixes.insert(Words(phrase.begin(), phrase.begin() + static_cast<std::ptrdiff_t>(length)));
  std::map<Words, std::int32_t> nodes{{{}, 0}};
  for (const Words& phrase : prefixes) {
    table.edges.push_back(nodes.at(Words(phrase.begin(), phrase.end() - 1)) * words + phrase.back());
    nodes[phrase] = static_cast<std::int32_t>(table.phrases.size());
    table.phrases.push_back(phrase);
  }
  for (const Words& phrase : table.phrases) {
    for (const auto& pair : pairs)
      if (pair.first == phrase) table.other.push_back(nodes.at(pair.second));
    table.first.push_back(static_cast<std::int32_t>(table.other.size()));
  }
  return table;
}

bool occurs_at(const Words& sentence, std::size_t at, const Words& phrase) {
  return at + phrase.size() <= sentence.size() &&
         std::equal(phrase.begin(), phrase.end(), sentence.begin() + static_cast<std::ptrdiff_t>(at));
}

std::vector<Paraphrase> plain_paraphrases(const Table& table, const Words& hyp, const Words& ref) {
  std::vector<Paraphrase> found;
  for (std::size_t node = 0; node < table.phrases.size(); ++node)
    for (std::int32_t pair = table.first[node]; pair < table.first[node + 1]; ++pair) {
      const Words &one = table.phrases[node], &two = table.phrases[table.other[pair]];
      const auto scan = [&](const Words& a, const Words& b) {
        for (std::size_t h = 0; h < hyp.size(); ++h)
          for (std::size_t r = 0; r < ref.size(); ++r)
            if (occurs_at(hyp, h, a) && occurs_at(ref, r, b))
              found.push_back({static_cast<std::int32_t>(h), static_cast<std::int32_t>(a.size()),
                               static_cast<std::int32_t>(r), static_cast<std::int32_t>(b.size()), pair});
      };
      scan(one, two);
      scan(two, one);
    }
  std::sort(found.begin(), found.end());
  return found;
}

// A damaged index may have nonsense as its answer, but is read within its bounds.
void check_damaged(fuzz::Input& input, Table table, const Words& hyp, const Words& ref) {
  for (std::size_t k = 1 + input.size(3); k > 0; --k) {
    const auto how = input.byte();
    std::int32_t any = -1;
    if (how % 4 == 1) any = static_cast<std::int32_t>(table.other.size()) + how / 4 % 3;
    if (how % 4 == 2) any = how / 4;
    if (how % 4 == 3) any = static_cast<std::int32_t>(input.number(INT32_MIN, INT32_MAX));
    const auto kind = input.byte() % 3;
    const auto change = [&](auto& values) {
      if (!values.empty()) values[input.size(values.size() - 1)] = any;
    };
    if (kind == 0) change(table.edges);
    if (kind == 1) change(table.first);
    if (kind == 2) change(table.other);
  }
  const Stop stop{false};
  ParaphraseFinder finder(table.index());
  try {
    finder.run(hyp, ref, stop);
    require(std::is_sorted(finder.found.begin(), finder.found.end()), "paraphrases are sorted");
  } catch (const std::invalid_argument&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const auto mode = input.byte();
  const bool is_large = mode == 255 && input.byte() == 255;  // so many paraphrases that some are left out
  const std::int32_t words = is_large ? 1 : 1 + static_cast<std::int32_t>(input.size(4));
  const auto read_phrase = [&] { return input.numbers(1 + input.size(is_large ? 9 : 3), 0, words - 1); };
  std::vector<std::pair<Words, Words>> pairs;
  for (std::size_t k = input.size(is_large ? 20 : 8); k > 0; --k) {
    std::pair<Words, Words> pair{read_phrase(), read_phrase()};
    if (pair.first != pair.second) pairs.push_back(std::move(pair));
  }
  const Table table = make_table(words, pairs);
  const std::size_t n = input.size(is_large ? 120 : 12), m = input.size(is_large ? 120 : 12);
  // A word that is not in the table is -1.
  const Words hyp = input.numbers(n, is_large ? 0 : -1, words - 1),
              ref = input.numbers(m, is_large ? 0 : -1, words - 1);

  const auto expected = plain_paraphrases(table, hyp, ref);
  Stop stop{false};
  ParaphraseFinder finder(table.index());
  finder.run(hyp, ref, stop);
  require(std::is_sorted(finder.found.begin(), finder.found.end()), "paraphrases are sorted");
  if (finder.truncated)
    require(finder.found.size() < expected.size() &&
                std::includes(expected.begin(), expected.end(), finder.found.begin(), finder.found.end()),
            "if some are left out, the others are right");
  else
    require(finder.found == expected, "the paraphrases are those of a scan");
  const auto found = finder.found;
  fuzz::interrupts(stop, [&] { finder.run(ref, hyp, stop); });
  finder.run(hyp, ref, stop);
  require(finder.found == found, "the memory of the pair before does not matter");
  if (mode % 4 == 1) check_damaged(input, table, hyp, ref);
  return 0;
}
