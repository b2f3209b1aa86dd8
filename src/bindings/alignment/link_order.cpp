#include "alignment/link_order.hpp"

#include "bindings/batch.hpp"

namespace hyperbaton::bindings {

namespace {

constexpr std::size_t columns = 5;  // of a link: h, h_length, r, r_length, matcher
static_assert(sizeof(Link) == columns * sizeof(std::int32_t));

// The links of many pairs. Links are checked, because rows may come from a caller.
class LinkBatch {
 public:
  LinkBatch(const Array<std::int32_t>& rows, const Array<std::int64_t>& offsets,
            const Array<std::int64_t>& hyp_lengths, const Array<std::int64_t>& ref_lengths)
      : hyp_lengths_(view(hyp_lengths)), ref_lengths_(view(ref_lengths)) {
    if (rows.size() % columns != 0) throw std::invalid_argument("a link must be five numbers");
    links_.resize(rows.size() / columns);
    for (std::size_t k = 0; k < links_.size(); ++k) {
      const std::int32_t* const row = rows.data() + columns * k;
      links_[k] = {row[0], row[1], row[2], row[3], row[4]};
    }
    const auto bounds = view(offsets);
    offsets_.assign(bounds.begin(), bounds.end());
    if (offsets_.empty() || offsets_.front() != 0 ||
        offsets_.back() != static_cast<std::int64_t>(links_.size()) ||
        !std::is_sorted(offsets_.begin(), offsets_.end()))
      throw std::invalid_argument("the offsets of links must ascend from 0 to their number");
    check_same_size(size(), hyp_lengths_.size());
    check_same_size(size(), ref_lengths_.size());
    for (std::size_t k = 0; k < size(); ++k)
      for (const Link& link : (*this)[k])
        if (link.h < 0 || link.r < 0 || link.h_length < 1 || link.r_length < 1 ||
            std::int64_t{link.h} + link.h_length > hyp_lengths_[k] ||
            std::int64_t{link.r} + link.r_length > ref_lengths_[k])
          throw std::invalid_argument("a link is outside its sentences");
  }

  std::size_t size() const { return offsets_.size() - 1; }
  std::size_t cost() const { return 20 * links_.size() + size(); }
  std::span<const Link> operator[](std::size_t k) const {
    return std::span(links_).subspan(static_cast<std::size_t>(offsets_[k]),
                                     static_cast<std::size_t>(offsets_[k + 1] - offsets_[k]));
  }
  std::int64_t hyp_length(std::size_t k) const { return hyp_lengths_[k]; }
  std::int64_t ref_length(std::size_t k) const { return ref_lengths_[k]; }

