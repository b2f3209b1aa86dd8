// The loop over a batch of permutations.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "bindings/batch.hpp"
#include "permutations/permutation.hpp"

namespace hyperbaton::bindings {

// Calls body(permutation, k) for every permutation of the batch, after copying and checking it. Each thread
// calls make_body(stop) once, so that it has scratch memory of its own.
template <class MakeBody>
void for_each_permutation(const IntegerBatch& batch, int threads, MakeBody make_body) {
  run(batch.size(), batch.value_count(), threads, [&](const Stop& stop) {
    return [&, permutation = Permutation(), body = make_body(stop)](std::size_t k) mutable {
      try {
        batch.load(k, permutation);
      } catch (const NotAPermutation& error) {
        throw NotAPermutation("perms[" + std::to_string(k) + "]: " + error.what());
      }
      body(std::as_const(permutation), k);
    };
  });
}

}  // namespace hyperbaton::bindings
