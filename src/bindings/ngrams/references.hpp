// Checks of references, several of which may belong to a segment.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "bindings/batch.hpp"

namespace hyperbaton::bindings {

// Returns a copy of the index of each segment's first reference; the last item is the number of references.
inline std::vector<std::int64_t> checked_starts(const Array<std::int64_t>& starts, std::size_t references) {
  auto checked = copied(starts);
  if (checked.empty() || checked.front() != 0 || checked.back() != static_cast<std::int64_t>(references))
    throw std::invalid_argument("the references of segments are invalid");
  for (std::size_t k = 1; k < checked.size(); ++k)
    if (checked[k] <= checked[k - 1]) throw std::invalid_argument("a segment has no reference");
  return checked;
}

// The items of a segment, among those of all references.
template <class Item>
std::span<const Item> of_segment(const std::vector<Item>& items, const std::vector<std::int64_t>& starts,
                                 std::size_t segment) {
  const auto begin = static_cast<std::size_t>(starts[segment]);
  return std::span(items).subspan(begin, static_cast<std::size_t>(starts[segment + 1]) - begin);
}

}  // namespace hyperbaton::bindings
