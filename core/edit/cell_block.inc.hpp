// One block of cells, for the vector instructions of the machine. This file is included once for each
// vector unit, in a namespace of its own, and compiled for that unit. HYPERBATON_VECTOR_BYTES is the width
// of its registers. No include guard.

inline constexpr std::size_t vector_bytes = HYPERBATON_VECTOR_BYTES;

// All arithmetic wraps, as with unsigned integers.
template <class Cell>
struct Block {
#ifdef HYPERBATON_GNU_VECTORS
  typedef Cell Vector __attribute__((vector_size(vector_bytes)));
#else
  struct Vector {  // the compiler vectorizes the loops
    Cell cell[vector_bytes / sizeof(Cell)];
    template <class Function>
    static HYPERBATON_INLINE Vector each(Function function) {
      Vector out;
      for (std::size_t k = 0; k < vector_bytes / sizeof(Cell); ++k)
        out.cell[k] = static_cast<Cell>(function(k));
      return out;
    }
    HYPERBATON_INLINE Vector operator+(const Vector& b) const {
      return each([&](std::size_t k) { return cell[k] + b.cell[k]; });
    }
    HYPERBATON_INLINE Vector operator-(const Vector& b) const {
      return each([&](std::size_t k) { return cell[k] - b.cell[k]; });
    }
    HYPERBATON_INLINE Vector operator&(const Vector& b) const {
      return each([&](std::size_t k) { return cell[k] & b.cell[k]; });
    }
    HYPERBATON_INLINE Vector operator|(const Vector& b) const {
      return each([&](std::size_t k) { return cell[k] | b.cell[k]; });
    }
  };
#endif
  static constexpr std::size_t count = block_size * sizeof(Cell) / vector_bytes;
  Vector vector[count];

  template <class Function>
  static HYPERBATON_INLINE Block each(Function function) {
    Block block;
    for (std::size_t v = 0; v < count; ++v) block.vector[v] = function(v);
    return block;
  }
  static HYPERBATON_INLINE Block load(const Cell* from) {
    Block block;
    for (std::size_t v = 0; v < count; ++v)
      std::memcpy(&block.vector[v], from + v * (vector_bytes / sizeof(Cell)), vector_bytes);
    return block;
  }
  HYPERBATON_INLINE void store(Cell* to) const {
    for (std::size_t v = 0; v < count; ++v)
      std::memcpy(to + v * (vector_bytes / sizeof(Cell)), &vector[v], vector_bytes);
  }
  static HYPERBATON_INLINE Block all(Cell value) {
#ifdef HYPERBATON_GNU_VECTORS
    return each([&](std::size_t) { return Vector{} + value; });
#else
    return each([&](std::size_t) { return Vector::each([&](std::size_t) { return value; }); });
#endif
  }
  HYPERBATON_INLINE Block operator+(const Block& other) const {
    return each([&](std::size_t v) { return vector[v] + other.vector[v]; });
  }
  HYPERBATON_INLINE Block operator-(const Block& other) const {
    return each([&](std::size_t v) { return vector[v] - other.vector[v]; });
  }
  HYPERBATON_INLINE Block operator&(const Block& other) const {
    return each([&](std::size_t v) { return vector[v] & other.vector[v]; });
  }
  HYPERBATON_INLINE Block operator|(const Block& other) const {
    return each([&](std::size_t v) { return vector[v] | other.vector[v]; });
  }
  // Sets all bits of the cells that are less, and no bits of the others.
  HYPERBATON_INLINE Block operator<(const Block& other) const {
#ifdef HYPERBATON_GNU_VECTORS
    return each([&](std::size_t v) { return reinterpret_cast<Vector>(vector[v] < other.vector[v]); });
#else
    return each([&](std::size_t v) {
      return Vector::each(
          [&](std::size_t k) { return vector[v].cell[k] < other.vector[v].cell[k] ? ~Cell{0} : Cell{0}; });
    });
#endif
  }
  HYPERBATON_INLINE Block min(const Block& other) const {
#ifdef HYPERBATON_GNU_VECTORS
    return each([&](std::size_t v) { return vector[v] < other.vector[v] ? vector[v] : other.vector[v]; });
#else
    return each([&](std::size_t v) {
      return Vector::each(
          [&](std::size_t k) { return std::min(vector[v].cell[k], other.vector[v].cell[k]); });
    });
#endif
  }
  // One bit for each cell, for blocks in which each cell has all bits set or none.
  HYPERBATON_INLINE std::uint32_t bits() const {
    static_assert(block_size == 32);
#if HYPERBATON_VECTOR_BYTES == 32
    typedef char Bytes __attribute__((vector_size(32)));
    if constexpr (sizeof(Cell) == 1)
      return static_cast<std::uint32_t>(__builtin_ia32_pmovmskb256(reinterpret_cast<Bytes>(vector[0])));
#elif defined(HYPERBATON_GNU_VECTORS) && defined(__SSE2__)
    typedef char Bytes __attribute__((vector_size(16)));
    if constexpr (sizeof(Cell) == 1)
      return static_cast<std::uint32_t>(__builtin_ia32_pmovmskb128(reinterpret_cast<Bytes>(vector[0]))) |
             static_cast<std::uint32_t>(__builtin_ia32_pmovmskb128(reinterpret_cast<Bytes>(vector[1]))) << 16;
#endif
    Cell cells[block_size];
    store(cells);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < block_size; ++k) bits |= static_cast<std::uint32_t>(cells[k] & 1) << k;
    return bits;
  }
  HYPERBATON_INLINE bool any() const {
    Vector some = vector[0];
    for (std::size_t v = 1; v < count; ++v) some = some | vector[v];
#if HYPERBATON_VECTOR_BYTES == 32
    typedef long long Words __attribute__((vector_size(32)));
    return !__builtin_ia32_ptestz256(reinterpret_cast<Words>(some), reinterpret_cast<Words>(some));
#elif defined(HYPERBATON_GNU_VECTORS) && defined(__SSE2__)
    typedef char Bytes __attribute__((vector_size(16)));
    return __builtin_ia32_pmovmskb128(reinterpret_cast<Bytes>(some) != Bytes{}) != 0;
#else
    std::uint64_t words[vector_bytes / sizeof(std::uint64_t)], word = 0;
    std::memcpy(words, &some, sizeof some);
    for (const std::uint64_t w : words) word |= w;
    return word != 0;
#endif
  }
};
