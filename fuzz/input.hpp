// What every fuzz target shares: reading an input as numbers, and failing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace fuzz {

// Ends the process if a property does not hold. libFuzzer then keeps the input.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz target: not true that %s\n", what);
  std::abort();
}

// Reads numbers from the bytes of an input. At its end every number is the lowest one, so that any bytes
// are an input and short ones mean small cases.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}

  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  std::uint8_t byte() { return at_ == end_ ? 0 : *at_++; }

  bool flag() { return byte() & 1; }

  // A number in [low, high].
  std::int64_t number(std::int64_t low, std::int64_t high) {
    const auto width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    std::uint64_t value = 0;
    for (std::uint64_t rest = width; rest > 0; rest >>= 8) value = value << 8 | byte();
    if (width != ~std::uint64_t{0}) value %= width + 1;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + value);
  }

  std::size_t size(std::size_t most) {
    return static_cast<std::size_t>(number(0, static_cast<std::int64_t>(most)));
  }

  // `count` numbers in [low, high].
  std::vector<std::int32_t> numbers(std::size_t count, std::int32_t low, std::int32_t high) {
    std::vector<std::int32_t> values(count);
    for (auto& value : values) value = static_cast<std::int32_t>(number(low, high));
    return values;
  }

  // A permutation of 1 to n.
  std::vector<std::int32_t> permutation(std::size_t n) {
    std::vector<std::int32_t> values(n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t j = size(i);
      values[i] = values[j];
      values[j] = static_cast<std::int32_t>(i) + 1;
    }
    return values;
  }

 private:
  const std::uint8_t *at_, *end_;
};

}  // namespace fuzz
