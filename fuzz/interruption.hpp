// Work that is interrupted. Targets then go on with the same memory, which must not matter.
#pragma once

#include "support/parallel.hpp"

namespace fuzz {

// Runs the work with a stop that is set, and returns whether it was interrupted.
template <class Work>
bool interrupts(hyperbaton::Stop& stop, Work work) {
  stop = true;
  bool interrupted = false;
  try {
    work();
  } catch (const hyperbaton::Interrupted&) {
    interrupted = true;
  }
  stop = false;
  return interrupted;
}

}  // namespace fuzz
