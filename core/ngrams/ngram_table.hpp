// The n-grams that a sequence of symbols shares with others, for all lengths up to a limit.
//
// A table has the suffixes of its sequences in order. Equal n-grams then stand next to each other, whatever
// their length: neighbours share those up to the length of their common beginning. Within a table a symbol is
// a code of few bits, so that the beginning of a suffix fits into one integer, or into a few.
//
// Another sequence is compared suffix by suffix. The longest n-gram at its beginning that the table has is
// that of the place where it would stand, or of the place before. One pass over the table adds up how often
// each n-gram was found, and counts it at most as often as the table has it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "support/parallel.hpp"

namespace hyperbaton {

// A character or a word, from 0. A negative symbol is in no table.
using Symbol = std::int32_t;

// How the first symbols of a suffix become integers whose order is that of the symbols.
class SuffixPacking {
 public:
  SuffixPacking() = default;
  SuffixPacking(std::size_t longest, std::size_t codes)
      : bits_(std::bit_width(codes)),
        symbols_(std::min<std::size_t>(longest, 64 / bits_)),
        integers_((longest + symbols_ - 1) / symbols_),
        longest_(longest),
        reciprocal_((1 << 16) / bits_ + 1),
        mask_(~std::uint64_t{0} << (64 - symbols_ * bits_)) {}

  std::size_t integers() const { return integers_; }  // of each suffix

  // Appends the integers of all suffixes of a sequence of codes. `end` is the code of what follows it.
  void append(std::span<const std::uint32_t> codes, std::uint32_t end,
              std::vector<std::uint64_t>& out) const {
    const std::size_t first = out.size();
    out.resize(first + codes.size() * integers_);
    std::uint64_t packed = 0;
    for (std::size_t k = 0; k < symbols_; ++k) packed = shift_in(packed, end);
    const std::uint64_t after = packed;
    std::uint64_t* const suffixes = out.data() + first;
    for (std::size_t k = codes.size(); k-- > 0;) {
      packed = shift_in(packed, codes[k]);
      suffixes[k * integers_] = packed;
      for (std::size_t i = 1; i < integers_; ++i) {
        const std::size_t at = k + i * symbols_;
        suffixes[k * integers_ + i] = at < codes.size() ? suffixes[at * integers_] : after;
      }
    }
  }

  // The number of symbols at the beginning of both suffixes, at most the length of the longest n-gram.
  std::size_t common(const std::uint64_t* a, const std::uint64_t* b) const {
    for (std::size_t i = 0; i < integers_; ++i)
      if (a[i] != b[i]) {
        const auto same_bits = static_cast<std::size_t>(std::countl_zero(a[i] ^ b[i]));
        return std::min(longest_, i * symbols_ + (same_bits * reciprocal_ >> 16));  // ÷ bits_
      }
    return longest_;
  }

  bool precedes(const std::uint64_t* a, const std::uint64_t* b) const {
    return std::lexicographical_compare(a, a + integers_, b, b + integers_);
  }

 private:
  std::size_t bits_ = 1, symbols_ = 1, integers_ = 1, longest_ = 1, reciprocal_ = 1;
  std::uint64_t mask_ = 0;

  std::uint64_t shift_in(std::uint64_t packed, std::uint32_t code) const {
    return (packed >> bits_ | static_cast<std::uint64_t>(code) << (64 - bits_)) & mask_;
  }
};

// The n-grams of one sequence, or of several. An n-gram counts as often as in the sequence that has it most
// often.
struct NgramTable {
  std::vector<Symbol> alphabet;         // its position + 1 is the code of a symbol
  SuffixPacking packing;                // the codes have one more, that of unknown symbols
  std::vector<std::uint64_t> suffixes;  // in order
  std::vector<std::uint8_t> common;     // symbols that a suffix shares with the one before
  std::vector<std::uint32_t> sequence;  // of each suffix; empty if there is only one sequence

