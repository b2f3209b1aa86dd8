#include "bindings/text/lines.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <optional>

#include "bindings/batch.hpp"
#include "bindings/errors.hpp"
#include "support/errors.hpp"
#include "text/digest.hpp"
#include "text/utf8.hpp"

namespace hyperbaton::bindings {

namespace {

// Raises an error that calls the string by name() if it is not a valid line of text. `scratch` is memory that
// is used again.
template <class Name>
void check_string(PyObject* string, std::string& scratch, Name name) {
  if (!PyUnicode_Check(string)) throw InputTypeError(name() + " must be a string, got " + type_name(string));
  scratch.clear();
  if (!append_utf8(string, scratch)) throw InputError(name() + " has an unpaired surrogate");
  if (scratch.find('\0') != std::string::npos) throw InputError(name() + " has a NUL character");
}

using Strings = nb::typed<nb::list, nb::str>;

void check_strings(const nb::typed<nb::list, nb::any>& strings, const std::string& name) {
  std::string scratch;
  for (std::size_t k = 0; k < strings.size(); ++k)
    check_string(nb::object(strings[k]).ptr(), scratch, [&] { return name + "[" + std::to_string(k) + "]"; });
}

Lines lines_of_strings(const nb::typed<nb::sequence, nb::str>& strings) {
  auto buffer = std::make_shared<std::string>();
  std::vector<std::size_t> ends;
  for (const nb::handle string : strings) {
    if (!PyUnicode_Check(string.ptr()))
      throw nb::type_error("a line must be a string");  // a bug of the caller
    if (!append_utf8(string.ptr(), *buffer))
      throw InputError("line " + std::to_string(ends.size()) + " has an unpaired surrogate");
    ends.push_back(buffer->size());
  }
  Lines lines;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    lines.views.push_back(std::string_view(*buffer).substr(begin, end - begin));
    begin = end;
  }
  lines.keep(std::move(buffer));
  return lines;
}

// Splits at "\n", drops "\r" at the end of a line, and returns the first line that is not UTF-8 or has a NUL
// byte, or -1.
std::pair<Lines, Py_ssize_t> lines_of_bytes(const nb::bytes& bytes) {
  Lines lines;
  Py_ssize_t invalid = -1;
  const std::string_view text(bytes.c_str(), bytes.size());
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    if (invalid < 0 && (line.find('\0') != std::string_view::npos || (!is_ascii(line) && !is_utf8(line))))
      invalid = static_cast<Py_ssize_t>(lines.views.size());
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.views.push_back(line);
    begin = end + 1;
  }
  // Released with the GIL, because the last owner may be a thread without it.
  PyObject* const owner = bytes.inc_ref().ptr();
  lines.keep(std::shared_ptr<const void>(owner, [](const void* p) {
    const nb::gil_scoped_acquire gil;
    Py_DECREF(static_cast<PyObject*>(const_cast<void*>(p)));
  }));
  return {std::move(lines), invalid};
}

Strings as_list(const Lines& lines) {
  Strings strings;
  for (const std::string_view line : lines.views) strings.append(to_str(line));
  return strings;
}

}  // namespace

nb::str to_str(std::string_view line) {
  PyObject* const string = PyUnicode_DecodeUTF8(line.data(), static_cast<Py_ssize_t>(line.size()), nullptr);
  if (string == nullptr) throw nb::python_error();
  return nb::steal<nb::str>(string);
}

bool append_utf8(PyObject* string, std::string& out) {
  // PyUnicode_AsUTF8AndSize would make no copy, but keep one in the string if it is not ASCII.
  const nb::object utf8 = nb::steal(PyUnicode_AsUTF8String(string));
  if (!utf8.is_valid()) {
    if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) throw nb::python_error();
    PyErr_Clear();
    return false;
  }
  out.append(PyBytes_AsString(utf8.ptr()), static_cast<std::size_t>(PyBytes_Size(utf8.ptr())));
  return true;
}

