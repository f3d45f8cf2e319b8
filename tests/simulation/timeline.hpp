// Timeline: virtual time and the events planned in it. There is one thread, and events of the same
// instant happen in the order in which they were planned, so that a run depends on its seed alone.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "common/check.hpp"

namespace leasehold::simulation {

class Timeline {
 public:
  using Action = std::function<void()>;

  int64_t now_ms() const { return now_ms_; }
  void at(int64_t when_ms, Action action) {
    queue_.push({when_ms < now_ms_ ? now_ms_ : when_ms, next_++, std::move(action)});
  }
  void in(int64_t after_ms, Action action) { at(now_ms_ + after_ms, std::move(action)); }

  /// Does the next event if it is at `until_ms` or before; else sets time to `until_ms` and returns
  /// false.
  bool step(int64_t until_ms) {
    if (queue_.empty() || queue_.top().at_ms > until_ms) {
      now_ms_ = until_ms;
      return false;
    }
    const Entry entry = std::move(const_cast<Entry&>(queue_.top()));
    queue_.pop();
    at_once_ = now_ms_ == entry.at_ms ? at_once_ + 1 : 0;
    LEASEHOLD_CHECK(at_once_ < kAtOnceMost, "time goes on");
    now_ms_ = entry.at_ms;
    entry.action();
    return true;
  }

 private:
  /// This many events at one instant mean that they plan each other, or hours of work in one
  /// millisecond.
  static constexpr int64_t kAtOnceMost = 1'000'000;

  struct Entry {
    int64_t at_ms = 0;
    uint64_t order = 0;
    Action action;
    bool operator<(const Entry& other) const {
      return at_ms != other.at_ms ? at_ms > other.at_ms : order > other.order;
    }
  };
  std::priority_queue<Entry> queue_;
  uint64_t next_ = 0;
  int64_t now_ms_ = 0;
  int64_t at_once_ = 0;
};

}  // namespace leasehold::simulation
