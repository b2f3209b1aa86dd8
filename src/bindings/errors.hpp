// The error that a Python object of the wrong type raises.
#pragma once

#include <stdexcept>

namespace hyperbaton::bindings {

// Arrives in Python as hyperbaton.errors.InputTypeError. nanobind::type_error would arrive as a plain
// TypeError, which callers cannot tell from a bug.
class InputTypeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace hyperbaton::bindings
