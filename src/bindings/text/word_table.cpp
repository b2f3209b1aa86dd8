#include "text/word_table.hpp"

#include <nanobind/stl/string.h>

#include <mutex>
#include <optional>

#include "bindings/batch.hpp"
#include "bindings/errors.hpp"
#include "bindings/text/lines.hpp"
#include "support/errors.hpp"

namespace hyperbaton::bindings {

namespace {

constexpr std::size_t block_lines = 64;    // that a thread reads at a time
constexpr std::size_t piece_lines = 4096;  // that are numbered at a time
constexpr std::size_t usual_cost = 500;    // of a sentence; to count its words would take time, too

// nb::cast for what a Python function returned. nanobind's own error is a RuntimeError without a message.
template <class T>
T cast(nb::handle object) {
  T value;
  if (!nb::try_cast(object, value)) throw nb::type_error("a function returned something else than expected");
  return value;
}

// The tokens of some lines. While unit u is unknown, -1 - u stands for its tokens.
struct Block {
  std::vector<std::int32_t> tokens;
  std::vector<std::size_t> ends;  // of each line, in `tokens`
  std::vector<std::string> unknown;
};

// The words of some sentences as UTF-8, so that they can be read without the GIL.
class EncodedWords {
 public:
  // Adds a list of strings. Errors call it by `name`.
  void add_sentence(nb::handle sentence, const std::string& name) {
    if (!PyList_Check(sentence.ptr()))
      throw nb::type_error("a sentence must be a list of words");  // a bug of the caller
    for (Py_ssize_t j = 0; j < PyList_Size(sentence.ptr()); ++j) {
      PyObject* const word = PyList_GetItem(sentence.ptr(), j);
      const auto word_name = [&] { return name + ": token " + std::to_string(j); };
      if (!PyUnicode_Check(word))
        throw InputTypeError(word_name() + " must be a string, got " + type_name(word));
      if (!append_utf8(word, text_)) throw InputError(word_name() + " has an unpaired surrogate");
      ends_.push_back(text_.size());
    }
    sentences_.push_back(ends_.size() - 1);
  }

  template <class Use>
  void for_each_word(std::size_t sentence, Use use) const {
    for (std::size_t w = sentences_[sentence]; w < sentences_[sentence + 1]; ++w)
      use(std::string_view(text_).substr(ends_[w], ends_[w + 1] - ends_[w]));
  }

 private:
  std::string text_;
  std::vector<std::size_t> ends_{0};       // of words, in the text; word w begins where the one before ends
  std::vector<std::size_t> sentences_{0};  // of sentences, in words
};

using Strings = nb::typed<nb::list, nb::str>;
// Python functions of a list of strings: their normal forms, and which of them are kept.
using Normalize = nb::typed<nb::callable, Strings(Strings)>;
using Keeps = nb::typed<nb::callable, nb::typed<nb::list, bool>(Strings)>;

// A table that several Python threads may use. A thread waits for the lock only without the GIL, because the
// thread that holds the lock may be waiting for the GIL.
class SharedWordTable {
 public:
  SharedWordTable(const std::string& unit, bool is_13a, bool lowercase, bool dotless_i, bool native,
                  bool drop_punctuation, const Strings& removed, Normalize normalize, Keeps keeps)
      : normalize_(std::move(normalize)), keeps_(std::move(keeps)) {
    rules_.unit = unit == "word" ? Unit::word : unit == "text" ? Unit::text : Unit::word_in_spaces;
    rules_.is_13a = is_13a;
    rules_.lowercase = lowercase;
    rules_.dotless_i = dotless_i;
    rules_.native = native;
    rules_.drop_punctuation = drop_punctuation;
    for (const nb::handle character : removed) rules_.removed.push_back(cast<std::string>(character));
  }

  // The numbers of all tokens, and the offsets of the lines.
  struct Numbers {
    std::vector<std::int32_t> tokens;
    std::vector<std::int64_t> offsets{0};
  };

  Numbers number_lines(std::span<const std::string_view> lines, int threads) {
    return number(lines.size(), threads, [&](std::size_t begin, std::span<Block> blocks) {
      std::size_t bytes = 0;
      const auto piece = lines.subspan(begin, std::min(piece_lines, lines.size() - begin));
      for (const std::string_view line : piece) bytes += line.size();
      const WithoutGil no_gil;
      const std::lock_guard lock(mutex_);
      in_parallel(blocks, 4 * bytes, threads, [&](Block& block, std::size_t b) {
        std::string scratch;
        for_each_line(b, piece.size(), block, [&](std::size_t k) {
          for_each_unit(rules_, piece[k], scratch, [&](std::string_view unit) { look_up(unit, block); });
        });
      });
    });
  }

