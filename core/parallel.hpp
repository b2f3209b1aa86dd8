// A loop over independent pieces of work on several threads, which its caller can interrupt.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

namespace hyperbaton {

// Thrown out of long work once the stop flag is set, and by for_each to its caller.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

using Stop = std::atomic<bool>;
using Poll = std::function<bool()>;  // called now and then on the calling thread: true to stop; may be null

// Whether work of about that many elementary steps is more than starting threads for it.
inline bool worth_threads(std::size_t cost) {
  return cost >= 20'000;
}

// Calls work(k) for every k in [0, count); make_work(stop) gives each thread a work of its own,
// with its own scratch memory. `cost` is a rough number of elementary steps: little work is done
// on the calling thread. Where several pieces throw, the exception of the lowest k is thrown
// on, so that what the caller sees does not depend on the threads.
template <class MakeWork>
void for_each(std::size_t count, std::size_t cost, int threads, const Poll& poll, MakeWork make_work) {
  Stop stop{false};
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> failed_at{count};
  std::exception_ptr failure;
  std::mutex mutex;
  std::condition_variable finished;
  int running = 0;

  const std::size_t wanted = static_cast<std::size_t>(std::max(threads, 1));
  // Many small pieces at a time, but few large ones, so that no thread is left with the last.
  const std::size_t light = count == 0 ? 1 : 20'000 / (cost / count + 1);
  const std::size_t block = std::clamp<std::size_t>(std::min(count / (wanted * 16), light), 1, 256);

  auto drain = [&] {
    std::size_t k = 0;
    try {
      auto work = make_work(stop);
      while (!stop.load(std::memory_order_relaxed)) {
        const std::size_t begin = next.fetch_add(block, std::memory_order_relaxed);
        if (begin >= failed_at.load(std::memory_order_relaxed)) return;
        const std::size_t end = std::min(begin + block, count);
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

  if (!worth_threads(cost)) {
    drain();
  } else {
    std::vector<std::thread> pool;
    auto join = [&] {
      for (auto& thread : pool) thread.join();
    };
    try {
      for (std::size_t t = 0; t < std::min(wanted, count); ++t) {
        {
          const std::lock_guard lock(mutex);
          ++running;
        }
        try {
          pool.emplace_back([&] {
            drain();
            const std::lock_guard lock(mutex);
            if (--running == 0) finished.notify_one();
          });
        } catch (const std::system_error&) {  // no more threads to be had: go on with those there are
          const std::lock_guard lock(mutex);
          --running;
          break;
        }
      }
      if (pool.empty()) drain();
      std::unique_lock lock(mutex);
      while (running > 0) {
        finished.wait_for(lock, std::chrono::milliseconds(50));
        if (running > 0 && poll && !stop.load()) {
          lock.unlock();
          if (poll()) stop = true;
          lock.lock();
        }
      }
    } catch (...) {
      stop = true;
      join();
      throw;
    }
    join();
  }
  if (stop.load()) throw Interrupted();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace hyperbaton
