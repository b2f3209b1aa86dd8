// A digest of numbered lines. Digests of parts add up to the digest of the whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace hyperbaton {

// 128 bits. It tells different texts apart, but it is no protection against someone who wants two texts to
// have the same digest.
struct Digest {
  std::uint64_t low = 0, high = 0;

  void add(std::string_view line, std::uint64_t number) {
    low += hash(line, number, 0x9E3779B97F4A7C15u);
    high += hash(line, number, 0xD6E8FEB86659FD93u);
  }

 private:
  static std::uint64_t mix(std::uint64_t x) {  // the finalizer of SplitMix64
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
  }

  static std::uint64_t hash(std::string_view line, std::uint64_t number, std::uint64_t multiplier) {
    std::uint64_t state = mix(number * multiplier + line.size());
    for (std::size_t k = 0; k < line.size(); k += 8) {
      std::uint64_t word = 0;  // bytes in the order of the text, on every machine
      for (std::size_t j = k; j < line.size() && j < k + 8; ++j)
        word |= static_cast<std::uint64_t>(static_cast<unsigned char>(line[j])) << 8 * (j - k);
      state = (state ^ word) * multiplier;
      state ^= state >> 32;
    }
    return mix(state);
  }
};

}  // namespace hyperbaton