 private:
  std::vector<Link> links_;
  std::vector<std::int64_t> offsets_;
  std::span<const std::int64_t> hyp_lengths_, ref_lengths_;
};

// Calls work(order, k) for each pair; `order` belongs to the thread.
template <class Work>
void for_each_pair(const LinkBatch& links, int threads, Work work) {
  run(links.size(), links.cost(), threads, [&](const Stop&) {
    return [&, order = std::make_shared<LinkOrder>()](std::size_t k) { work(*order, k); };
  });
}

// The offset of each pair in an array with a place for each covered word of the reference or, if unaligned
// words are inserted, for each word of a reference with a covered one.
std::vector<std::int64_t> place_offsets(const LinkBatch& links, Unaligned unaligned, int threads) {
  std::vector<std::int64_t> offsets(links.size() + 1, 0);
  for_each_pair(links, threads, [&](LinkOrder& order, std::size_t k) {
    const std::int64_t covered = order.count_covered(links[k], links.ref_length(k));
    offsets[k + 1] = unaligned == Unaligned::drop || covered == 0 ? covered : links.ref_length(k);
  });
  for (std::size_t k = 0; k < links.size(); ++k) offsets[k + 1] += offsets[k];
  return offsets;
}

std::span<std::int64_t> part(std::vector<std::int64_t>& values, const std::vector<std::int64_t>& offsets,
                             std::size_t k) {
  return std::span(values).subspan(static_cast<std::size_t>(offsets[k]),
                                   static_cast<std::size_t>(offsets[k + 1] - offsets[k]));
}

}  // namespace

void bind_link_order(nb::module_& m) {
  // Returns, for each pair, its chunks, linked boundaries, and covered words of both sides.
  m.def(
      "link_counts",
      [](const Array<std::int32_t>& rows, const Array<std::int64_t>& offsets,
         const Array<std::int64_t>& hyp_lengths, const Array<std::int64_t>& ref_lengths, int threads) {
        const LinkBatch links(rows, offsets, hyp_lengths, ref_lengths);
        std::vector<std::int64_t> chunks(links.size()), boundaries(links.size()), hyp(links.size()),
            ref(links.size());
        for_each_pair(links, threads, [&](LinkOrder& order, std::size_t k) {
          const LinkCounts counts = order.count(links[k], links.hyp_length(k), links.ref_length(k));
          chunks[k] = counts.chunks;
          boundaries[k] = counts.boundaries;
          hyp[k] = counts.hyp_covered;
          ref[k] = counts.ref_covered;
        });
        return nb::make_tuple(to_numpy(std::move(chunks)), to_numpy(std::move(boundaries)),
                              to_numpy(std::move(hyp)), to_numpy(std::move(ref)));
      },
      nb::arg("rows").noconvert(), nb::arg("offsets").noconvert(), nb::arg("hyp_lengths").noconvert(),
      nb::arg("ref_lengths").noconvert(), nb::arg("threads"));

  // Returns the words of both sides at each place, and offsets.
  m.def(
      "link_places",
      [](const Array<std::int32_t>& rows, const Array<std::int64_t>& offsets,
         const Array<std::int64_t>& hyp_lengths, const Array<std::int64_t>& ref_lengths, int threads) {
        const LinkBatch links(rows, offsets, hyp_lengths, ref_lengths);
        auto places = place_offsets(links, Unaligned::drop, threads);
        std::vector<std::int64_t> hyp(static_cast<std::size_t>(places.back())), ref(hyp.size());
        for_each_pair(links, threads, [&](LinkOrder& order, std::size_t k) {
          order.places(links[k], links.ref_length(k), part(hyp, places, k), part(ref, places, k));
        });
        return nb::make_tuple(to_numpy(std::move(hyp)), to_numpy(std::move(ref)),
                              to_numpy(std::move(places)));
      },
      nb::arg("rows").noconvert(), nb::arg("offsets").noconvert(), nb::arg("hyp_lengths").noconvert(),
      nb::arg("ref_lengths").noconvert(), nb::arg("threads"));

  // `unaligned` is 0 (drop), 1 (left) or 2 (right). Returns the permutations and their offsets.
  m.def(
      "link_permutations",
      [](const Array<std::int32_t>& rows, const Array<std::int64_t>& offsets,
         const Array<std::int64_t>& hyp_lengths, const Array<std::int64_t>& ref_lengths, int unaligned,
         int threads) {
        const LinkBatch links(rows, offsets, hyp_lengths, ref_lengths);
        const auto choice = static_cast<Unaligned>(unaligned);
        auto places = place_offsets(links, choice, threads);
        std::vector<std::int64_t> values(static_cast<std::size_t>(places.back()));
        for_each_pair(links, threads, [&](LinkOrder& order, std::size_t k) {
          order.permutation(links[k], links.ref_length(k), choice, part(values, places, k));
        });
        return nb::make_tuple(to_numpy(std::move(values)), to_numpy(std::move(places)));
      },
      nb::arg("rows").noconvert(), nb::arg("offsets").noconvert(), nb::arg("hyp_lengths").noconvert(),
      nb::arg("ref_lengths").noconvert(), nb::arg("unaligned"), nb::arg("threads"));
}

}  // namespace hyperbaton::bindings
