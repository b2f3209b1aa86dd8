#include "alignment/link_order.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "bindings/batch.hpp"
#include "support/errors.hpp"

namespace hyperbaton::bindings {

namespace {

constexpr std::int64_t longest = 1 << 27;  // of sentences, in words: a gigabyte of positions
constexpr std::size_t columns = 5;         // of a link: h, h_length, r, r_length, matcher
static_assert(sizeof(Link) == columns * sizeof(std::int32_t));

// The links of many pairs.
class LinkBatch {
 public:
  LinkBatch(const Array<std::int32_t>& rows, const Array<std::int64_t>& offsets,
            const Array<std::int64_t>& hyp_lengths, const Array<std::int64_t>& ref_lengths)
      : rows_(view(rows)),
        offsets_(copied(offsets)),
        hyp_lengths_(copied(hyp_lengths)),
        ref_lengths_(copied(ref_lengths)) {
    if (rows_.size() % columns != 0) throw std::invalid_argument("a link must be five numbers");
    if (offsets_.empty() || offsets_.front() != 0 ||
        offsets_.back() != static_cast<std::int64_t>(rows_.size() / columns) ||
        !std::is_sorted(offsets_.begin(), offsets_.end()))
      throw std::invalid_argument("the offsets of links must ascend from 0 to their number");
    check_same_size(size(), hyp_lengths_.size());
    check_same_size(size(), ref_lengths_.size());
    for (const auto* lengths : {&hyp_lengths_, &ref_lengths_})
      for (const std::int64_t length : *lengths) {
        if (length < 0) throw std::invalid_argument("a length must not be negative");
        if (length > longest)
          throw InputError("a sentence of " + std::to_string(length) + " words is too long for links");
      }
  }

  std::size_t size() const { return offsets_.size() - 1; }
  std::size_t cost() const { return 4 * rows_.size() + size(); }
  std::int64_t hyp_length(std::size_t k) const { return hyp_lengths_[k]; }
  std::int64_t ref_length(std::size_t k) const { return ref_lengths_[k]; }

  // Copies the links of a pair, and checks them, because rows may come from a caller.
  void read(std::size_t k, std::vector<Link>& links) const {
    links.resize(static_cast<std::size_t>(offsets_[k + 1] - offsets_[k]));
    const auto rows = rows_.subspan(columns * static_cast<std::size_t>(offsets_[k]), columns * links.size());
    if (!links.empty()) std::memcpy(links.data(), rows.data(), rows.size_bytes());
    for (const Link& link : links)
      if (link.h < 0 || link.r < 0 || link.h_length < 1 || link.r_length < 1 ||
          std::int64_t{link.h} + link.h_length > hyp_lengths_[k] ||
          std::int64_t{link.r} + link.r_length > ref_lengths_[k])
        throw std::invalid_argument("a link is outside its sentences");
  }

 private:
  std::span<const std::int32_t> rows_;
  std::vector<std::int64_t> offsets_, hyp_lengths_, ref_lengths_;
};

// Calls work(order, links, k) for each pair; `order` belongs to the thread.
template <class Work>
void for_each_pair(const LinkBatch& batch, int threads, Work work) {
  struct Scratch {
    LinkOrder order;
    std::vector<Link> links;
  };
  run(batch.size(), batch.cost(), threads, [&](const Stop&) {
    return [&, scratch = std::make_shared<Scratch>()](std::size_t k) {
      batch.read(k, scratch->links);
      work(scratch->order, std::span<const Link>(scratch->links), k);
    };
  });
}

// The place of each pair's values in arrays. At first a pair has room for as many values as its reference has
// words.
class Room {
 public:
  explicit Room(const LinkBatch& batch) : used_(batch.size() + 1, 0) {
    offsets_.reserve(batch.size() + 1);
    for (std::size_t k = 0; k < batch.size(); ++k)
      offsets_.push_back(offsets_.back() + static_cast<std::size_t>(batch.ref_length(k)));
  }

  std::size_t size() const { return offsets_.back(); }
  std::span<std::int64_t> part(std::vector<std::int64_t>& values, std::size_t k) const {
    return std::span(values).subspan(offsets_[k], offsets_[k + 1] - offsets_[k]);
  }
  void use(std::size_t k, std::size_t count) { used_[k + 1] = static_cast<std::int64_t>(count); }

