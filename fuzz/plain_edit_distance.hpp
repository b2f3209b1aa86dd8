// The Levenshtein distance, cell by cell of the table of distances.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace plain {

inline std::int64_t edit_distance(const std::vector<std::int32_t>& s, const std::vector<std::int32_t>& t) {
  std::vector<std::int64_t> row(t.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < s.size(); ++i) {
    std::int64_t diagonal = row[0]++;
    for (std::size_t j = 0; j < t.size(); ++j) {
      const auto value = std::min({diagonal + (s[i] != t[j]), row[j] + 1, row[j + 1] + 1});
      diagonal = row[j + 1];
      row[j + 1] = value;
    }
  }
  return row.back();
}

}  // namespace plain
