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

inline std::uint64_t hash_bytes(std::string_view text) {
  constexpr std::uint64_t multiplier = 0x9E3779B97F4A7C15u;
  const char* const data = text.data();
  const std::size_t size = text.size();
  std::uint64_t hash = hash_seed ^ size * multiplier;
  const auto mix = [&hash](std::uint64_t value) {
    hash = (hash ^ value) * multiplier;
    hash ^= hash >> 29;
  };
  const auto load = [data]<class Word>(std::size_t at, Word word) -> std::uint64_t {
    std::memcpy(&word, data + at, sizeof word);
    return word;
  };
  if (size >= 8) {
    for (std::size_t k = 0; k + 8 < size; k += 8) mix(load(k, std::uint64_t{}));
    mix(load(size - 8, std::uint64_t{}));  // may overlap the bytes before
  } else if (size >= 4) {
    mix(load(0, std::uint32_t{}) | load(size - 4, std::uint32_t{}) << 32);
  } else if (size > 0) {
    mix(load(0, std::uint8_t{}) | load(size / 2, std::uint8_t{}) << 8 | load(size - 1, std::uint8_t{}) << 16);
  }
  return hash;
}

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
  std::int32_t find(std::string_view text) const {
    const std::uint64_t hash = hash_bytes(text);
    return find(text, hash, head_of(text, hash));
  }

  // Returns the number of the string, which is new if the string is.
  std::int32_t add(std::string_view text) {
    const std::uint64_t hash = hash_bytes(text), head = head_of(text, hash);
    const std::int32_t known = find(text, hash, head);
    if (known != none) return known;
    if (2 * (strings_.size() + 1) > slots_.size()) grow();
    const auto number = static_cast<std::int32_t>(strings_.size());
    strings_.push_back(store(text));
    insert({head, static_cast<std::uint32_t>(text.size()), number}, hash);
    return number;
  }

 private:
  // Short strings are compared within the slot, without a look at their bytes elsewhere.
  struct Slot {
    std::uint64_t head;  // the bytes of a short string; the hash of others
    std::uint32_t size;
    std::int32_t number;
  };
  static constexpr std::size_t short_size = 8;
  static constexpr std::size_t block_bytes = 1 << 16;

  std::vector<Slot> slots_ = std::vector<Slot>(1024, {0, 0, none});  // at most half of them are used
  std::vector<std::string_view> strings_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t free_bytes_ = 0, stored_bytes_ = 0;
  char* free_ = nullptr;

  static std::uint64_t head_of(std::string_view text, std::uint64_t hash) {
    if (text.size() > short_size) return hash;
    std::uint64_t head = 0;
    if (!text.empty()) std::memcpy(&head, text.data(), text.size());
    return head;
  }
  std::size_t first_slot(std::uint64_t hash) const { return (hash >> 32) & (slots_.size() - 1); }

  std::int32_t find(std::string_view text, std::uint64_t hash, std::uint64_t head) const {
    for (std::size_t k = first_slot(hash);; k = (k + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[k];
      if (slot.number == none) return none;
      if (slot.head != head || slot.size != static_cast<std::uint32_t>(text.size())) continue;
      if (text.size() <= short_size || strings_[static_cast<std::size_t>(slot.number)] == text)
        return slot.number;
    }
  }

  void insert(Slot slot, std::uint64_t hash) {
    std::size_t k = first_slot(hash);
    while (slots_[k].number != none) k = (k + 1) & (slots_.size() - 1);
    slots_[k] = slot;
  }

  void grow() {
    slots_.assign(2 * slots_.size(), {0, 0, none});
    for (std::size_t k = 0; k < strings_.size(); ++k) {
      const std::string_view text = strings_[k];
      const std::uint64_t hash = hash_bytes(text);
      insert({head_of(text, hash), static_cast<std::uint32_t>(text.size()), static_cast<std::int32_t>(k)},
             hash);
    }
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
