// Fuzz target: exact sums against integers of any size, samples and their sums against plain loops, and
// random numbers against their definition.
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "input.hpp"
#include "support/exact_sum.hpp"
#include "support/resampling.hpp"
#include "support/split_mix.hpp"

using namespace hyperbaton;
using fuzz::Input;
using fuzz::require;

namespace {

// A sum of doubles without rounding: a multiple of 2^-1074 in digits of 32 bits.
class BigSum {
 public:
  void add(double x) {
    int exponent = 0;
    const double fraction = std::frexp(x, &exponent);
    auto mantissa = static_cast<std::int64_t>(std::ldexp(fraction, 53));  // x = mantissa · 2^(exponent - 53)
    int shift = exponent - 53 + 1074;
    for (; shift < 0; ++shift) mantissa /= 2;  // exact: the lowest bits of a subnormal number are 0
    const bool negative = mantissa < 0;
    const auto size = static_cast<std::uint64_t>(negative ? -mantissa : mantissa);
    const int digit = shift / 32, rest = shift % 32;
    const std::uint64_t low = (size & 0xffffffff) << rest, high = (size >> 32) << rest;
    for (const auto& [at, part] : {std::pair{digit, low}, std::pair{digit + 1, high}}) {
      digits_[static_cast<std::size_t>(at)] += sign(negative, part & 0xffffffff);
      digits_[static_cast<std::size_t>(at) + 1] += sign(negative, part >> 32);
    }
  }

  bool is_zero() const {
    std::int64_t carry = 0;
    for (const std::int64_t digit : digits_) {
      carry += digit;
      if (carry & 0xffffffff) return false;
      carry >>= 32;
    }
    return carry == 0;
  }

 private:
  std::array<std::int64_t, 70> digits_{};
  static std::int64_t sign(bool negative, std::uint64_t part) {
    return negative ? -static_cast<std::int64_t>(part) : static_cast<std::int64_t>(part);
  }
};

double read_double(Input& input, int kind) {
  if (kind == 0) return static_cast<double>(input.number(-1000, 1000)) / 8;
  if (kind == 1) return static_cast<double>(input.number(0, 1 << 20)) / 1000003;  // scores of a similar size
  const auto mantissa = static_cast<double>(input.number(-(INT64_C(1) << 53), INT64_C(1) << 53));
  if (kind == 2) return std::ldexp(mantissa, static_cast<int>(input.number(-1127, 900)));
  return std::bit_cast<double>(input.number(INT64_MIN, INT64_MAX));
}

void check_sums(const std::vector<double>& numbers) {
  double size = 0;
  bool finite = true;
  for (const double x : numbers) {
    size += std::fabs(x);
    finite = finite && std::isfinite(x);
  }
  for (const auto& partials : {grow_expansion(numbers), exact_partials(numbers)}) {
    BigSum difference;
    bool whole = true;
    for (const double x : partials) whole = whole && std::isfinite(x);
    if (!whole) {
      require(!std::isfinite(size), "only a sum that overflows is not finite");
      require(!std::isfinite(partials.back()), "the last number says that the sum overflows");
      continue;
    }
    require(finite, "a sum with an infinite number is not finite");
    for (const double x : numbers) difference.add(x);
    for (const double x : partials) difference.add(-x);
    require(difference.is_zero(), "the sum is exact");
  }
}

// SplitMix64 as Steele, Lea & Flood 2014 write it.
std::uint64_t mix(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::vector<std::int32_t> check_draws(std::uint64_t seed, std::uint64_t sample, std::size_t length) {
  std::uint64_t start = seed;
  start = mix(start) ^ (sample * 0xd1342543de82ef95);
  start = mix(start);
  std::vector<std::int32_t> counts(length, 7), coins(length, 7), expected(length, 0);

  std::uint64_t state = start;
  for (std::size_t drawn = 0; drawn < length;) {
    const std::uint64_t product = (mix(state) >> 32) * length;  // of [0, 2^32) and the length
    if (product % (UINT64_C(1) << 32) < (UINT64_C(1) << 32) % length)
      continue;  // would make some rows likelier
    ++expected[product >> 32];
    ++drawn;
  }
  draw_with_replacement(seed, sample, counts);
  require(counts == expected, "rows are drawn with replacement");

  state = start;
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < length; ++i) {
    if (i % 64 == 0) bits = mix(state);
    expected[i] = static_cast<std::int32_t>(bits >> (i % 64) & 1);
  }
  draw_coins(seed, sample, coins);
  require(coins == expected, "coins are the bits of random numbers");
  return counts;
}

template <std::size_t Samples>
void check_weighted_sums(const std::vector<std::int32_t>& counts, const std::vector<double>& rows,
                         std::size_t length, std::size_t columns) {
  std::vector<double> sums(Samples * columns, -1);
  weighted_sums<Samples>(std::span(counts).first(Samples * length), rows, length, sums);
  for (std::size_t s = 0; s < Samples; ++s) {
    for (std::size_t c = 0; c < columns; ++c) {
      double sum = 0;
      for (std::size_t i = 0; i < length; ++i) sum += counts[s * length + i] * rows[i * columns + c];
      const double ours = sums[s * columns + c];
      require(ours == sum || (std::isnan(ours) && std::isnan(sum)), "sums are those of the plain loop");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const int units = static_cast<int>(widest_vector_unit()) + 1;
  vector_unit() = static_cast<VectorUnit>(input.byte() % units);
  const int kind = static_cast<int>(input.number(0, 3));
  const std::size_t count = input.size(40);
  std::vector<double> numbers;
  for (std::size_t k = 0; k < count; ++k) numbers.push_back(read_double(input, kind));
  if (input.flag())  // what cancels out
    for (std::size_t k = 0; k < count; ++k) numbers.push_back(-numbers[input.size(count - 1)]);
  check_sums(numbers);

  const auto seed = static_cast<std::uint64_t>(input.number(INT64_MIN, INT64_MAX));
  const auto sample = static_cast<std::uint64_t>(input.number(INT64_MIN, INT64_MAX));
  const std::size_t length = 1 + input.size(150);
  std::vector<std::int32_t> counts;
  for (std::uint64_t s = 0; s < samples_together; ++s)
    for (const std::int32_t drawn : check_draws(seed, sample + s, length)) counts.push_back(drawn);
  for (auto& drawn : counts)
    if (input.left() > 0) drawn = static_cast<std::int32_t>(input.number(-1, 3));
  const std::size_t columns = input.size(6);
  std::vector<double> rows;
  for (std::size_t k = 0; k < length * columns; ++k) {
    const double value = read_double(input, kind);
    rows.push_back(std::isfinite(value) ? value : 0);
  }
  check_weighted_sums<1>(counts, rows, length, columns);
  check_weighted_sums<samples_together>(counts, rows, length, columns);

  std::uint64_t state = seed;
  SplitMix64 random(seed), fractions(seed);
  for (int k = 0; k < 4; ++k) {
    const std::uint64_t bits = mix(state);
    require(random.bits() == bits, "random bits are SplitMix64's");
    const double fraction = fractions.fraction();
    require(fraction >= 0 && fraction < 1 && std::ldexp(fraction, 53) == static_cast<double>(bits >> 11),
            "a fraction has the highest 53 bits");
  }
  return 0;
}