void bind_lines(nb::module_& m) {
  m.def(
      "check_string",
      [](nb::handle string, const std::string& name) {
        std::string scratch;
        check_string(string.ptr(), scratch, [&] { return name; });
      },
      nb::arg("string").none(), nb::arg("name"),
      "Raises an error, which calls the string by `name`, unless it is a valid line of text.");
  m.def("check_strings", check_strings, nb::arg("strings"), nb::arg("name"),
        "Raises an error, which calls the strings by `name`, unless all are valid lines of text.");

  // hyperbaton.text.words registers the class as a sequence.
  nb::class_<Lines>(m, "Lines", nb::sig("class Lines(collections.abc.Sequence[str])"),
                    "Lines of valid UTF-8 without NUL.")
      .def_static("from_strings", lines_of_strings, nb::arg("strings"))
      .def_static("from_bytes", lines_of_bytes, nb::arg("content"),
                  "The lines of a file, and the first one that is not UTF-8 or has a NUL byte, or -1.")
      .def_static(
          "from_arrow",
          [](nb::handle object, const std::string& name) {
            std::optional<Lines> lines(std::in_place);
            if (!append_arrow(object, name, *lines)) lines.reset();
            return lines;
          },
          nb::arg("array"), nb::arg("name"),
          "The strings of an object with Arrow's PyCapsule interface; None if it has no strings. Errors "
          "call\n"
          "the object by `name`.")
      .def_static(
          "interleave",
          [](const nb::typed<nb::list, Lines>& parts) {
            Lines lines;
            std::vector<const Lines*> all;
            for (const nb::handle part : parts) {
              if (!nb::isinstance<Lines>(part)) throw nb::type_error("a part must be lines");
              all.push_back(nb::inst_ptr<Lines>(part));
            }
            for (const Lines* part : all) {
              check_same_size(all[0]->views.size(), part->views.size());
              lines.keep(part->memory());
            }
            for (std::size_t k = 0; !all.empty() && k < all[0]->views.size(); ++k)
              for (const Lines* part : all) lines.views.push_back(part->views[k]);
            return lines;
          },
          nb::arg("parts"), "The first lines of all parts, then the second ones, and so on.")
      .def("__len__", [](const Lines& lines) { return lines.views.size(); })
      .def("__getitem__",
           [](const Lines& lines, Py_ssize_t k) {
             const auto size = static_cast<Py_ssize_t>(lines.views.size());
             if (k < -size || k >= size) throw nb::index_error("line index out of range");
             return to_str(lines.views[static_cast<std::size_t>(k < 0 ? k + size : k)]);
           })
      .def("__getitem__",
           [](const Lines& lines, const nb::slice& slice) {
             const auto [start, stop, step, count] = slice.compute(lines.views.size());
             if (step != 1) throw nb::value_error("lines can only be sliced with step 1");
             return lines.select(static_cast<std::size_t>(start), static_cast<std::size_t>(start) + count);
           })
      .def("__iter__",
           [](const Lines& lines) { return nb::typed<nb::iterator, nb::str>(nb::iter(as_list(lines))); })
      .def("tolist", as_list)
      .def(
          "count_ending",
          [](const Lines& lines, const std::string& end) {
            return std::count_if(lines.views.begin(), lines.views.end(),
                                 [&](std::string_view line) { return line.ends_with(end); });
          },
          nb::arg("end"))
      .def(
          "digest",
          [](const Lines& lines, const Array<std::int64_t>& numbers) {
            check_same_size(lines.views.size(), numbers.size());
            Digest digest;
            for (std::size_t k = 0; k < lines.views.size(); ++k)
              digest.add(lines.views[k], static_cast<std::uint64_t>(view(numbers)[k]));
            return std::pair(digest.low, digest.high);
          },
          nb::arg("numbers").noconvert())
      .def("__reduce__", [](const Lines& lines) {
        // pickle finds functions of Python modules by their names, but not those of this module.
        const nb::object make = nb::module_::import_("hyperbaton.text.words").attr("lines_from_strings");
        return nb::typed<nb::tuple, nb::any, nb::ellipsis>(
            nb::make_tuple(make, nb::make_tuple(as_list(lines))));
      });
}

}  // namespace hyperbaton::bindings
