#include "bindings/batch.hpp"

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
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(tokens.ptr()); ++k)
      out.push_back(number(PyTuple_GET_ITEM(tokens.ptr(), k)));
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
  // Pair k is the tuples s[k] and t[k]. Its tokens get numbers from 0, in the order of first occurrence.
  m.def(
      "number_tokens",
      [](const nb::tuple& s, const nb::tuple& t) {
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
        return nb::make_tuple(to_numpy(std::move(numbers_s)), to_numpy(std::move(offsets_s)),
                              to_numpy(std::move(numbers_t)), to_numpy(std::move(offsets_t)));
      },
      nb::arg("s"), nb::arg("t"));
}

}  // namespace hyperbaton::bindings