  std::size_t size() const { return common.size(); }
  const std::uint64_t* suffix(std::size_t k) const { return suffixes.data() + k * packing.integers(); }
};

// Makes tables and counts. It keeps its memory, so each thread needs its own.
class NgramCounter {
 public:
  static constexpr std::size_t most = 255;  // symbols of an n-gram

  explicit NgramCounter(std::size_t longest)
      : longest_(longest), waiting_(longest + 1), begins_(longest + 1) {}

  NgramTable make_table(std::span<const std::span<const Symbol>> sequences) {
    NgramTable table;
    for (const auto sequence : sequences)
      for (const Symbol symbol : sequence) learn(symbol, table.alphabet);
    table.packing = SuffixPacking(longest_, table.alphabet.size() + 1);
    for (std::uint32_t k = 0; k < sequences.size(); ++k) {
      encode(sequences[k], 0);
      table.packing.append(codes_, 0, table.suffixes);  // the other side has no symbol of this code
      if (sequences.size() > 1) table.sequence.insert(table.sequence.end(), sequences[k].size(), k);
    }
    forget(table.alphabet);
    sort(table);
    table.common.resize(table.suffixes.size() / table.packing.integers());
    for (std::size_t k = 1; k < table.size(); ++k)
      table.common[k] = static_cast<std::uint8_t>(table.packing.common(table.suffix(k - 1), table.suffix(k)));
    return table;
  }

  // Returns how many n-grams of each length, from 1 on, the sequence shares with the table.
  std::span<const std::int64_t> operator()(const NgramTable& table, std::span<const Symbol> sequence,
                                           const Stop& stop) {
    matches_.assign(longest_, 0);
    if (table.size() == 0) return matches_;
    std::uint32_t code = 0;
    for (const Symbol symbol : table.alphabet) code_of(symbol) = ++code;
    const std::uint32_t unknown = code + 1;
    encode(sequence, unknown);
    forget(table.alphabet);
    packed_.clear();
    table.packing.append(codes_, unknown, packed_);
    find_suffixes(table, stop);
    add_up(table);
    return matches_;
  }

 private:
  std::size_t longest_;
  std::vector<std::uint32_t> code_of_symbol_;  // 0 while it has none
  std::vector<std::uint32_t> codes_;
  std::vector<std::uint64_t> packed_;
  // The suffixes of the sequence that are found at each place of the table, as lists, and the symbols in
  // common.
  std::vector<std::uint32_t> last_found_, found_before_;
  std::vector<std::uint8_t> depth_;
  std::vector<std::size_t> waiting_;  // by length: n-grams that were found since the place where
  std::vector<std::size_t> begins_;   // those of this length begin
  std::vector<std::size_t> often_;
  std::vector<std::int64_t> matches_;

  std::uint32_t& code_of(Symbol symbol) {
    const auto at = static_cast<std::size_t>(symbol);
    if (at >= code_of_symbol_.size()) code_of_symbol_.resize(std::max(at + 1, 2 * code_of_symbol_.size()));
    return code_of_symbol_[at];
  }

  void learn(Symbol symbol, std::vector<Symbol>& alphabet) {
    std::uint32_t& code = code_of(symbol);
    if (code != 0) return;
    alphabet.push_back(symbol);
    code = static_cast<std::uint32_t>(alphabet.size());
  }

  void forget(std::span<const Symbol> alphabet) {
    for (const Symbol symbol : alphabet) code_of(symbol) = 0;
  }

  void encode(std::span<const Symbol> sequence, std::uint32_t unknown) {
    codes_.resize(sequence.size());
    for (std::size_t k = 0; k < sequence.size(); ++k) {
      const auto at = static_cast<std::size_t>(sequence[k]);  // huge if the symbol is negative
      const std::uint32_t code = at < code_of_symbol_.size() ? code_of_symbol_[at] : 0;
      codes_[k] = code == 0 ? unknown : code;
    }
  }

