// Lines of text as UTF-8, from Python strings, from the bytes of a file or from Arrow arrays.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hyperbaton::bindings {

namespace nb = nanobind;

nb::str to_str(std::string_view utf8);

// Appends the text of a Python string as UTF-8. Returns false if it has an unpaired surrogate.
bool append_utf8(PyObject* string, std::string& out);

// Valid UTF-8 without NUL, in memory that belongs to `owners` and does not change.
class Lines {
 public:
  std::vector<std::string_view> views;

  // Keeps the memory of views alive.
  void keep(std::shared_ptr<const void> owner) {
    auto owners = owners_ ? *owners_ : Owners();
    owners.push_back(std::move(owner));
    owners_ = std::make_shared<const Owners>(std::move(owners));
  }
  Lines select(std::size_t begin, std::size_t end) const {
    Lines selected;
    selected.views.assign(views.begin() + static_cast<std::ptrdiff_t>(begin),
                          views.begin() + static_cast<std::ptrdiff_t>(end));
    selected.owners_ = owners_;
    return selected;
  }
  std::shared_ptr<const void> memory() const { return owners_; }

 private:
  using Owners = std::vector<std::shared_ptr<const void>>;
  std::shared_ptr<const Owners> owners_;  // slices share it
};

// Appends the strings of an object with Arrow's PyCapsule interface. Returns false if it has no strings.
// Errors call the object by `name`.
bool append_arrow(nb::handle object, const std::string& name, Lines& lines);

}  // namespace hyperbaton::bindings
