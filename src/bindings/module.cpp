#include <nanobind/nanobind.h>

#include <cstddef>
#include <exception>

#include "bindings/batch.hpp"
#include "bindings/errors.hpp"
#include "support/errors.hpp"
#include "support/parallel.hpp"

namespace hyperbaton::bindings {

// The core runs on systems of 32 bits, too; the limits of the bindings are for 64 bits.
static_assert(sizeof(std::size_t) >= 8, "the Python package needs a 64-bit system");

// One file per header of core/; some of text/ have none, because they work on Python objects.
void bind_permutation(nb::module_& m);
void bind_measures(nb::module_& m);
void bind_recursive_scores(nb::module_& m);
void bind_tree(nb::module_& m);
void bind_block_moves(nb::module_& m);
void bind_reorderings(nb::module_& m);
void bind_inversion_distance(nb::module_& m);
void bind_cder(nb::module_& m);
void bind_levenshtein(nb::module_& m);
void bind_translation_edit_rate(nb::module_& m);
void bind_tree_edit_distance(nb::module_& m);
void bind_alignment_search(nb::module_& m);
void bind_context_aligner(nb::module_& m);
void bind_link_order(nb::module_& m);
void bind_mutual_links(nb::module_& m);
void bind_paraphrase_finder(nb::module_& m);
void bind_order_statistics(nb::module_& m);
void bind_anchors(nb::module_& m);
void bind_precedence(nb::module_& m);
void bind_pair_counter(nb::module_& m);
void bind_character_overlap(nb::module_& m);
void bind_bleu(nb::module_& m);
void bind_chrf(nb::module_& m);
void bind_source_aligner(nb::module_& m);
void bind_tokens(nb::module_& m);
void bind_lines(nb::module_& m);
void bind_word_table(nb::module_& m);
void bind_cancellation(nb::module_& m);
void bind_exact_sum(nb::module_& m);
void bind_resampling(nb::module_& m);

namespace {

// The Python classes of errors that a user can cause. They live as long as the process.
struct ErrorClasses {
  PyObject* input_error;
  PyObject* input_type_error;
  PyObject* cancelled_error;
};

// All other exceptions are bugs. nanobind turns them into plain Python exceptions.
void translate(const std::exception_ptr& exception, void* payload) {
  const auto& classes = *static_cast<const ErrorClasses*>(payload);
  try {
    std::rethrow_exception(exception);
  } catch (const InputError& error) {
    PyErr_SetString(classes.input_error, error.what());
  } catch (const InputTypeError& error) {
    PyErr_SetString(classes.input_type_error, error.what());
  } catch (const Interrupted& error) {
    PyErr_SetString(classes.cancelled_error, error.what());
  }
}

// Finds it through ctypes, which does so in the same way on all systems.
void find_is_finalizing() {
  const nb::module_ ctypes = nb::module_::import_("ctypes");
  const nb::object python = ctypes.attr("pythonapi");
  const char* const name = nb::hasattr(python, "Py_IsFinalizing") ? "Py_IsFinalizing" : "_Py_IsFinalizing";
  const nb::object address = ctypes.attr("cast")(python.attr(name), ctypes.attr("c_void_p")).attr("value");
  is_finalizing = reinterpret_cast<int (*)()>(nb::cast<std::uintptr_t>(address));
}

}  // namespace
}  // namespace hyperbaton::bindings

NB_MODULE(_core, m) {
  using namespace hyperbaton::bindings;
  m.doc() =
      "The C++ core of Hyperbaton. It is not public; use the functions of hyperbaton.\n\n"
      "A batch is `values` (int32 or int64, one-dimensional, contiguous) and `offsets`: sequence k is\n"
      "`values[offsets[k]:offsets[k + 1]]`. Invalid input raises InputError or InputTypeError.";
  // Tables of words are kept until the process ends, which nanobind would report as leaks.
  nb::set_leak_warnings(false);
  find_is_finalizing();
  const auto errors = nb::module_::import_("hyperbaton.errors");
  static ErrorClasses classes{errors.attr("InputError").inc_ref().ptr(),
                              errors.attr("InputTypeError").inc_ref().ptr(),
                              errors.attr("CancelledError").inc_ref().ptr()};
  nb::register_exception_translator(translate, &classes);
  bind_permutation(m);
  bind_measures(m);
  bind_recursive_scores(m);
  bind_tree(m);
  bind_block_moves(m);
  bind_reorderings(m);
  bind_inversion_distance(m);
  bind_cder(m);
  bind_levenshtein(m);
  bind_translation_edit_rate(m);
  bind_tree_edit_distance(m);
  bind_alignment_search(m);
  bind_context_aligner(m);
  bind_link_order(m);
  bind_mutual_links(m);
  bind_paraphrase_finder(m);
  bind_order_statistics(m);
  bind_anchors(m);
  bind_precedence(m);
  bind_pair_counter(m);
  bind_character_overlap(m);
  bind_bleu(m);
  bind_chrf(m);
  bind_source_aligner(m);
  bind_tokens(m);
  bind_lines(m);
  bind_word_table(m);
  bind_cancellation(m);
  bind_exact_sum(m);
  bind_resampling(m);
}
