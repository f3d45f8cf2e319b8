// Handover: moments from the thread that reads a history to the one that estimates, some thousand
// at a time and a few such parts ahead, so that memory stays what it is for a long history.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "broker/what_if/moment.hpp"
#include "common/result.hpp"

namespace leasehold {

class Handover {
 public:
  /// `take` is called with each moment, in order, on a thread of its own, until it fails.
  explicit Handover(std::function<Status(Moment)> take);
  /// What was not taken by then is dropped.
  ~Handover();
  Handover(const Handover&) = delete;
  Handover& operator=(const Handover&) = delete;

  /// Waits while too many are under way. false: taking has failed; there is no use in going on.
  bool give(Moment moment);
  /// All have been taken: what came of it.
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
