// A parallel loop over independent pieces of work, which the caller can interrupt.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>

#include "support/cancellation.hpp"
#include "support/thread_pool.hpp"

namespace hyperbaton {

// Long work throws this once the stop flag is set. for_each passes it on to its caller.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

// Called regularly on the calling thread; returns true to stop the loop. May be null; must not throw.
using Poll = std::function<bool()>;

// Whether work of about `cost` elementary steps takes longer than starting threads for it.
inline bool worth_threads(std::size_t cost) {
  return cost >= 20'000;
}

// Calls work(k) for every k in [0, count). Each thread calls make_work(stop) once, so that it has
// scratch memory of its own. `cost` is a rough number of elementary steps; a small amount of work
// runs on the calling thread. If several pieces throw, the caller sees the exception of the lowest
// k, so that the result does not depend on the threads.
template <class MakeWork>
void for_each(std::size_t count, std::size_t cost, int threads, const Poll& poll, MakeWork make_work) {
  Stop stop{false};
  const Cancellation::Loop loop(cancellation, stop);
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> failed_at{count};
  std::exception_ptr failure;
  std::mutex mutex;

  const std::size_t wanted_threads = static_cast<std::size_t>(std::max(threads, 1));
  // A thread takes many small pieces at a time but only few large ones, to balance the load.
  const std::size_t most_pieces = count == 0 ? 1 : 20'000 / (cost / count + 1);
  const std::size_t chunk_size =
      std::clamp<std::size_t>(std::min(count / (wanted_threads * 16), most_pieces), 1, 256);

  auto drain = [&] {
    std::size_t k = 0;
    try {
      auto work = make_work(stop);
      while (!stop.load(std::memory_order_relaxed)) {
        const std::size_t begin = next.fetch_add(chunk_size, std::memory_order_relaxed);
        if (begin >= failed_at.load(std::memory_order_relaxed)) return;
        const std::size_t end = std::min(begin + chunk_size, count);
        for (k = begin; k < end; ++k) {
          if (stop.load(std::memory_order_relaxed)) return;
          work(k);
        }
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (k < failed_at.load() || !failure) {
        failed_at = k;
        failure = std::current_exception();
      }
    }
  };

  if (!worth_threads(cost) || count == 0) {
    drain();
  } else {
    // A caller that has to poll only waits. Another one takes part in the work.
    const std::size_t others = std::min(wanted_threads, count) - (poll ? 0 : 1);
    auto team = ThreadPool::shared().start(others, drain);
    if (!poll || team.size() == 0) drain();
    while (!team.wait_for(std::chrono::milliseconds(50)))
      if (poll && !stop.load() && poll()) stop = true;
  }
  if (stop.load()) throw Interrupted();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace hyperbaton