  // The same for sentences that are Python lists of strings. Errors call the sentences by `name`.
  Numbers number_tokens(const nb::typed<nb::list, Strings>& sentences, const std::string& name, int threads) {
    const std::size_t count = sentences.size();
    return number(count, threads, [&](std::size_t begin, std::span<Block> blocks) {
      if (sentences.size() != count) throw InputError(name + " changed while it was read");
      const std::size_t size = std::min(piece_lines, count - begin);
      EncodedWords words;
      for (std::size_t k = begin; k < begin + size; ++k)
        words.add_sentence(sentences[k], name + "[" + std::to_string(k) + "]");
      const WithoutGil no_gil;
      const std::lock_guard lock(mutex_);
      in_parallel(blocks, usual_cost * size, threads, [&](Block& block, std::size_t b) {
        for_each_line(b, size, block, [&](std::size_t k) {
          words.for_each_word(k, [&](std::string_view word) { look_up(word, block); });
        });
      });
    });
  }

  std::size_t token_count() {
    const WithoutGil no_gil;
    const std::lock_guard lock(mutex_);
    return table_.token_count();
  }

  std::size_t bytes() {
    const WithoutGil no_gil;
    const std::lock_guard lock(mutex_);
    return table_.bytes();
  }

  Strings tokens(std::size_t begin, std::size_t end) {
    std::vector<std::string> copies;
    {
      const WithoutGil no_gil;
      const std::lock_guard lock(mutex_);
      for (std::size_t k = begin; k < std::min(end, table_.token_count()); ++k)
        copies.emplace_back(table_.token(k));
    }
    Strings strings;
    for (const std::string& copy : copies) strings.append(to_str(copy));
    return strings;
  }

 private:
  TokenRules rules_;
  Normalize normalize_;
  Keeps keeps_;
  WordTable table_;
  std::mutex mutex_;

