// What the binding files share: arrays in and out, and the loop over a batch without the GIL.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "measures.hpp"
#include "parallel.hpp"
#include "ragged.hpp"

namespace hyperbaton::bindings {

namespace nb = nanobind;

template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Result = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T>
std::span<const T> view(const Array<T>& array) {
  return {array.data(), array.size()};
}

template <class T>
Result<T> to_numpy(std::vector<T>&& values) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Result<T>(owned->data(), {owned->size()}, owner);
}

template <class Value>
Ragged<Value> ragged(const Array<Value>& values, const Array<std::int64_t>& offsets) {
  const auto bounds = view(offsets);
  return Ragged<Value>(view(values), std::vector<std::int64_t>(bounds.begin(), bounds.end()));
}

// Lets go of the GIL; takes it again at the end of the scope. A thread that is still here when the
// interpreter ends must not ask for the GIL any more: it would be killed inside a destructor, which
// aborts the process. It waits for the end instead.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() {
    while (finalizing()) std::this_thread::sleep_for(std::chrono::hours(1));
    PyEval_RestoreThread(state_);
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  static bool finalizing() {
#if PY_VERSION_HEX >= 0x030D0000
    return Py_IsFinalizing();
#else
    return _Py_IsFinalizing();
#endif
  }
  PyThreadState* state_;
};

// Signals, Ctrl-C among them, are the main thread's: another one need not ask for them.
inline bool in_main_thread() {
  const nb::object main = nb::module_::import_("threading").attr("main_thread")();
  return nb::cast<unsigned long>(main.attr("ident")) == PyThread_get_thread_ident();
}

// for_each without the GIL, if it is much. Ctrl-C ends it.
template <class MakeWork>
void run(std::size_t count, std::size_t cost, int threads, MakeWork make_work) {
  if (!worth_threads(cost)) return for_each(count, cost, 1, nullptr, make_work);
  Poll signals = nullptr;
  if (in_main_thread()) {
    signals = [] {
      const nb::gil_scoped_acquire gil;
      return PyErr_CheckSignals() != 0;
    };
  }
  try {
    const WithoutGil no_gil;
    for_each(count, cost, threads, signals, make_work);
  } catch (const Interrupted&) {
    throw nb::python_error();  // the signal handler's exception
  }
}

// body(analyzer, k) for every permutation, loaded and checked, on `threads` threads.
template <class Value, class Body>
void for_each_permutation(const Ragged<Value>& batch, int threads, Body body) {
  run(batch.size(), batch.values.size(), threads, [&](const Stop& stop) {
    return [&, analyzer = Analyzer(stop)](std::size_t k) mutable {
      try {
        analyzer.load(batch[k]);
      } catch (const NotAPermutation& error) {
        throw NotAPermutation("perms[" + std::to_string(k) + "]: " + error.what());
      }
      body(analyzer, k);
    };
  });
}

// One number for every permutation.
template <class Value, class Body>
Result<double> map(const Array<Value>& values, const Array<std::int64_t>& offsets, int threads, Body body) {
  const auto batch = ragged(values, offsets);
  std::vector<double> out(batch.size());
  for_each_permutation(batch, threads,
                       [&](Analyzer& analyzer, std::size_t k) { out[k] = body(analyzer, k); });
  return to_numpy(std::move(out));
}

// Each function is bound for both widths of integer, so that neither has to be copied.
template <class Bind>
void for_both_widths(Bind bind) {
  bind(std::int64_t{});
  bind(std::int32_t{});
}

void bind_ragged(nb::module_& m);
void bind_flat(nb::module_& m);
void bind_tree(nb::module_& m);
void bind_reorderings(nb::module_& m);
void bind_forest(nb::module_& m);
void bind_measures(nb::module_& m);
void bind_resampling(nb::module_& m);
void bind_tokens(nb::module_& m);
void bind_inversion(nb::module_& m);
void bind_cder(nb::module_& m);
void bind_tree_edit(nb::module_& m);
void bind_words(nb::module_& m);
void bind_paraphrases(nb::module_& m);
void bind_aligner(nb::module_& m);
void bind_context(nb::module_& m);

}  // namespace hyperbaton::bindings
