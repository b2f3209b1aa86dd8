#include "alignment/alignment_search.hpp"

#include "alignment/anchored_links.hpp"
#include "alignment/word_matcher.hpp"
#include "bindings/batch.hpp"
#include "bindings/numbered_words.hpp"

namespace hyperbaton::bindings {

namespace {

constexpr std::int64_t largest_weight = 1'000'000;  // sums of weights must fit 64 bits
constexpr std::size_t columns = 5;                  // of a link: h, h_length, r, r_length, matcher

void check_words(const Ragged<std::int32_t>& batch, std::size_t size) {
  for (const std::int32_t word : batch.values)
    if (word < 0 || static_cast<std::size_t>(word) >= size)
      throw std::invalid_argument("a word is not in the vocabulary");
}

void check_offsets(std::span<const std::int64_t> offsets, std::size_t size) {
  if (offsets.empty()) return;
  if (offsets.front() != 0 || offsets.back() != static_cast<std::int64_t>(size) ||
      !std::is_sorted(offsets.begin(), offsets.end()))
    throw std::invalid_argument("synset_offsets must ascend from 0 to the number of synsets");
}

}  // namespace

void bind_alignment_search(nb::module_& m) {
  m.def(
      "align",
      [](const Array<std::int32_t>& hyps, const Array<std::int64_t>& hyp_offsets,
         const Array<std::int32_t>& refs, const Array<std::int64_t>& ref_offsets, std::size_t words,
         bool exact, const Array<std::int32_t>& stems, const Array<std::int32_t>& synsets,
         const Array<std::int64_t>& synset_offsets, const Array<std::int32_t>& phrases,
         const Array<std::int64_t>& phrase_offsets, const Array<std::int64_t>& weights, std::uint64_t budget,
         bool anchored, int threads) {
        const auto hypotheses = copied_ragged(hyps, hyp_offsets),
                   references = copied_ragged(refs, ref_offsets);
        const std::size_t count = hypotheses.size();
        check_same_size(count, references.size());
        if (phrase_offsets.size() != count + 1)
          throw std::invalid_argument("phrase_offsets must have one more item than there are pairs");
        check_count(words);
        check_words(hypotheses, words);
        check_words(references, words);
        if ((stems.size() != 0 && stems.size() != words) ||
            (synset_offsets.size() != 0 && synset_offsets.size() != words + 1) ||
            weights.size() != matcher_count)
          throw std::invalid_argument("the sizes of stems, synset_offsets or weights are wrong");
        const auto stem_of = copied(stems);
        for (const std::int32_t stem : stem_of)
          if (stem < 0 || static_cast<std::size_t>(stem) >= words)
            throw std::invalid_argument("a stem is not in the vocabulary");
        // Synsets are only compared with each other, so a view of them suffices.
        const auto synset_bounds = copied(synset_offsets);
        check_offsets(synset_bounds, synsets.size());
        const auto weight_of = copied(weights);
        for (const std::int64_t weight : weight_of)
          if (weight < 1 || weight > largest_weight) throw std::invalid_argument("a weight is out of range");
        if (phrases.size() % columns != 0) throw std::invalid_argument("a phrase must be five numbers");
        std::vector<Link> phrase_links(phrases.size() / columns);
        for (std::size_t k = 0; k < phrase_links.size(); ++k) {
          const std::int32_t* const row = view(phrases).data() + k * columns;
          phrase_links[k] = {row[0], row[1], row[2], row[3], row[4]};
        }
        const auto bounds = copied(phrase_offsets);
        for (std::size_t k = 0; k < count; ++k) {
          if (bounds[k] < 0 || bounds[k] > bounds[k + 1] ||
              static_cast<std::size_t>(bounds[k + 1]) > phrase_links.size())
            throw std::invalid_argument("phrase_offsets must ascend");
          const auto n = static_cast<std::int64_t>(hypotheses[k].size());
          const auto m = static_cast<std::int64_t>(references[k].size());
          for (std::int64_t p = bounds[k]; p < bounds[k + 1]; ++p) {
            const Link& link = phrase_links[p];
            if (link.h < 0 || link.r < 0 || link.h_length < 1 || link.r_length < 1 ||
                std::int64_t{link.h} + link.h_length > n || std::int64_t{link.r} + link.r_length > m ||
                link.matcher < 0 || link.matcher >= matcher_count ||
                (p > bounds[k] && phrase_links[p - 1].h > link.h))
              throw std::invalid_argument("a phrase is outside its sentence, or out of order");
          }
        }
        const Vocabulary vocabulary(words, exact, stem_of, view(synsets), synset_bounds);
        std::vector<std::vector<Link>> links(count);
        std::vector<std::uint8_t> proven(count);
        run(count, 100 * (hyps.size() + refs.size()), threads, [&](const Stop& stop) {
          return [&, matcher = std::make_shared<WordMatcher>(vocabulary),
                  search = std::make_shared<AlignmentSearch>(weight_of, budget, stop),
                  anchors = std::make_shared<AnchoredLinks>(vocabulary)](std::size_t k) {
            matcher->run(hypotheses[k], references[k],
                         std::span(phrase_links).subspan(bounds[k], bounds[k + 1] - bounds[k]));
            search->run(matcher->links);
            if (anchored) anchors->filter(hypotheses[k], references[k], search->links);
            links[k] = search->links;
            proven[k] = search->exact;
          };
        });
        std::vector<std::int64_t> offsets(count + 1, 0);
        for (std::size_t k = 0; k < count; ++k)
          offsets[k + 1] = offsets[k] + static_cast<std::int64_t>(links[k].size());
        std::vector<std::int32_t> flat(static_cast<std::size_t>(offsets.back()) * columns);
        run(count, flat.size() / 10, threads, [&](const Stop&) {
          return [&](std::size_t k) {
            std::int32_t* row = flat.data() + static_cast<std::size_t>(offsets[k]) * columns;
            for (const Link& link : links[k]) {
              row[0] = link.h, row[1] = link.h_length, row[2] = link.r, row[3] = link.r_length;
              row[4] = link.matcher;
              row += columns;
            }
          };
        });
        return to_tuple(std::move(flat), std::move(offsets), std::move(proven));
      },
      nb::arg("hyps").noconvert(), nb::arg("hyp_offsets").noconvert(), nb::arg("refs").noconvert(),
      nb::arg("ref_offsets").noconvert(), nb::arg("words"), nb::arg("exact"), nb::arg("stems").noconvert(),
      nb::arg("synsets").noconvert(), nb::arg("synset_offsets").noconvert(), nb::arg("phrases").noconvert(),
      nb::arg("phrase_offsets").noconvert(), nb::arg("weights").noconvert(), nb::arg("budget"),
      nb::arg("anchored"), nb::arg("threads"),
      "The best selection of links for each pair (5 numbers per link), the offsets of each pair, and\n"
      "whether the selection is proven to be the best. With anchored, links of repeated words that are\n"
      "far from those of words that occur once are then dropped.");
}

}  // namespace hyperbaton::bindings
