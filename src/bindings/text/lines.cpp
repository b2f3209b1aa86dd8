#include "bindings/text/lines.hpp"

#include <nanobind/stl/string.h>

#include <cstring>

#include "bindings/batch.hpp"
#include "bindings/errors.hpp"
#include "support/errors.hpp"
#include "text/digest.hpp"
#include "text/utf8.hpp"

namespace hyperbaton::bindings {

namespace {

template <class Unit>
bool append_code_points(const Unit* units, Py_ssize_t count, std::string& out) {
  for (Py_ssize_t k = 0; k < count; ++k) {
    const auto c = static_cast<std::uint32_t>(units[k]);
    if (c < 0x80) {
      out.push_back(static_cast<char>(c));
    } else if (c < 0x800) {
      out.push_back(static_cast<char>(0xC0 | c >> 6));
      out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
    } else if (c < 0x10000) {
      if (c >= 0xD800 && c < 0xE000) return false;
      out.push_back(static_cast<char>(0xE0 | c >> 12));
      out.push_back(static_cast<char>(0x80 | (c >> 6 & 0x3F)));
      out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
    } else {
      out.push_back(static_cast<char>(0xF0 | c >> 18));
      out.push_back(static_cast<char>(0x80 | (c >> 12 & 0x3F)));
      out.push_back(static_cast<char>(0x80 | (c >> 6 & 0x3F)));
      out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
    }
  }
  return true;
}

// Why a string cannot be a line of text; null if it can.
const char* why_invalid(PyObject* string) {
  const Py_ssize_t length = PyUnicode_GET_LENGTH(string);
  const void* const data = PyUnicode_DATA(string);
  const int kind = PyUnicode_KIND(string);
  if (kind == PyUnicode_1BYTE_KIND)
    return std::memchr(data, 0, static_cast<std::size_t>(length)) ? "has a NUL character" : nullptr;
  for (Py_ssize_t k = 0; k < length; ++k) {
    const Py_UCS4 c = PyUnicode_READ(kind, data, k);
    if (c == 0) return "has a NUL character";
    if (c >= 0xD800 && c < 0xE000) return "has an unpaired surrogate";
  }
  return nullptr;
}

// Strings of old C interfaces may not have their data yet.
void make_ready([[maybe_unused]] PyObject* string) {
#if PY_VERSION_HEX < 0x030C0000
  if (PyUnicode_READY(string) < 0) throw nb::python_error();
#endif
}

// Raises an error that calls the string by name() if it is not a valid line of text.
template <class Name>
void check_string(PyObject* string, Name name) {
  if (!PyUnicode_Check(string)) throw InputTypeError(name() + " must be a string, got " + type_name(string));
  make_ready(string);
  if (const char* const reason = why_invalid(string)) throw InputError(name() + " " + reason);
}

void check_strings(const nb::list& strings, const std::string& name) {
  for (Py_ssize_t k = 0; k < PyList_GET_SIZE(strings.ptr()); ++k)
    check_string(PyList_GET_ITEM(strings.ptr(), k), [&] { return name + "[" + std::to_string(k) + "]"; });
}

Lines lines_of_strings(const nb::sequence& strings) {
  auto buffer = std::make_shared<std::string>();
  std::vector<std::size_t> ends;
  const auto items = nb::steal<nb::object>(PySequence_Fast(strings.ptr(), "expected a sequence of strings"));
  if (!items.is_valid()) throw nb::python_error();
  for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(items.ptr()); ++k) {
    PyObject* const string = PySequence_Fast_GET_ITEM(items.ptr(), k);
    if (!PyUnicode_Check(string)) throw nb::type_error("a line must be a string");  // a bug of the caller
    make_ready(string);
    if (!append_utf8(string, *buffer))
      throw InputError("line " + std::to_string(k) + " has an unpaired surrogate");
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

nb::list as_list(const Lines& lines) {
  nb::list strings;
  for (const std::string_view line : lines.views) strings.append(to_str(line));
  return strings;
}

}  // namespace

nb::object to_str(std::string_view line) {
  PyObject* const string = PyUnicode_DecodeUTF8(line.data(), static_cast<Py_ssize_t>(line.size()), nullptr);
  if (string == nullptr) throw nb::python_error();
  return nb::steal<nb::object>(string);
}

std::string type_name(PyObject* object) {
  const std::string name = Py_TYPE(object)->tp_name;
  return name.substr(name.rfind('.') + 1);
}

bool append_utf8(PyObject* string, std::string& out) {
  const Py_ssize_t length = PyUnicode_GET_LENGTH(string);
  const void* const data = PyUnicode_DATA(string);
  if (PyUnicode_IS_ASCII(string)) {
    out.append(static_cast<const char*>(data), static_cast<std::size_t>(length));
    return true;
  }
  switch (PyUnicode_KIND(string)) {
    case PyUnicode_1BYTE_KIND:
      return append_code_points(static_cast<const Py_UCS1*>(data), length, out);
    case PyUnicode_2BYTE_KIND:
      return append_code_points(static_cast<const Py_UCS2*>(data), length, out);
    default:
      return append_code_points(static_cast<const Py_UCS4*>(data), length, out);
  }
}

void bind_lines(nb::module_& m) {
  m.def(
      "check_string",
      [](nb::handle string, const std::string& name) { check_string(string.ptr(), [&] { return name; }); },
      nb::arg("string"), nb::arg("name"));
  m.def("check_strings", check_strings, nb::arg("strings"), nb::arg("name"));

  nb::class_<Lines>(m, "Lines")
      .def_static("from_strings", lines_of_strings, nb::arg("strings"))
      .def_static(
          "from_bytes",
          [](const nb::bytes& bytes) {
            auto [lines, invalid] = lines_of_bytes(bytes);
            return nb::make_tuple(std::move(lines), invalid);
          },
          nb::arg("content"))
      .def_static(
          "from_arrow",
          [](nb::handle object, const std::string& name) {
            Lines lines;
            return append_arrow(object, name, lines) ? nb::cast(std::move(lines)) : nb::none();
          },
          nb::arg("array"), nb::arg("name"))
      // The first lines of all parts, then the second ones, and so on.
      .def_static(
          "interleave",
          [](const nb::list& parts) {
            Lines lines;
            std::vector<const Lines*> all;
            for (const nb::handle part : parts) all.push_back(&nb::cast<const Lines&>(part));
            for (const Lines* part : all) {
              check_same_size(all[0]->views.size(), part->views.size());
              lines.keep(part->memory());
            }
            for (std::size_t k = 0; !all.empty() && k < all[0]->views.size(); ++k)
              for (const Lines* part : all) lines.views.push_back(part->views[k]);
            return lines;
          },
          nb::arg("parts"))
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
      .def("__iter__", [](const Lines& lines) { return nb::iter(as_list(lines)); })
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
              digest.add(lines.views[k], static_cast<std::uint64_t>(numbers.data()[k]));
            return nb::make_tuple(digest.low, digest.high);
          },
          nb::arg("numbers").noconvert())
      .def("__reduce__", [](const Lines& lines) {
        // pickle finds functions of Python modules by their names, but not those of this module.
        const nb::object make = nb::module_::import_("hyperbaton.text.words").attr("lines_from_strings");
        return nb::make_tuple(make, nb::make_tuple(as_list(lines)));
      });
}

}  // namespace hyperbaton::bindings
