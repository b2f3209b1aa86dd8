// The error that a Python object of the wrong type raises, and the name of that type.
#pragma once

#include <nanobind/nanobind.h>

#include <stdexcept>
#include <string>

namespace hyperbaton::bindings {

// Arrives in Python as hyperbaton.errors.InputTypeError. nanobind::type_error would arrive as a plain
// TypeError, which callers cannot tell from a bug.
class InputTypeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The name of an object's type, without its module.
inline std::string type_name(nanobind::handle object) {
  const auto name = nanobind::steal<nanobind::str>(PyType_GetName(Py_TYPE(object.ptr())));
  if (!name.is_valid()) throw nanobind::python_error();
  return name.c_str();
}

}  // namespace hyperbaton::bindings
