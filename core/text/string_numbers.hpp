// Numbers of distinct strings, assigned in the order in which they are added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string_view>
#include <vector>

namespace hyperbaton {

// Different in each process, so that nobody can write a text whose words collide. Numbers do not depend on
// it.
inline const std::uint64_t hash_seed = std::random_device{}() * 0x9E3779B97F4A7C15u;

// Returns `size` bytes as a number.
template <class Number>
std::uint64_t load_bytes(const char* data) {
  Number number;
  std::memcpy(&number, data, sizeof number);
  return number;
}

// A string with its hash. A short string is also a number, which no other string of the same size has.
struct HashedString {
  static constexpr std::size_t short_size = 8;
  std::string_view text;
  std::uint64_t hash, head;  // the head is that number, or the hash of a long string

  explicit HashedString(std::string_view string) : text(string) {
    constexpr std::uint64_t multiplier = 0x9E3779B97F4A7C15u;
    const char* const data = text.data();
    const std::size_t size = text.size();
    hash = hash_seed ^ size * multiplier;
    const auto mix = [this](std::uint64_t value) {
      hash = (hash ^ value) * multiplier;
      hash ^= hash >> 29;
    };
    if (is_short()) {
      mix(head = short_number(data, size));
      return;
    }
    for (std::size_t k = 0; k + 8 < size; k += 8) mix(load_bytes<std::uint64_t>(data + k));
    mix(load_bytes<std::uint64_t>(data + size - 8));  // may overlap the bytes before
    head = hash;
  }

  bool is_short() const { return text.size() <= short_size; }

 private:
  static std::uint64_t short_number(const char* data, std::size_t size) {
    if (size >= 4)  // both halves may overlap
      return load_bytes<std::uint32_t>(data) | load_bytes<std::uint32_t>(data + size - 4) << 32;
    if (size == 0) return 0;
    return load_bytes<std::uint8_t>(data) | load_bytes<std::uint8_t>(data + size / 2) << 8 |
           load_bytes<std::uint8_t>(data + size - 1) << 16;
  }
};

class StringNumbers {
 public:
  static constexpr std::int32_t none = -1;

  std::size_t size() const { return strings_.size(); }
  std::string_view operator[](std::size_t number) const { return strings_[number]; }
  // The memory for the strings and the table, roughly.
  std::size_t bytes() const {
    return stored_bytes_ + slots_.size() * sizeof(Slot) + strings_.capacity() * sizeof(std::string_view);
  }

  // Returns the number of a string, or `none`.
  std::int32_t find(std::string_view text) const { return find(HashedString(text)); }

  // Returns the number of the string, which is new if the string is.
  std::int32_t add(std::string_view text) {
    const HashedString string(text);
    const std::int32_t known = find(string);
    if (known != none) return known;
    if (2 * (strings_.size() + 1) > slots_.size()) grow();
    const auto number = static_cast<std::int32_t>(strings_.size());
    strings_.push_back(store(text));
    insert(string, number);
    return number;
  }

 private:
  // Short strings are compared within the slot, without a look at their bytes elsewhere.
  struct Slot {
    std::uint64_t head;
    std::uint32_t size;
    std::int32_t number;
  };
  static constexpr std::size_t block_bytes = 1 << 16;

  std::vector<Slot> slots_ = std::vector<Slot>(1024, {0, 0, none});  // at most half of them are used
  std::vector<std::string_view> strings_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t free_bytes_ = 0, stored_bytes_ = 0;
  char* free_ = nullptr;

  std::size_t first_slot(std::uint64_t hash) const { return (hash >> 32) & (slots_.size() - 1); }

  std::int32_t find(const HashedString& string) const {
    for (std::size_t k = first_slot(string.hash);; k = (k + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[k];
      if (slot.number == none) return none;
      if (slot.head != string.head || slot.size != static_cast<std::uint32_t>(string.text.size())) continue;
      if (string.is_short() || strings_[static_cast<std::size_t>(slot.number)] == string.text)
        return slot.number;
    }
  }

  void insert(const HashedString& string, std::int32_t number) {
    std::size_t k = first_slot(string.hash);
    while (slots_[k].number != none) k = (k + 1) & (slots_.size() - 1);
    slots_[k] = {string.head, static_cast<std::uint32_t>(string.text.size()), number};
  }

  void grow() {
    slots_.assign(2 * slots_.size(), {0, 0, none});
    for (std::size_t k = 0; k < strings_.size(); ++k)
      insert(HashedString(strings_[k]), static_cast<std::int32_t>(k));
  }

  // Copies the text to memory that does not move.
  std::string_view store(std::string_view text) {
    if (text.size() > free_bytes_) {
      const std::size_t size = text.size() > block_bytes / 4 ? text.size() : block_bytes;
      blocks_.push_back(std::make_unique<char[]>(size));
      stored_bytes_ += size;
      if (size == text.size()) {  // a long string has a block of its own
        std::memcpy(blocks_.back().get(), text.data(), text.size());
        return {blocks_.back().get(), text.size()};
      }
      free_ = blocks_.back().get();
      free_bytes_ = size;
    }
    char* const stored = free_;
    if (!text.empty()) std::memcpy(stored, text.data(), text.size());
    free_ += text.size();
    free_bytes_ -= text.size();
    return {stored, text.size()};
  }
};

}  // namespace hyperbaton
