// Random samples of the rows of a table: how often each row is drawn, and the sums of the drawn rows.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "support/vector_units.hpp"

namespace hyperbaton {

// SplitMix64 (Steele, Lea & Flood 2014), seeded with a seed and the number of a sample. A sample is
// therefore the same on every thread, and whichever other samples are drawn.
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t sample) : state_(seed) {
    state_ = next() ^ (sample * 0xd1342543de82ef95ULL);
    state_ = next();
  }

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  // A uniform integer below `limit`, which is less than 2³² (Lemire 2019).
  std::uint32_t below(std::uint32_t limit) {
    std::uint64_t product = (next() >> 32) * limit;
    if (static_cast<std::uint32_t>(product) < limit) {
      const std::uint32_t least = (0u - limit) % limit;
      while (static_cast<std::uint32_t>(product) < least) product = (next() >> 32) * limit;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

 private:
  std::uint64_t state_;
};

// Draws as many rows as there are, with replacement, and counts how often each row is drawn.
inline void draw_with_replacement(std::uint64_t seed, std::uint64_t sample, std::span<std::int32_t> counts) {
  std::fill(counts.begin(), counts.end(), 0);
  Random random(seed, sample);
  const auto limit = static_cast<std::uint32_t>(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) ++counts[random.below(limit)];
}

// Draws 0 or 1 for each row, each with probability 1/2.
inline void draw_coins(std::uint64_t seed, std::uint64_t sample, std::span<std::int32_t> counts) {
  Random random(seed, sample);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (i % 64 == 0) bits = random.next();
    counts[i] = static_cast<std::int32_t>(bits & 1);
    bits >>= 1;
  }
}

// The number of samples that are summed together, so that a row is read once for all of them.
inline constexpr std::size_t samples_together = 4;

// out[s][c] = Σ_i counts[s][i] · rows[i][c] for a few samples s. The rows are always added in this
// order, because rounding depends on the order and a sample must have the same sums on any number
// of threads and any vector unit. The rows are finite, so that a row that is not drawn adds 0.
template <std::size_t Samples>
HYPERBATON_INLINE void weighted_sums_loop(const std::int32_t* counts, const double* rows, std::size_t length,
                                          std::size_t columns, double* out) {
  std::fill(out, out + Samples * columns, 0.0);
  for (std::size_t i = 0; i < length; ++i) {
    std::array<double, Samples> weights;
    bool any = false;
    for (std::size_t s = 0; s < Samples; ++s) {
      weights[s] = counts[s * length + i];
      any = any || weights[s] != 0;
    }
    if (!any) continue;
    const double* row = rows + i * columns;
    for (std::size_t c = 0; c < columns; ++c) {
      const double value = row[c];
      for (std::size_t s = 0; s < Samples; ++s) out[s * columns + c] += weights[s] * value;
    }
  }
}

#ifdef HYPERBATON_VECTOR_UNITS
template <std::size_t Samples>
__attribute__((target("avx2"))) void weighted_sums_avx2(const std::int32_t* counts, const double* rows,
                                                        std::size_t length, std::size_t columns,
                                                        double* out) {
  weighted_sums_loop<Samples>(counts, rows, length, columns, out);
}
#endif

template <std::size_t Samples>
void weighted_sums(std::span<const std::int32_t> counts, std::span<const double> rows, std::size_t length,
                   std::span<double> out) {
  const std::size_t columns = out.size() / Samples;
#ifdef HYPERBATON_VECTOR_UNITS
  if (vector_unit() != VectorUnit::baseline) {
    weighted_sums_avx2<Samples>(counts.data(), rows.data(), length, columns, out.data());
    return;
  }
#endif
  weighted_sums_loop<Samples>(counts.data(), rows.data(), length, columns, out.data());
}

}  // namespace hyperbaton
