// The vector units of the machine: which one to use, and the block size of vector code.
#pragma once

#include <cstddef>

#if defined(_MSC_VER) && !defined(__clang__)
#define HYPERBATON_INLINE __forceinline
#else
#define HYPERBATON_INLINE inline __attribute__((always_inline))
#endif

// Other compilers get plain loops. HYPERBATON_PLAIN_LOOPS gives them to GCC and Clang, too, for tests.
#if defined(__GNUC__) && !defined(HYPERBATON_PLAIN_LOOPS)
#define HYPERBATON_GNU_VECTORS
#ifdef __x86_64__
#define HYPERBATON_VECTOR_UNITS
#endif
#endif

namespace hyperbaton {

inline constexpr std::size_t block_size = 32;  // in cells; every row is a whole number of blocks

enum class VectorUnit { baseline, avx2, avx512 };

// The widest vector unit of this machine.
inline VectorUnit widest_vector_unit() {
#ifdef HYPERBATON_VECTOR_UNITS
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    return VectorUnit::avx512;
  if (__builtin_cpu_supports("avx2")) return VectorUnit::avx2;
#endif
  return VectorUnit::baseline;
}

// The vector unit in use. Tests select narrower ones.
inline VectorUnit& vector_unit() {
  static VectorUnit unit = widest_vector_unit();
  return unit;
}

}  // namespace hyperbaton
