#include "softorder/precedence.hpp"

#include <algorithm>
#include <atomic>
#include <string_view>

#include "bindings/batch.hpp"
#include "bindings/numbered_words.hpp"
#include "bindings/text/lines.hpp"
#include "softorder/own_precedence.hpp"

namespace hyperbaton::bindings {

namespace {

// The core keeps its threads, so that a cache lasts from one batch to the next.
PairCache& thread_cache() {
  static thread_local PairCache cache;
  return cache;
}

std::atomic<std::uint64_t> model_count{0};

// The arrays of a table, which are kept as long as the model. The offsets are a copy, because they are
// indices. The others may be large; the core checks what it reads from them.
struct TableArrays {
  std::vector<std::int64_t> offsets;
  Array<std::int32_t> followers;
  Array<std::uint32_t> counts;

  PairTable table() const { return {offsets, view(followers), view(counts)}; }
};

// A model with a number of its own, by which caches know it.
struct NumberedModel {
  TableArrays next, after_next;
  PrecedenceModel model;
  std::uint64_t number = ++model_count;

  void check_items(std::span<const std::int32_t> items) const {
    const std::size_t count = model.word_count() + model.class_count();
    for (const std::int32_t item : items)
      if (item < 0 || static_cast<std::size_t>(item) >= count)
        throw std::invalid_argument("item " + std::to_string(item) + " is not known");
  }
};

// The numbers of the distinct ones among some lines, in any order.
std::vector<std::size_t> distinct_lines(std::span<const std::string_view> lines, std::size_t begin,
                                        std::size_t end) {
  std::vector<std::size_t> found(end - begin);
  for (std::size_t k = begin; k < end; ++k) found[k - begin] = k;
  if (found.size() < 2) return found;
  std::sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) { return lines[a] < lines[b]; });
  const auto same = [&](std::size_t a, std::size_t b) { return lines[a] == lines[b]; };
  found.erase(std::unique(found.begin(), found.end(), same), found.end());
  return found;
}

}  // namespace

void bind_precedence(nb::module_& m) {
  m.def(
      "own_precedence",
      [](const Lines& lines, const Array<std::int64_t>& starts, const Array<std::int32_t>& hyps,
         const Array<std::int64_t>& hyp_offsets, const Array<std::int32_t>& refs,
         const Array<std::int64_t>& ref_offsets, const Array<std::int32_t>& characters,
         const Array<std::int64_t>& character_offsets, const Array<std::int32_t>& classes, int threads) {
        const auto from = copied_ragged(hyps, hyp_offsets), to = copied_ragged(refs, ref_offsets);
        check_same_size(from.size(), to.size());
        check_same_size(lines.views.size(), to.size());
        const auto segments = checked_word_offsets(to.size(), starts);
        const auto bounds = checked_word_offsets(characters.size(), character_offsets);
        check_same_size(classes.size(), bounds.size() - 1);
        check_words(from.values, classes.size());
        check_words(to.values, classes.size());
        const WordForms forms{view(characters), bounds, view(classes)};
        std::vector<double> out(to.size());
        const std::size_t cost = 300 * (from.values.size() + to.values.size());
        run(segments.size() - 1, cost, threads, [&](const Stop&) {
          return [&, precedence = OwnPrecedence(forms),
                  references = std::vector<OwnPrecedence::Sentence>()](std::size_t segment) mutable {
            const auto begin = static_cast<std::size_t>(segments[segment]);
            const auto end = static_cast<std::size_t>(segments[segment + 1]);
            if (begin == end) return;
            references.clear();
            for (const std::size_t k : distinct_lines(lines.views, begin, end)) references.push_back(to[k]);
            precedence.set_segment(from[begin], references);
            for (std::size_t k = begin; k < end; ++k) out[k] = precedence(to[k]);
          };
        });
        return to_numpy(std::move(out));
      },
      nb::arg("lines"), nb::arg("starts").noconvert(), nb::arg("hyps").noconvert(),
      nb::arg("hyp_offsets").noconvert(), nb::arg("refs").noconvert(), nb::arg("ref_offsets").noconvert(),
      nb::arg("characters").noconvert(), nb::arg("character_offsets").noconvert(),
      nb::arg("classes").noconvert(), nb::arg("threads"),
      "How far neighbours of each pair stand the right way round, counted in the references of its segment, "
      "which begin at `starts`. All pairs of a segment have the same hypothesis.");
  nb::class_<NumberedModel>(m, "PrecedenceModel")
      .def(
          "__init__",
          [](NumberedModel* self, const Array<std::int64_t>& word_counts,
             const Array<std::int64_t>& next_offsets, const Array<std::int32_t>& next_followers,
             const Array<std::uint32_t>& next_counts, const Array<std::int64_t>& after_offsets,
             const Array<std::int32_t>& after_followers, const Array<std::uint32_t>& after_counts,
             const Array<std::int32_t>& classes, std::size_t class_count) {
            check_count(class_count);
            TableArrays next{copied(next_offsets), next_followers, next_counts};
            TableArrays after_next{copied(after_offsets), after_followers, after_counts};
            PrecedenceModel model(copied(word_counts), next.table(), after_next.table(), copied(classes),
                                  class_count);
            // Vectors that are moved keep their memory, to which the tables of the model refer.
            new (self) NumberedModel{std::move(next), std::move(after_next), std::move(model)};
          },
          nb::arg("word_counts").noconvert(), nb::arg("next_offsets").noconvert(),
          nb::arg("next_followers").noconvert(), nb::arg("next_counts").noconvert(),
          nb::arg("after_offsets").noconvert(), nb::arg("after_followers").noconvert(),
          nb::arg("after_counts").noconvert(), nb::arg("classes").noconvert(), nb::arg("class_count"))
      .def(
          "values",
          [](const NumberedModel& self, const Array<std::int32_t>& hyps,
             const Array<std::int64_t>& hyp_offsets, const Array<std::int32_t>& refs,
             const Array<std::int64_t>& ref_offsets, const Array<std::int32_t>& items, int threads) {
            const auto from = copied_ragged(hyps, hyp_offsets);
            const auto to = ragged(refs, ref_offsets);  // is only compared with the hypotheses
            check_same_size(from.size(), to.size());
            check_words(from.values, items.size());
            const auto item_of = copied(items);
            self.check_items(item_of);
            std::vector<double> out(from.size());
            const std::size_t cost = 100 * from.values.size();
            run(from.size(), cost, threads, [&](const Stop&) {
              return [&, precedence = Precedence(self.model, self.number, item_of, thread_cache())](
                         std::size_t k) mutable { out[k] = precedence(from[k], to[k]); };
            });
            return to_numpy(std::move(out));
          },
          nb::arg("hyps").noconvert(), nb::arg("hyp_offsets").noconvert(), nb::arg("refs").noconvert(),
          nb::arg("ref_offsets").noconvert(), nb::arg("items").noconvert(), nb::arg("threads"))
      .def(
          "losses",
          [](const NumberedModel& self, const Array<std::int32_t>& hyp, const Array<std::int32_t>& ref,
             const Array<std::int32_t>& items) {
            const auto from = copied(hyp), item_of = copied(items);
            check_words(from, items.size());
            self.check_items(item_of);
            Precedence precedence(self.model, self.number, item_of, thread_cache());
            return to_numpy(std::vector<double>(precedence.losses(from, view(ref))));
          },
          nb::arg("hyp").noconvert(), nb::arg("ref").noconvert(), nb::arg("items").noconvert());
}

}  // namespace hyperbaton::bindings
