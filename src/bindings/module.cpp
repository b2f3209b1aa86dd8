#include <exception>
#include <stdexcept>

#include "batch.hpp"

namespace {

// Invalid arguments are errors that a user can cause. They become the package's own classes, so
// that callers can tell them from bugs. The classes live as long as the process.
struct ErrorClasses {
  PyObject* input_error;
  PyObject* input_type_error;
};

void translate(const std::exception_ptr& exception, void* payload) {
  const auto& classes = *static_cast<const ErrorClasses*>(payload);
  try {
    std::rethrow_exception(exception);
  } catch (const std::invalid_argument& error) {
    PyErr_SetString(classes.input_error, error.what());
  } catch (const std::length_error& error) {
    PyErr_SetString(classes.input_error, error.what());
  } catch (const nanobind::builtin_exception& error) {
    if (error.type() != nanobind::exception_type::type_error) throw;
    PyErr_SetString(classes.input_type_error, error.what());
  }
}

}  // namespace

NB_MODULE(_core, m) {
  using namespace hyperbaton::bindings;
  m.doc() = "The C++ core of Hyperbaton. Its callers, hyperbaton.order and the like, are the public surface.";
  const auto errors = nb::module_::import_("hyperbaton.errors");
  static ErrorClasses classes{errors.attr("InputError").inc_ref().ptr(),
                              errors.attr("InputTypeError").inc_ref().ptr()};
  nb::register_exception_translator(translate, &classes);
  bind_ragged(m);
  bind_flat(m);
  bind_tree(m);
  bind_reorderings(m);
  bind_forest(m);
  bind_measures(m);
  bind_resampling(m);
  bind_tokens(m);
  bind_inversion(m);
  bind_cder(m);
  bind_tree_edit(m);
  bind_words(m);
  bind_paraphrases(m);
  bind_aligner(m);
  bind_context(m);
}
