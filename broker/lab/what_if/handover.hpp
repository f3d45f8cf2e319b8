// Handover: passes moments from the thread that reads a history to the one that estimates, some
// thousand at a time and a few such parts ahead, so that a long history takes no more memory.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "broker/lab/what_if/moment.hpp"
#include "common/result.hpp"

namespace leasehold {

class Handover {
 public:
  /// `take` is called with each moment, in order, on a thread of its own, until it fails.
  explicit Handover(std::function<Status(Moment)> take);
  /// Drops what was not taken by then.
  ~Handover();
  Handover(const Handover&) = delete;
  Handover& operator=(const Handover&) = delete;

  /// Waits while too many parts are queued. Returns false if taking has failed; further calls are
  /// useless.
  bool give(Moment moment);
  /// Waits until all have been taken, and returns the result.
  Status finish();

 private:
  static constexpr size_t kPart = 4096;
  static constexpr size_t kParts = 4;

  void hand_over();
  void work();
  void take_part(std::vector<Moment> part);

  std::function<Status(Moment)> take_;
  std::vector<Moment> filling_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::vector<Moment>> parts_;
  bool ended_ = false;
  bool failed_ = false;
  Status result_;  // of the thread, until it has ended
  std::thread thread_;
};

}  // namespace leasehold
