// The plain CYK algorithm as a C function. tests/reference/cyk.py compiles it when it is needed.
#include "cyk.hpp"

extern "C" std::int64_t cyk_inversion_distance(const std::int32_t* s, std::size_t s_size,
                                               const std::int32_t* t, std::size_t t_size,
                                               const std::int64_t* costs) {
  const std::vector<std::int32_t> from(s, s + s_size), to(t, t + t_size);
  return cyk::inversion_distance(from, to, {costs[0], costs[1], costs[2], costs[3]});
}
