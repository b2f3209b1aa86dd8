#include <algorithm>
#include <cstring>
#include <deque>

#include "bindings/errors.hpp"
#include "bindings/text/lines.hpp"
#include "support/errors.hpp"
#include "text/utf8.hpp"

// The Arrow C data interface and the Arrow C stream interface, whose memory layout is a public standard.
extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
}

namespace hyperbaton::bindings {

namespace {

// Releases one of the structs above at the end of its life. `Struct` is zero before it is filled.
template <class Struct>
struct Owned {
  Struct value{};
  Owned() = default;
  // Takes over the content: the producer must not release it, too.
  explicit Owned(Struct* other) : value(*other) { other->release = nullptr; }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (value.release != nullptr) value.release(&value);
  }
};

// Returns the struct in a capsule. Errors call the object that the capsule comes from by `owner`.
template <class Struct>
Struct* in_capsule(nb::handle capsule, const char* name, const std::string& owner) {
  if (!PyCapsule_IsValid(capsule.ptr(), name))
    throw InputTypeError(owner + " has Arrow's interface, but gives no " + name);
  auto* const pointer = static_cast<Struct*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (pointer->release == nullptr) throw InputError(owner + " gives Arrow data that was already read");
  return pointer;
}

bool is_null(const ArrowArray& array, std::int64_t k) {
  const auto* const valid =
      static_cast<const std::uint8_t*>(array.n_buffers > 0 ? array.buffers[0] : nullptr);
  return valid != nullptr && (valid[k >> 3] >> (k & 7) & 1) == 0;
}

template <class Offset>
std::string_view string_at(const ArrowArray& array, std::int64_t k) {
  const auto* const offsets = static_cast<const Offset*>(array.buffers[1]);
  const auto* const data = static_cast<const char*>(array.buffers[2]);
  if (offsets[k] == offsets[k + 1]) return {};
  return {data + offsets[k], static_cast<std::size_t>(offsets[k + 1] - offsets[k])};
}

std::string_view view_at(const ArrowArray& array, std::int64_t k) {
  const char* const view = static_cast<const char*>(array.buffers[1]) + 16 * k;
  std::int32_t length, buffer, offset;
  std::memcpy(&length, view, 4);
  if (length <= 12) return {view + 4, static_cast<std::size_t>(length)};
  std::memcpy(&buffer, view + 8, 4);
  std::memcpy(&offset, view + 12, 4);
  return {static_cast<const char*>(array.buffers[2 + buffer]) + offset, static_cast<std::size_t>(length)};
}

// Whether offsets ascend from 0 or more. They are all checked before one of them is used.
template <class Offset>
bool are_valid_offsets(const ArrowArray& array) {
  const auto* const offsets = static_cast<const Offset*>(array.buffers[1]) + array.offset;
  return offsets[0] >= 0 && std::is_sorted(offsets, offsets + array.length + 1) &&
         (array.buffers[2] != nullptr || offsets[0] == offsets[array.length]);
}

bool are_valid_views(const ArrowArray& array) {
  for (std::int64_t k = array.offset; k < array.offset + array.length; ++k) {
    const char* const view = static_cast<const char*>(array.buffers[1]) + 16 * k;
    std::int32_t length, buffer, offset;
    std::memcpy(&length, view, 4);
    std::memcpy(&buffer, view + 8, 4);
    std::memcpy(&offset, view + 12, 4);
    // The last buffer has the sizes of those before it.
    if (length < 0 || (length > 12 && (buffer < 0 || buffer >= array.n_buffers - 3 || offset < 0)))
      return false;
  }
  return true;
}

// Raises an error for mistakes of the producer that can be noticed. The interface does not have the sizes of
// buffers.
void check_array(const std::string& format, const ArrowArray& array, const std::string& name) {
  constexpr std::int64_t most = std::int64_t{1} << 48;
  const auto require = [&](bool valid) {
    if (!valid) throw InputError(name + " gives Arrow data that contradicts itself");
  };
  require(array.length >= 0 && array.offset >= 0 && array.length < most && array.offset < most);
  if (array.length == 0) return;
  require(array.n_buffers >= 3 && array.buffers != nullptr && array.buffers[1] != nullptr);
  require(format == "u"   ? are_valid_offsets<std::int32_t>(array)
          : format == "U" ? are_valid_offsets<std::int64_t>(array)
                          : are_valid_views(array));
}

void append_array(const std::string& format, const ArrowArray& array, const std::string& name, Lines& lines) {
  check_array(format, array, name);
  for (std::int64_t k = array.offset; k < array.offset + array.length; ++k) {
    const auto item = [&] { return name + "[" + std::to_string(lines.views.size()) + "]"; };
    if (is_null(array, k)) throw InputTypeError(item() + " must be a string, got null");
    const std::string_view line = format == "u"   ? string_at<std::int32_t>(array, k)
                                  : format == "U" ? string_at<std::int64_t>(array, k)
                                                  : view_at(array, k);
    if (line.find('\0') != std::string_view::npos) throw InputError(item() + " has a NUL character");
    if (!is_ascii(line) && !is_utf8(line)) throw InputError(item() + " is not UTF-8");
    lines.views.push_back(line);
  }
}

bool has_strings(const ArrowSchema& schema) {
  const std::string_view format = schema.format != nullptr ? schema.format : "";
  return schema.dictionary == nullptr && (format == "u" || format == "U" || format == "vu");
}

bool append_stream(ArrowArrayStream& stream, const std::string& name, Lines& lines) {
  const auto check = [&](int code) {
    if (code == 0) return;
    const char* const reason = stream.get_last_error(&stream);
    throw InputError(name +
                     " cannot be read from Arrow: " + (reason != nullptr ? reason : std::strerror(code)));
  };
  Owned<ArrowSchema> schema;
  check(stream.get_schema(&stream, &schema.value));
  if (!has_strings(schema.value)) return false;
  auto arrays = std::make_shared<std::deque<Owned<ArrowArray>>>();
  for (;;) {
    ArrowArray& array = arrays->emplace_back().value;
    check(stream.get_next(&stream, &array));
    if (array.release == nullptr) break;
    append_array(schema.value.format, array, name, lines);
  }
  lines.keep(std::move(arrays));
  return true;
}

}  // namespace

bool append_arrow(nb::handle object, const std::string& name, Lines& lines) {
  if (!nb::getattr(object, "__arrow_c_stream__", nb::none()).is_none()) {
    const nb::object capsule = object.attr("__arrow_c_stream__")();
    Owned<ArrowArrayStream> stream(in_capsule<ArrowArrayStream>(capsule, "arrow_array_stream", name));
    return append_stream(stream.value, name, lines);
  }
  const nb::object capsules = object.attr("__arrow_c_array__")();
  if (!PyTuple_Check(capsules.ptr()) || PyTuple_Size(capsules.ptr()) != 2)
    throw InputTypeError(name + " has Arrow's interface, but gives no pair of capsules");
  const ArrowSchema& schema =
      *in_capsule<ArrowSchema>(PyTuple_GetItem(capsules.ptr(), 0), "arrow_schema", name);
  if (!has_strings(schema)) return false;
  auto* const array = in_capsule<ArrowArray>(PyTuple_GetItem(capsules.ptr(), 1), "arrow_array", name);
  auto owned = std::make_shared<Owned<ArrowArray>>(array);
  append_array(schema.format, owned->value, name, lines);
  lines.keep(std::move(owned));
  return true;
}

}  // namespace hyperbaton::bindings
