// Beats: a thread that sends heartbeats while the loop waits for programs of the workload manager,
// so that an agent with a slow manager is not taken for lost. Agent and connection belong to the
// loop; the thread may use them only during such a call, in aside(). If the loop has not turned for
// too long it is stuck in something else, and no heartbeats are sent.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace leasehold::agent {

class Beats {
 public:
  /// `beat` sends a heartbeat if it is time for one; it is called only while aside() runs.
  /// `stuck_ms`: how long the loop may take for one turn.
  Beats(std::function<void()> beat, int64_t stuck_ms, int64_t every_ms = 100);
  /// The thread that made it destroys it and calls everything below.
  ~Beats();
  Beats(const Beats&) = delete;
  Beats& operator=(const Beats&) = delete;

  /// Notes that the loop begins a turn.
  void turned();
  /// Runs `waits` while the thread may send heartbeats, and returns what that returns.
  template <class Waits>
  auto aside(Waits waits) {
    struct Lent {
      explicit Lent(std::mutex& of) : speaks(of) { speaks.unlock(); }
      ~Lent() { speaks.lock(); }
      std::mutex& speaks;
    } const lent(speaks_);
    return waits();
  }

 private:
  void run();
  bool stopped(std::chrono::milliseconds wait);
  bool stuck() const;

  std::function<void()> beat_;
  int64_t stuck_ms_;
  int64_t every_ms_;
  std::mutex speaks_;  // who holds it may use what `beat_` uses
  std::mutex stops_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::atomic<int64_t> turned_ms_;
  std::thread thread_;
};

}  // namespace leasehold::agent
