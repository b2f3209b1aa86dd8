#include "permutations/permutation.hpp"

#include <nanobind/stl/string.h>

#include "bindings/batch.hpp"
#include "bindings/errors.hpp"

namespace hyperbaton::bindings {
namespace {

std::string with_article(const std::string& noun) {
  return (std::string("aeiouAEIOU").find(noun[0]) == std::string::npos ? "a " : "an ") + noun;
}

// The repr of a value, shortened.
std::string short_repr(PyObject* object) {
  const nb::object text = nb::steal(PyObject_Repr(object));
  const char* utf8 = text.is_valid() ? PyUnicode_AsUTF8AndSize(text.ptr(), nullptr) : nullptr;
  if (utf8 == nullptr) {
    if (!PyErr_ExceptionMatches(PyExc_Exception)) throw nb::python_error();  // such as KeyboardInterrupt
    PyErr_Clear();
    return "of type " + type_name(object);
  }
  constexpr Py_ssize_t longest = 60;
  if (PyUnicode_GetLength(text.ptr()) <= longest) return utf8;
  const nb::object start = nb::steal(PyUnicode_Substring(text.ptr(), 0, longest - 1));
  return std::string(nb::str(start).c_str()) + "…";
}

// The items of an iterable, as a tuple that keeps them alive: an item's __index__ may be user code
// that changes the iterable.
nb::object items_of(nb::handle sequence, const std::string& where) {
  PyObject* const object = sequence.ptr();
  // These are iterable, but their items have no order or are not meant as numbers.
  const bool rejected = PyDict_Check(object) || PyAnySet_Check(object) || PyUnicode_Check(object) ||
                        PyBytes_Check(object) || PyByteArray_Check(object);
  const nb::object iterator = rejected ? nb::object() : nb::steal(PyObject_GetIter(object));
  if (!iterator.is_valid()) {
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
    PyErr_Clear();
    throw InputTypeError(where + "a permutation is a sequence of integers, not " +
                         with_article(type_name(object)));
  }
  const bool plain = PyList_CheckExact(object) || PyTuple_CheckExact(object);
  nb::object items = nb::steal(PySequence_Tuple(plain ? object : iterator.ptr()));
  if (!items.is_valid()) throw nb::python_error();
  return items;
}

// Appends the integers of one sequence. A float or a bool is rejected, even where Python would accept
// it as an integer.
void append_integers(nb::handle sequence, const std::string& where, std::vector<std::int64_t>& out) {
  const nb::object items = items_of(sequence, where);
  const Py_ssize_t n = PyTuple_Size(items.ptr());
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* item = PyTuple_GetItem(items.ptr(), i);
    auto place = [&] {
      return where + "value " + short_repr(item) + " at position " + std::to_string(i + 1);
    };
    nb::object index;
    if (PyLong_CheckExact(item))
      index = nb::borrow(item);
    else if (!PyBool_Check(item) && PyIndex_Check(item))
      index = nb::steal(PyNumber_Index(item));
    if (!index.is_valid()) {
      if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
      PyErr_Clear();
      throw InputTypeError(place() + " is " + with_article(type_name(item)) + ", not an integer");
    }
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
    if (overflow != 0) throw NotAPermutation(place() + " is outside 1.." + std::to_string(n));
    out.push_back(value);
  }
}

}  // namespace

void bind_permutation(nb::module_& m) {
  m.def(
      "integers",
      [](nb::handle sequence) {
        std::vector<std::int64_t> values;
        append_integers(sequence, "", values);
        return to_numpy(std::move(values));
      },
      nb::arg("sequence").none(), "The integers of one sequence, as an array.");

  m.def(
      "pack",
      [](const nb::typed<nb::list, nb::any>& perms) {
        std::vector<std::int64_t> values;
        std::vector<std::int64_t> offsets{0};
        for (std::size_t k = 0; k < perms.size(); ++k) {
          append_integers(nb::object(perms[k]), "perms[" + std::to_string(k) + "]: ", values);
          offsets.push_back(static_cast<std::int64_t>(values.size()));
        }
        return to_tuple(std::move(values), std::move(offsets));
      },
      nb::arg("perms"), "The integers of many sequences, as flat values and offsets.");

  m.def(
      "checked",
      [](const Integers& values) {
        Permutation pi;
        load(values, pi);
        for (std::int32_t& value : pi.value) ++value;
        return to_numpy(std::move(pi.value));
      },
      nb::arg("values").noconvert(),
      "A copy of the values. Raises InputError unless they are a permutation of 1..n.");
}

}  // namespace hyperbaton::bindings
