// Gate holds up each thread that passes until a test lets it through.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

namespace leasehold {

class Gate {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    open_.wait(lock, [this] { return may_pass_ > 0; });
    --waiting_;
    --may_pass_;
    ++passed_;
  }
  /// Lets the next `count` threads through, those that wait already first.
  void let_through(int count) {
    const std::lock_guard lock(mutex_);
    may_pass_ += count;
    open_.notify_all();
  }
  int waiting() {
    const std::lock_guard lock(mutex_);
    return waiting_;
  }
  int passed() {
    const std::lock_guard lock(mutex_);
    return passed_;
  }
  /// Waits for as long as it takes: a test that hangs is ended by its runner.
  template <class Condition>
  void wait_until(const Condition& holds) {
    while (!holds()) std::this_thread::yield();
  }

 private:
  std::mutex mutex_;
  std::condition_variable open_;
  int may_pass_ = 0;
  int waiting_ = 0;
  int passed_ = 0;
};

}  // namespace leasehold
