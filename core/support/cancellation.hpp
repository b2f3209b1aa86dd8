// Work that another thread can cancel.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

namespace hyperbaton {

// Long work looks at it regularly, and ends once it is true.
using Stop = std::atomic<bool>;

// Stops all loops that are running on its behalf, and all that start later. A loop has a flag of its own, so
// that one that ends for another reason, such as Ctrl-C, does not stop the others.
class Cancellation {
 public:
  void cancel() {
    const std::lock_guard lock(mutex_);
    is_cancelled_ = true;
    for (Stop* const stop : running_) *stop = true;
  }

  // A loop that is running. The cancellation may be null.
  class Loop {
   public:
    Loop(Cancellation* cancellation, Stop& stop) : cancellation_(cancellation), stop_(stop) {
      if (cancellation_ == nullptr) return;
      const std::lock_guard lock(cancellation_->mutex_);
      if (cancellation_->is_cancelled_) stop_ = true;
      cancellation_->running_.push_back(&stop_);
    }
    ~Loop() {
      if (cancellation_ == nullptr) return;
      const std::lock_guard lock(cancellation_->mutex_);
      std::erase(cancellation_->running_, &stop_);
    }
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

   private:
    Cancellation* cancellation_;
    Stop& stop_;
  };

 private:
  std::mutex mutex_;
  bool is_cancelled_ = false;
  std::vector<Stop*> running_;
};

// What can cancel the loops that this thread starts; null if nothing can.
inline thread_local Cancellation* cancellation = nullptr;

}  // namespace hyperbaton
