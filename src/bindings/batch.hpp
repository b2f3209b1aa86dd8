// What all bindings share: arrays in and out, and the parallel loop without the GIL.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "support/parallel.hpp"
#include "support/ragged.hpp"

namespace hyperbaton::bindings {

namespace nb = nanobind;

// Arrays that come from Python, and new ones that go there. Both have one dimension and no gaps.
template <class T>
struct Array : nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu> {
  using Plain = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  using Plain::Plain;
  Array(Plain&& array) : Plain(std::move(array)) {}
};
template <class T>
struct Result : nb::ndarray<nb::numpy, T, nb::ndim<1>> {
  using Plain = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
  using Plain::Plain;
};
}  // namespace hyperbaton::bindings

// In signatures and in the stub, an array has only the type of its items: the rest is the same everywhere.
namespace nanobind::detail {

template <class T>
constexpr auto array_name = const_name("numpy.typing.NDArray[numpy.") + dtype_traits<T>::name +
                            const_name<std::is_same_v<T, bool>>("_]", "]");

template <class T>
struct type_caster<hyperbaton::bindings::Array<T>> {
  NB_TYPE_CASTER(hyperbaton::bindings::Array<T>, array_name<T>)
  bool from_python(handle object, std::uint32_t flags, cleanup_list* cleanup) noexcept {
    make_caster<typename Value::Plain> plain;
    if (!plain.from_python(object, flags, cleanup)) return false;
    value = std::move(plain.value);
    return true;
  }
};

template <class T>
struct type_caster<hyperbaton::bindings::Result<T>> {
  NB_TYPE_CASTER(hyperbaton::bindings::Result<T>, array_name<T>)
  static handle from_cpp(const Value& array, rv_policy policy, cleanup_list* cleanup) noexcept {
    return make_caster<typename Value::Plain>::from_cpp(array, policy, cleanup);
  }
};

}  // namespace nanobind::detail

namespace hyperbaton::bindings {

// Integers of either type, so that neither kind of array has to be copied.
using Integers = std::variant<Array<std::int64_t>, Array<std::int32_t>>;

// Arrays belong to the caller, and its other threads may change them at any time: while the core works
// without the GIL, and also while it holds the GIL, because NumPy fills large arrays without it. So whatever
// is checked before it is used, such as an index, must be a copy (copied, copied_ragged). A view is only for
// values that cannot lead to an access out of bounds, whatever they are, or that the core copies before it
// checks them.
//
// The Python code passes aligned arrays. NumPy also makes others, which processors may refuse to read.
template <class T>
std::span<const T> view(const Array<T>& array) {
  if (reinterpret_cast<std::uintptr_t>(array.data()) % alignof(T) != 0)
    throw std::invalid_argument("an array is not aligned");
  return {array.data(), array.size()};
}

template <class T>
std::vector<T> copied(const Array<T>& array) {
  return {array.data(), array.data() + array.size()};
}

template <class T>
Result<T> to_numpy(std::vector<T>&& values) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Result<T>(owned->data(), {owned->size()}, owner);
}

// Several arrays, as a Python tuple.
template <class... T>
std::tuple<Result<T>...> to_tuple(std::vector<T>&&... values) {
  return {to_numpy(std::move(values))...};
}

// A batch with a view of the values. The offsets are always a copy.
template <class Value>
Ragged<Value> ragged(const Array<Value>& values, const Array<std::int64_t>& offsets) {
  return Ragged<Value>(view(values), copied(offsets));
}

// A batch with a copy of the values.
template <class Value>
Ragged<Value> copied_ragged(const Array<Value>& values, const Array<std::int64_t>& offsets) {
  return Ragged<Value>(copied(values), copied(offsets));
}

// Loads a permutation or a tree from a view of its values.
template <class Target>
void load(const Integers& values, Target& target) {
  std::visit([&](const auto& array) { target.load(view(array)); }, values);
}