  // Removes the unused room.
  void shrink(std::vector<std::int64_t>& values) const {
    auto end = values.begin();
    for (std::size_t k = 0; k + 1 < offsets_.size(); ++k)
      end = std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(offsets_[k]), used_[k + 1], end);
    values.erase(end, values.end());
  }

  // The offsets of the pairs in arrays that have shrunk.
  std::vector<std::int64_t> shrunk_offsets() && {
    std::partial_sum(used_.begin(), used_.end(), used_.begin());
    return std::move(used_);
  }

 private:
  std::vector<std::size_t> offsets_{0};
  std::vector<std::int64_t> used_;
};

}  // namespace

void bind_link_order(nb::module_& m) {
  m.def(
      "link_counts",
      [](const Array<std::int32_t>& rows, const Array<std::int64_t>& offsets,
         const Array<std::int64_t>& hyp_lengths, const Array<std::int64_t>& ref_lengths, int threads) {
        const LinkBatch batch(rows, offsets, hyp_lengths, ref_lengths);
        std::vector<std::int64_t> chunks(batch.size()), boundaries(batch.size()), hyp(batch.size()),
            ref(batch.size());
        for_each_pair(batch, threads, [&](LinkOrder& order, std::span<const Link> links, std::size_t k) {
          const LinkSummary counts = order.count(links, batch.hyp_length(k), batch.ref_length(k));
          chunks[k] = counts.chunks;
          boundaries[k] = counts.boundaries;
          hyp[k] = counts.hyp_covered;
          ref[k] = counts.ref_covered;
        });
        return to_tuple(std::move(chunks), std::move(boundaries), std::move(hyp), std::move(ref));
      },
      nb::arg("rows").noconvert(), nb::arg("offsets").noconvert(), nb::arg("hyp_lengths").noconvert(),
      nb::arg("ref_lengths").noconvert(), nb::arg("threads"),
      "The chunks, linked boundaries, and covered words of both sides, of each pair.");

  m.def(
      "link_places",
      [](const Array<std::int32_t>& rows, const Array<std::int64_t>& offsets,
         const Array<std::int64_t>& hyp_lengths, const Array<std::int64_t>& ref_lengths, int threads) {
        const LinkBatch batch(rows, offsets, hyp_lengths, ref_lengths);
        Room room(batch);
        std::vector<std::int64_t> hyp(room.size()), ref(room.size());
        for_each_pair(batch, threads, [&](LinkOrder& order, std::span<const Link> links, std::size_t k) {
          room.use(k, order.places(links, room.part(hyp, k), room.part(ref, k)));
        });
        room.shrink(hyp);
        room.shrink(ref);
        return to_tuple(std::move(hyp), std::move(ref), std::move(room).shrunk_offsets());
      },
      nb::arg("rows").noconvert(), nb::arg("offsets").noconvert(), nb::arg("hyp_lengths").noconvert(),
      nb::arg("ref_lengths").noconvert(), nb::arg("threads"),
      "The words of both sides at each place, and offsets.");

  m.def(
      "link_permutations",
      [](const Array<std::int32_t>& rows, const Array<std::int64_t>& offsets,
         const Array<std::int64_t>& hyp_lengths, const Array<std::int64_t>& ref_lengths, int unaligned,
         int threads) {
        const LinkBatch batch(rows, offsets, hyp_lengths, ref_lengths);
        const auto choice = static_cast<Unaligned>(unaligned);
        Room room(batch);
        std::vector<std::int64_t> values(room.size());
        for_each_pair(batch, threads, [&](LinkOrder& order, std::span<const Link> links, std::size_t k) {
          room.use(k, order.permutation(links, choice, room.part(values, k)));
        });
        room.shrink(values);
        return to_tuple(std::move(values), std::move(room).shrunk_offsets());
      },
      nb::arg("rows").noconvert(), nb::arg("offsets").noconvert(), nb::arg("hyp_lengths").noconvert(),
      nb::arg("ref_lengths").noconvert(), nb::arg("unaligned"), nb::arg("threads"),
      "The permutations and their offsets. `unaligned` is 0 (drop), 1 (left) or 2 (right).");
}

}  // namespace hyperbaton::bindings