  // Numbers lines piece by piece, so that memory stays small and signals are noticed in between: their
  // handlers may use the table, too, so they must not run while it is locked. look_up(begin, blocks) fills in
  // the blocks of the lines from `begin` on.
  template <class LookUp>
  Numbers number(std::size_t lines, int threads, LookUp look_up) {
    Numbers numbers;
    for (std::size_t begin = 0; begin < lines; begin += piece_lines) {
      const std::size_t size = std::min(piece_lines, lines - begin);
      std::vector<Block> blocks((size + block_lines - 1) / block_lines);
      look_up(begin, std::span(blocks));
      add_unknown(blocks, threads);
      append(blocks, numbers);
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
    return numbers;
  }

  // Runs work(block, b) for each block.
  template <class Work>
  static void in_parallel(std::span<Block> blocks, std::size_t cost, int threads, Work work) {
    for_each(blocks.size(), cost, threads, nullptr,
             [&](const Stop&) { return [&](std::size_t b) { work(blocks[b], b); }; });
  }

  // Calls read(k) for each line k of a block, and notes where its tokens end.
  template <class Read>
  static void for_each_line(std::size_t b, std::size_t lines, Block& block, Read read) {
    for (std::size_t k = b * block_lines; k < std::min((b + 1) * block_lines, lines); ++k) {
      read(k);
      block.ends.push_back(block.tokens.size());
    }
  }

  // Appends the tokens of the blocks, all of which the table knows by now.
  void append(std::vector<Block>& blocks, Numbers& numbers) {
    const WithoutGil no_gil;
    const std::lock_guard lock(mutex_);
    for (Block& block : blocks) {
      if (!block.unknown.empty()) fill_in(block);
      const auto before = static_cast<std::int64_t>(numbers.tokens.size());
      for (const std::size_t end : block.ends)
        numbers.offsets.push_back(before + static_cast<std::int64_t>(end));
      numbers.tokens.insert(numbers.tokens.end(), block.tokens.begin(), block.tokens.end());
    }
  }

  void look_up(std::string_view unit, Block& block) const {
    const std::int32_t number = table_.find(unit);
    if (number == StringNumbers::none) {
      block.unknown.emplace_back(unit);
      block.tokens.push_back(-static_cast<std::int32_t>(block.unknown.size()));
    } else {
      for (const std::int32_t token : table_.tokens_of(number)) block.tokens.push_back(token);
    }
  }

  // Replaces unknown units, which the table has learned by now, by their tokens.
  void fill_in(Block& block) const {
    std::vector<std::int32_t> tokens;
    std::size_t at = 0;
    for (std::size_t& end : block.ends) {
      for (; at < end; ++at) {
        if (block.tokens[at] >= 0) {
          tokens.push_back(block.tokens[at]);
          continue;
        }
        const std::string& unit = block.unknown[static_cast<std::size_t>(-1 - block.tokens[at])];
        const auto found = table_.tokens_of(table_.find(unit));
        tokens.insert(tokens.end(), found.begin(), found.end());
      }
      end = tokens.size();
    }
    block.tokens = std::move(tokens);
  }

  // Analyses the units that the table did not know, and adds them.
  void add_unknown(const std::vector<Block>& blocks, int threads) {
    StringNumbers distinct;
    std::vector<std::string_view> units;
    for (const Block& block : blocks)
      for (const std::string& unit : block.unknown)
        if (distinct.find(unit) == StringNumbers::none) {
          distinct.add(unit);
          units.push_back(unit);
        }
    if (units.empty()) return;
    const auto tokens = analyse(units, threads);
    const WithoutGil no_gil;
    const std::lock_guard lock(mutex_);
    for (std::size_t k = 0; k < units.size(); ++k) table_.add(units[k], tokens[k]);
  }

  // Returns the tokens of each unit.
  std::vector<std::vector<std::string>> analyse(const std::vector<std::string_view>& units,
                                                int threads) const {
    const std::vector<std::optional<std::string>> normalized = ask_python(units);
    std::vector<std::vector<std::string>> tokens(units.size());
    {
      const WithoutGil no_gil;
      for_each(units.size(), 500 * units.size(), threads, nullptr, [&](const Stop&) {
        return [&, splitter = std::make_shared<TokenSplitter>(rules_)](std::size_t k) {
          splitter->split(normalized[k] ? *normalized[k] : splitter->normalize(units[k]),
                          [&](std::string_view token) { tokens[k].emplace_back(token); });
        };
      });
    }
    if (rules_.drop_punctuation) drop_punctuation(tokens);
    return tokens;
  }

  // Returns the normal form of each unit for which Python is needed.
  std::vector<std::optional<std::string>> ask_python(const std::vector<std::string_view>& units) const {
    const TokenSplitter splitter(rules_);
    nb::list asked;
    std::vector<std::size_t> places;
    for (std::size_t k = 0; k < units.size(); ++k)
      if (splitter.needs_python(units[k])) {
        asked.append(to_str(units[k]));
        places.push_back(k);
      }
    std::vector<std::optional<std::string>> normalized(units.size());
    if (places.empty()) return normalized;
    const auto answers = cast<nb::list>(normalize_(asked));
    check_same_size(places.size(), answers.size());
    for (std::size_t answer = 0; answer < places.size(); ++answer)
      normalized[places[answer]] = cast<std::string>(nb::object(answers[answer]));
    return normalized;
  }

  void drop_punctuation(std::vector<std::vector<std::string>>& tokens) const {
    nb::list asked;
    std::size_t count = 0;  // of the tokens that are asked for; the list belongs to Python, too
    const auto is_asked = [](const std::string& token) {
      return !has_ascii_letter_or_digit(token) && !is_ascii(token);
    };
    for (const auto& of_unit : tokens)
      for (const std::string& token : of_unit)
        if (is_asked(token)) {
          asked.append(to_str(token));
          ++count;
        }
    const nb::list answers = count > 0 ? cast<nb::list>(keeps_(asked)) : nb::list();
    check_same_size(count, answers.size());
    std::size_t answer = 0;
    for (auto& of_unit : tokens)
      std::erase_if(of_unit, [&](const std::string& token) {
        if (is_asked(token)) return !cast<bool>(nb::object(answers[answer++]));
        return !has_ascii_letter_or_digit(token);
      });
  }
};

}  // namespace

void bind_word_table(nb::module_& m) {
  nb::class_<SharedWordTable>(m, "WordTable")
      .def(nb::init<const std::string&, bool, bool, bool, bool, bool, const Strings&, Normalize, Keeps>(),
           nb::arg("unit"), nb::arg("is_13a"), nb::arg("lowercase"), nb::arg("dotless_i"), nb::arg("native"),
           nb::arg("drop_punctuation"), nb::arg("removed"), nb::arg("normalize"), nb::arg("keeps"))
      .def(
          "number_lines",
          [](SharedWordTable& table, const Lines& lines, int threads) {
            auto [numbers, offsets] = table.number_lines(lines.views, threads);
            return to_tuple(std::move(numbers), std::move(offsets));
          },
          nb::arg("lines"), nb::arg("threads"))
      .def(
          "number_tokens",
          [](SharedWordTable& table, const nb::typed<nb::list, Strings>& sentences, const std::string& name,
             int threads) {
            auto [numbers, offsets] = table.number_tokens(sentences, name, threads);
            return to_tuple(std::move(numbers), std::move(offsets));
          },
          nb::arg("sentences"), nb::arg("name"), nb::arg("threads"),
          "For a table of whole texts: each token is one.")
      .def("tokens", &SharedWordTable::tokens, nb::arg("begin"), nb::arg("end"))
      .def_prop_ro("bytes", &SharedWordTable::bytes)
      .def("__len__", &SharedWordTable::token_count);
}

}  // namespace hyperbaton::bindings
