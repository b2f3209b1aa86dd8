#include "bindings/batch.hpp"

namespace hyperbaton::bindings {

namespace {

// Returns numbers[word]. Most words are already in the dictionary, which makes the first lookup fast.
std::int32_t number_of(PyObject* numbers, PyObject* word) {
  // A comparison or __missing__ may remove the word from its list.
  const auto keep_alive = nb::borrow<nb::object>(word);
  PyObject* const known = PyUnicode_CheckExact(word) ? PyDict_GetItemWithError(numbers, word) : nullptr;
  if (known != nullptr) return nb::cast<std::int32_t>(nb::handle(known));
  if (PyErr_Occurred()) throw nb::python_error();
  const auto number = nb::steal<nb::object>(PyObject_GetItem(numbers, word));
  if (!number.is_valid()) throw nb::python_error();
  return nb::cast<std::int32_t>(number);
}

}  // namespace

void bind_words(nb::module_& m) {
  // Returns the numbers of all words of many sentences, and the offsets of the sentences. The dictionary
  // assigns a number to a new word in its __missing__.
  m.def(
      "number",
      [](const nb::list& sentences, const nb::dict& numbers) {
        std::vector<std::int32_t> flat;
        std::vector<std::int64_t> offsets{0};
        for (Py_ssize_t k = 0; k < PyList_GET_SIZE(sentences.ptr()); ++k) {
          const auto words = nb::borrow<nb::object>(PyList_GET_ITEM(sentences.ptr(), k));
          if (!PyList_Check(words.ptr()))
            throw nb::type_error("a sentence must be a list of words");  // a bug of the caller
          for (Py_ssize_t j = 0; j < PyList_GET_SIZE(words.ptr()); ++j)
            flat.push_back(number_of(numbers.ptr(), PyList_GET_ITEM(words.ptr(), j)));
          offsets.push_back(static_cast<std::int64_t>(flat.size()));
        }
        return nb::make_tuple(to_numpy(std::move(flat)), to_numpy(std::move(offsets)));
      },
      nb::arg("sentences"), nb::arg("numbers"));
}

}  // namespace hyperbaton::bindings
