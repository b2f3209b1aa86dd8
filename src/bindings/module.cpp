#include "batch.hpp"

NB_MODULE(_core, m) {
  using namespace hyperbaton::bindings;
  m.doc() = "The C++ core of Hyperbaton. Its callers, hyperbaton.order and the like, are the public surface.";
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