// A batch of permutations or trees with a view of the values.
class IntegerBatch {
 public:
  IntegerBatch(const Integers& values, const Array<std::int64_t>& offsets) : batch_(batch(values, offsets)) {}

  std::size_t size() const { return offsets().size() - 1; }
  std::size_t value_count() const { return begin(size()); }
  std::size_t begin(std::size_t k) const { return static_cast<std::size_t>(offsets()[k]); }
  std::size_t length(std::size_t k) const { return begin(k + 1) - begin(k); }
  template <class Target>
  void load(std::size_t k, Target& target) const {
    std::visit([&](const auto& batch) { target.load(batch[k]); }, batch_);
  }

 private:
  using Batch = std::variant<Ragged<std::int64_t>, Ragged<std::int32_t>>;
  Batch batch_;

  static Batch batch(const Integers& values, const Array<std::int64_t>& offsets) {
    if (const auto* wide = std::get_if<0>(&values))
      return Batch(std::in_place_index<0>, view(*wide), copied(offsets));
    return Batch(std::in_place_index<1>, view(std::get<1>(values)), copied(offsets));
  }
  const std::vector<std::int64_t>& offsets() const {
    return std::visit([](const auto& batch) -> const auto& { return batch.offsets; }, batch_);
  }
};

// The Python code always passes two batches of the same size, so this is not an InputError.
inline void check_same_size(std::size_t first, std::size_t second) {
  if (first != second)
    throw std::invalid_argument("both sides must have the same number of items, got " +
                                std::to_string(first) + " and " + std::to_string(second));
}

// Python's own function, which needs no GIL. The stable ABI has it only since Python 3.13, so the module
// looks it up when it is imported.
inline int (*is_finalizing)() = nullptr;

// Whether the interpreter is shutting down. All threads but the one that shuts it down are then killed or
// stopped when they take the GIL.
inline bool finalizing() {
  return is_finalizing() != 0;
}

// Releases the GIL until the end of the scope. If the interpreter has begun to shut down by then, the thread
// must not take the GIL again: it would be killed inside a destructor, which aborts the process. It
// waits for the end of the process instead. Whoever has the GIL during the shutdown is the thread that shuts
// down, and may take it again.
class WithoutGil {
 public:
  WithoutGil() : shuts_down_(finalizing()), state_(PyEval_SaveThread()) {}
  ~WithoutGil() {
    while (!shuts_down_ && finalizing()) std::this_thread::sleep_for(std::chrono::hours(1));
    PyEval_RestoreThread(state_);
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  bool shuts_down_;
  PyThreadState* state_;
};

// Only the main thread receives signals such as Ctrl-C, so other threads need not check for them.
inline bool in_main_thread() {
  const nb::object main = nb::module_::import_("threading").attr("main_thread")();
  return nb::cast<unsigned long>(main.attr("ident")) == PyThread_get_thread_ident();
}

// Looks for signals, for a parallel loop; null on other threads than the main one.
inline Poll signal_poll() {
  if (!in_main_thread()) return nullptr;
  return [] {
    const nb::gil_scoped_acquire gil;
    return PyErr_CheckSignals() != 0;
  };
}

// Does work without the GIL that may be interrupted by a poll.
template <class Work>
void run_interruptible(Work work) {
  try {
    const WithoutGil no_gil;
    work();
  } catch (const Interrupted&) {
    if (PyErr_Occurred()) throw nb::python_error();  // the exception of the poll, such as a signal handler's
    throw;                                           // cancelled by another thread
  }
}

// Runs for_each. If there is much work, it does so without the GIL, and Ctrl-C interrupts it.
template <class MakeWork>
void run(std::size_t count, std::size_t cost, int threads, MakeWork make_work) {
  if (!worth_threads(cost)) return for_each(count, cost, 1, nullptr, make_work);
  const Poll signals = signal_poll();
  run_interruptible([&] { for_each(count, cost, threads, signals, make_work); });
}

}  // namespace hyperbaton::bindings
