// Catalan numbers, Cat(k) = C(2k, k) / (k + 1): the number of binary trees with k + 1 leaves.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace hyperbaton {

// mantissa * 2^exponent, for numbers beyond the range of a double.
struct ScaledNumber {
  double mantissa;
  std::int64_t exponent;

  ScaledNumber& operator*=(const ScaledNumber& other) {
    int shift = 0;
    mantissa = std::frexp(mantissa * other.mantissa, &shift);
    exponent += other.exponent + shift;
    return *this;
  }
};

inline double ratio(const ScaledNumber& a, const ScaledNumber& b) {
  const std::int64_t exponent = a.exponent - b.exponent;
  if (exponent < -5000) return 0;
  return std::ldexp(a.mantissa / b.mantissa, static_cast<int>(exponent));
}

// x - 1, for an integer x >= 1. Above 2^100 the 1 is far below the last digit.
inline ScaledNumber minus_one(const ScaledNumber& x) {
  if (x.exponent > 100) return x;
  return {std::ldexp(x.mantissa, static_cast<int>(x.exponent)) - 1, 0};
}

// Exact up to Cat(30), and within two units in the last place above. The series is
//   C(2k, k) = 4^k / sqrt(pi N) * (1 - 1/(64 N^2) + 21/(8192 N^4) - 671/(2^19 N^6) + 180323/(2^27 N^8) - ..),
// with N = k + 1/4. Its next term is below 1e-18 where the series is used.
inline ScaledNumber catalan(std::int64_t k) {
  constexpr int exact = 35;  // the last Catalan number below 2^64
  static const std::array<double, exact + 1> table = [] {
    std::array<double, exact + 1> numbers{};
    std::uint64_t c = 1;
    for (std::uint64_t i = 0; i <= exact; ++i) {
      numbers[i] = static_cast<double>(c);
      // c * 2(2i + 1) / (i + 2) without overflow
      const std::uint64_t f = 2 * (2 * i + 1), d = i + 2;
      c = c / d * f + c % d * f / d;
    }
    return numbers;
  }();
  if (k <= exact) return {table[static_cast<std::size_t>(k)], 0};
  const double n = static_cast<double>(k) + 0.25;
  const double x = 1 / (n * n);
  const double series =
      1 - x * (1.0 / 64 - x * (21.0 / 8192 - x * (671.0 / 524288 - x * (180323.0 / 134217728))));
  return {series / std::sqrt(std::numbers::pi * n) / static_cast<double>(k + 1), 2 * k};
}

}  // namespace hyperbaton
