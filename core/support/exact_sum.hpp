// The exact sum of floating-point numbers.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace hyperbaton {

// Returns a few numbers with the same exact sum (Shewchuk 1997, grow-expansion). If the sum overflows, the
// last of them is not finite.
inline std::vector<double> grow_expansion(std::span<const double> numbers) {
  std::vector<double> partials;
  for (double x : numbers) {
    std::size_t kept = 0;
    for (double y : partials) {
      if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
      const double sum = x + y;
      const double error = y - (sum - x);
      if (error != 0) partials[kept++] = error;
      x = sum;
    }
    partials.resize(kept);
    partials.push_back(x);
  }
  return partials;
}

// Adds x to the sum and returns the rounding error, which is exact (Knuth).
inline double add_exactly(double& sum, double x) {
  const double before = sum;
  sum += x;
  const double added = sum - before;
  return (before - (sum - added)) + (x - added);
}

// The same for many numbers of similar size, several times as fast: rounding errors are added up once more.
// If there is an error of errors of errors, or an overflow, it falls back to the general way.
inline std::vector<double> exact_partials(std::span<const double> numbers) {
  constexpr std::size_t lanes = 4;  // independent sums, so that one does not wait for the other
  double sums[lanes] = {}, errors[lanes] = {}, errors_of_errors[lanes] = {};
  double lost = 0;
  const auto add = [&](std::size_t lane, double x) {
    const double error = add_exactly(errors[lane], add_exactly(sums[lane], x));
    lost += std::fabs(add_exactly(errors_of_errors[lane], error));
  };
  std::size_t k = 0;
  for (; k + lanes <= numbers.size(); k += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) add(lane, numbers[k + lane]);
  for (; k < numbers.size(); ++k) add(0, numbers[k]);
  if (lost != 0) return grow_expansion(numbers);  // also if it is not a number
  std::vector<double> partials;
  for (std::size_t lane = 0; lane < lanes; ++lane)
    for (const double part : {sums[lane], errors[lane], errors_of_errors[lane]})
      if (part != 0) partials.push_back(part);
  return partials;
}

}  // namespace hyperbaton