  static void sort(NgramTable& table) {
    const std::size_t integers = table.packing.integers();
    if (integers == 1 && table.sequence.empty())
      return std::sort(table.suffixes.begin(), table.suffixes.end());
    std::vector<std::size_t> order(table.suffixes.size() / integers);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return table.packing.precedes(table.suffix(a), table.suffix(b));
    });
    std::vector<std::uint64_t> suffixes;
    std::vector<std::uint32_t> sequence;
    suffixes.reserve(table.suffixes.size());
    for (const std::size_t k : order) {
      suffixes.insert(suffixes.end(), table.suffix(k), table.suffix(k) + integers);
      if (!table.sequence.empty()) sequence.push_back(table.sequence[k]);
    }
    table.suffixes = std::move(suffixes);
    table.sequence = std::move(sequence);
  }

  // The number of suffixes of the table that stand before this one.
  static std::size_t place(const NgramTable& table, const std::uint64_t* suffix) {
    const std::uint64_t* first = table.suffixes.data();
    std::size_t size = table.size();
    if (table.packing.integers() == 1) {  // without branches, which nobody could predict
      for (; size > 1; size -= size / 2) first += size / 2 * (first[size / 2 - 1] < *suffix);
      return static_cast<std::size_t>(first - table.suffixes.data()) + (*first < *suffix);
    }
    std::size_t begin = 0;
    while (size > 0) {
      const std::size_t middle = begin + size / 2;
      if (table.packing.precedes(table.suffix(middle), suffix)) {
        begin = middle + 1;
        size -= size / 2 + 1;
      } else {
        size /= 2;
      }
    }
    return begin;
  }

  void find_suffixes(const NgramTable& table, const Stop& stop) {
    constexpr std::size_t patience = 1 << 14;
    last_found_.assign(table.size(), 0);
    found_before_.resize(codes_.size() + 1);
    depth_.resize(codes_.size() + 1);
    for (std::size_t k = 0; k < codes_.size(); ++k) {
      if (k % patience == patience - 1 && stop.load(std::memory_order_relaxed)) throw Interrupted();
      const std::uint64_t* const suffix = packed_.data() + k * table.packing.integers();
      const std::size_t after = place(table, suffix), before = after == 0 ? 0 : after - 1;
      const std::size_t here = std::min(after, table.size() - 1);
      const std::size_t with_here = table.packing.common(table.suffix(here), suffix);
      const std::size_t with_before = table.packing.common(table.suffix(before), suffix);
      const std::size_t found = with_here >= with_before ? here : before;
      depth_[k + 1] = static_cast<std::uint8_t>(std::max(with_here, with_before));
      found_before_[k + 1] = last_found_[found];
      last_found_[found] = static_cast<std::uint32_t>(k + 1);
    }
  }

  void add_up(const NgramTable& table) {
    std::fill(waiting_.begin(), waiting_.end(), 0);
    std::fill(begins_.begin(), begins_.end(), 0);
    for (std::size_t k = 0; k < table.size(); ++k) {
      end_ngrams(table, table.common[k], k);
      for (std::uint32_t at = last_found_[k]; at != 0; at = found_before_[at]) ++waiting_[depth_[at]];
    }
    end_ngrams(table, 0, table.size());
  }

  // N-grams longer than `common` symbols end before the place `end`.
  void end_ngrams(const NgramTable& table, std::size_t common, std::size_t end) {
    for (std::size_t n = longest_; n > common; --n) {
      if (waiting_[n] > 0) {
        const std::size_t often =
            table.sequence.empty() ? end - begins_[n] : most_in_one(table, begins_[n], end);
        matches_[n - 1] += static_cast<std::int64_t>(std::min(waiting_[n], often));
        waiting_[n - 1] += waiting_[n];  // where the longer one was found, the shorter one was, too
        waiting_[n] = 0;
      }
      begins_[n] = end;
    }
  }

  // How many of these suffixes the sequence has that has most of them.
  std::size_t most_in_one(const NgramTable& table, std::size_t begin, std::size_t end) {
    often_.clear();
    for (std::size_t k = begin; k < end; ++k) {
      const std::size_t sequence = table.sequence[k];
      if (sequence >= often_.size()) often_.resize(sequence + 1);
      ++often_[sequence];
    }
    return *std::max_element(often_.begin(), often_.end());
  }
};

}  // namespace hyperbaton
