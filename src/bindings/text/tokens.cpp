#include "bindings/batch.hpp"
#include "bindings/numbered_words.hpp"

namespace hyperbaton::bindings {

namespace {

// Numbers the tokens of one pair after another. Tokens are equal if a Python dict would treat them as the
// same key. The comparisons are those of a dict, too: first the hash, then identity, then ==.
class TokenNumbering {
 public:
  // Forgets all tokens and makes room for `tokens` new ones.
  void reset(std::size_t tokens) {
    std::size_t size = 64;
    for (shift_ = 58; size < 2 * tokens; size *= 2) --shift_;
    slots_.assign(size, {nullptr, 0, 0});
    count_ = 0;
  }

  // Appends the numbers of the tokens. They are in a tuple, so that a comparison cannot change them.
  void number(const nb::tuple& tokens, std::vector<std::int32_t>& out) {
    for (Py_ssize_t k = 0; k < PyTuple_Size(tokens.ptr()); ++k)
      out.push_back(number(PyTuple_GetItem(tokens.ptr(), k)));
  }

 private:
  struct Slot {
    PyObject* token;
    Py_hash_t hash;
    std::int32_t number;
  };

  std::vector<Slot> slots_;
  int shift_ = 0;
  std::int32_t count_ = 0;

  std::int32_t number(PyObject* token) {
    const Py_hash_t hash = PyObject_Hash(token);
    if (hash == -1) throw nb::python_error();
    const std::uint64_t mixed = static_cast<std::uint64_t>(hash) * 0x9E3779B97F4A7C15u;
    for (std::size_t k = mixed >> shift_;; k = (k + 1) % slots_.size()) {
      Slot& slot = slots_[k];
      if (slot.token == nullptr) {
        slot = {token, hash, count_};
        return count_++;
      }
      if (slot.hash != hash) continue;
      const int equal = PyObject_RichCompareBool(slot.token, token, Py_EQ);
      if (equal < 0) throw nb::python_error();
      if (equal) return slot.number;
    }
  }
};

}  // namespace

void bind_tokens(nb::module_& m) {
  using Sentence = nb::typed<nb::tuple, nb::object, nb::ellipsis>;
  using Sentences = nb::typed<nb::tuple, Sentence, nb::ellipsis>;
  m.def(
      "number_tokens",
      [](const Sentences& s, const Sentences& t) {
        check_same_size(s.size(), t.size());
        TokenNumbering numbering;
        std::vector<std::int32_t> numbers_s, numbers_t;
        std::vector<std::int64_t> offsets_s{0}, offsets_t{0};
        for (std::size_t k = 0; k < s.size(); ++k) {
          if (!PyTuple_Check(nb::object(s[k]).ptr()) || !PyTuple_Check(nb::object(t[k]).ptr()))
            throw nb::type_error("a sentence must be a tuple of tokens");  // a bug of the caller
          const auto from = nb::borrow<nb::tuple>(s[k]), to = nb::borrow<nb::tuple>(t[k]);
          numbering.reset(from.size() + to.size());
          numbering.number(from, numbers_s);
          numbering.number(to, numbers_t);
          offsets_s.push_back(static_cast<std::int64_t>(numbers_s.size()));
          offsets_t.push_back(static_cast<std::int64_t>(numbers_t.size()));
        }
        return to_tuple(std::move(numbers_s), std::move(offsets_s), std::move(numbers_t),
                        std::move(offsets_t));
      },
      nb::arg("s"), nb::arg("t"),
      "Numbers and offsets of both sides. Pair k is the tuples s[k] and t[k]; its tokens get numbers from "
      "0,\n"
      "in the order of first occurrence.");

  m.def(
      "bag_overlaps",
      [](const Array<std::int32_t>& s, const Array<std::int64_t>& s_offsets, const Array<std::int32_t>& t,
         const Array<std::int64_t>& t_offsets) {
        const auto from = copied_ragged(s, s_offsets), to = copied_ragged(t, t_offsets);
        check_same_size(from.size(), to.size());
        check_words(from.values, most_words);
        std::vector<std::int64_t> overlaps(from.size());
        std::vector<std::int32_t> left;  // by token: how many of a pair's first sentence are not matched yet
        for (std::size_t k = 0; k < from.size(); ++k) {
          for (const std::int32_t token : from[k]) {
            const auto index = static_cast<std::size_t>(token);
            if (index >= left.size()) left.resize(index + 1);
            ++left[index];
          }
          for (const std::int32_t token : to[k]) {
            const auto index = static_cast<std::size_t>(token);
            if (index >= left.size() || left[index] == 0) continue;
            --left[index];
            ++overlaps[k];
          }
          for (const std::int32_t token : from[k]) left[static_cast<std::size_t>(token)] = 0;
        }
        return to_numpy(std::move(overlaps));
      },
      nb::arg("s").noconvert(), nb::arg("s_offsets").noconvert(), nb::arg("t").noconvert(),
      nb::arg("t_offsets").noconvert(), "The size of the intersection of each pair's bags of tokens.");
  m.def(
      "renumber_pairs",
      [](const Array<std::int32_t>& s, const Array<std::int64_t>& s_offsets, const Array<std::int64_t>& s_of,
         const Array<std::int32_t>& t, const Array<std::int64_t>& t_offsets) {
        const auto from = copied_ragged(s, s_offsets), to = copied_ragged(t, t_offsets);
        const auto sentence_of = copied(s_of);
        check_same_size(sentence_of.size(), to.size());
        check_words(from.values, most_words);
        check_words(to.values, most_words);
        std::vector<std::int32_t> numbers_s, numbers_t;
        std::vector<std::int64_t> offsets_s{0}, offsets_t{0};
        std::vector<std::int32_t> number_of;  // by token, for one pair
        for (std::size_t k = 0; k < to.size(); ++k) {
          const std::int64_t sentence = sentence_of[k];
          if (sentence < 0 || static_cast<std::size_t>(sentence) >= from.size())
            throw std::invalid_argument("there is no such sentence");
          const auto first = from[static_cast<std::size_t>(sentence)], second = to[k];
          std::int32_t count = 0;
          const auto number = [&](std::span<const std::int32_t> tokens, std::vector<std::int32_t>& out) {
            for (const std::int32_t token : tokens) {
              const auto index = static_cast<std::size_t>(token);
              if (index >= number_of.size()) number_of.resize(index + 1, -1);
              if (number_of[index] < 0) number_of[index] = count++;
              out.push_back(number_of[index]);
            }
          };
          number(first, numbers_s);
          number(second, numbers_t);
          for (const auto tokens : {first, second})
            for (const std::int32_t token : tokens) number_of[static_cast<std::size_t>(token)] = -1;
          offsets_s.push_back(static_cast<std::int64_t>(numbers_s.size()));
          offsets_t.push_back(static_cast<std::int64_t>(numbers_t.size()));
        }
        return to_tuple(std::move(numbers_s), std::move(offsets_s), std::move(numbers_t),
                        std::move(offsets_t));
      },
      nb::arg("s").noconvert(), nb::arg("s_offsets").noconvert(), nb::arg("s_of").noconvert(),
      nb::arg("t").noconvert(), nb::arg("t_offsets").noconvert(),
      "Renumbers pairs of numbered sentences as number_tokens does. Pair k is sentence s_of[k] of s and\n"
      "sentence k of t.");
}

}  // namespace hyperbaton::bindings
