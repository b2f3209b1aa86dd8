// The order of words that is expected when links are uncertain.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace hyperbaton {

// Kendall's measure of order, C / (C + D), where C is the sum of q(i, j) q(i', j') over i < i' and j < j',
// and D that with j > j'. The probability of a link, q, is given row by row, that is source word by source
// word. A row whose sum is above 1 is scaled to 1, so that no word counts more than any other.
class ExpectedKendall {
 public:
  void add(std::span<const double> row) {
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    const double scale = sum > 1 ? 1 / sum : 1;
    above_.resize(std::max(above_.size(), row.size()));
    double before = 0, after = 0;  // what the rows above have on either side of a column
    for (std::size_t j = 0; j < row.size(); before += above_[j++]) concordant_ += scale * row[j] * before;
    for (std::size_t j = row.size(); j-- > 0; after += above_[j]) discordant_ += scale * row[j] * after;
    for (std::size_t j = 0; j < row.size(); ++j) above_[j] += scale * row[j];
    has_links_ = has_links_ || sum > 0;
  }

  // As for permutations: 0 without links, and 1 if no two of them have an order.
  double value() const {
    const double total = concordant_ + discordant_;
    return total > 0 ? concordant_ / total : has_links_;
  }

 private:
  std::vector<double> above_;  // the sum of each column so far
  double concordant_ = 0, discordant_ = 0;
  bool has_links_ = false;
};

}  // namespace hyperbaton
