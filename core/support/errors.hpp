// The error that invalid input raises.
#pragma once

#include <stdexcept>

namespace hyperbaton {

// The user passed something invalid. The message is one line that says what is wrong and where.
// Errors that only a bug can cause are plain standard exceptions.
class InputError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace hyperbaton
