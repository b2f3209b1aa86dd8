// Threads that wait for work. Starting a thread for each loop costs more than a short loop.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#ifndef _WIN32
#include <pthread.h>
#include <signal.h>
#endif

namespace hyperbaton {

// The threads of this process. There are as many as were needed at one time; they are never ended, because
// the process may exit while they work.
class ThreadPool {
  struct Progress {
    std::size_t running = 0;
    std::condition_variable finished;
  };

 public:
  // What several threads have been asked to do.
  class Team {
   public:
    std::size_t size() const { return size_; }

    // Waits until all threads have finished, but no longer than this. Returns whether they have.
    bool wait_for(std::chrono::milliseconds time) {
      std::unique_lock lock(pool_.mutex_);
      return progress_->finished.wait_for(lock, time, [this] { return progress_->running == 0; });
    }

   private:
    friend ThreadPool;
    Team(ThreadPool& pool, std::size_t size) : pool_(pool), size_(size) { progress_->running = size; }
    ThreadPool& pool_;
    std::size_t size_;
    std::shared_ptr<Progress> progress_ = std::make_shared<Progress>();
  };

  // The pool of this process. A child process, in which the threads do not exist, gets a new one.
  static ThreadPool& shared() {
    ThreadPool* pool = current().load();
    if (pool != nullptr) return *pool;
    auto made = std::make_unique<ThreadPool>();
    return current().compare_exchange_strong(pool, made.get()) ? *made.release() : *pool;
  }

  // Runs task() on `count` threads, or on fewer if the system has no more. The task must not throw.
  Team start(std::size_t count, const std::function<void()>& task) {
    const std::lock_guard lock(mutex_);
    while (idle_ < waiting_.size() + count && add_thread()) ++idle_;
    Team team(*this, std::min(count, idle_ - std::min(idle_, waiting_.size())));
    waiting_.insert(waiting_.end(), team.size_, {task, team.progress_});
    wake_.notify_all();
    return team;
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::pair<std::function<void()>, std::shared_ptr<Progress>>> waiting_;
  std::size_t idle_ = 0;

  static std::atomic<ThreadPool*>& current() {
    static std::atomic<ThreadPool*> pool = nullptr;
#ifndef _WIN32
    static const int registered = pthread_atfork(nullptr, nullptr, [] { pool = nullptr; });
    static_cast<void>(registered);
#endif
    return pool;
  }

  bool add_thread() {
    [[maybe_unused]] const SignalsBlocked blocked;
    try {
      std::thread([this] { work(); }).detach();
      return true;
    } catch (const std::system_error&) {
      return false;
    }
  }

  [[noreturn]] void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return !waiting_.empty(); });
      auto [task, progress] = std::move(waiting_.front());
      waiting_.pop_front();
      --idle_;
      lock.unlock();
      task();
      task = nullptr;
      lock.lock();
      ++idle_;
      if (--progress->running == 0) progress->finished.notify_all();
    }
  }

  // A new thread inherits which signals are blocked. Signals are for the threads of the caller, so that they
  // interrupt its system calls; only faults belong to the thread itself.
  class SignalsBlocked {
#ifndef _WIN32
   public:
    SignalsBlocked() {
      sigset_t all;
      sigfillset(&all);
      for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) sigdelset(&all, fault);
      pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

   private:
    sigset_t before_;
#endif
  };
};

}  // namespace hyperbaton
