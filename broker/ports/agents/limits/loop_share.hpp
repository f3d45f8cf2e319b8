// LoopShare: each peer's budget of the loop's time. The loop has one thread, so that what a peer
// sends costs the time of all. Messages of a peer that has used up its budget wait (waiting.hpp)
// until it has saved up again. Heartbeats are read at once, so that nobody is lost for what it has
// to say.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "broker/ports/agents/limits/budget.hpp"
#include "broker/ports/agents/limits/waiting.hpp"
#include "broker/ports/agents/sessions.hpp"
#include "broker/ports/agents/turn.hpp"

namespace leasehold {

/// A fifth of the time. A peer that is quiet saves up a second's work, which the hello of the
/// largest cluster takes (tests/bench/README.md).
inline constexpr int64_t kLoopUsPerSecond = 200'000;
inline constexpr int64_t kLoopSavedMs = 5'000;

class LoopShare {
 public:
  LoopShare(PortTurn& turn, const Sessions& sessions) : turn_(turn), sessions_(sessions) {}

  /// Sets the timer of the loop's work, in microseconds. Without one no budget is charged, and no
  /// message waits.
  void measure_by(std::function<int64_t()> work_us) { work_us_ = std::move(work_us); }

  /// Does the work and charges its time to the peer.
  template <class Work>
  void charge(const std::string& peer, const Work& work);

  /// Puts the message to wait if its peer has nothing left, or if earlier messages of it wait.
  /// Returns true if it took the message out of the frame.
  bool put_to_wait(Frame& frame);
  /// True if messages of the frame's peer wait: what the frame names may be known only later.
  bool has_waiting(const Frame& frame) const { return waiting_.contains(peer_name(frame)); }
  /// Reads with `read`, oldest first, what waits of each peer that has something left.
  void read_waiting(const std::function<void(const Frame&)>& read);
  /// Ends the notice of each cluster of which nothing waits, and that has saved up enough again.
  void end_notices();

  /// Returns when a peer whose messages wait has something left again; kNever: nothing waits.
  Instant next(Instant now);
  /// Drops what waits. Budgets stay.
  void clear() { waiting_.clear(); }

 private:
  void note_waiting(const std::string& cluster, size_t dropped);

  PortTurn& turn_;
  const Sessions& sessions_;
  std::function<int64_t()> work_us_;
  Budget budget_{kLoopUsPerSecond * 3'600, kLoopSavedMs};  // by peer_name()
  std::map<std::string, Waiting> waiting_;                 // by peer_name()
};

template <class Work>
void LoopShare::charge(const std::string& peer, const Work& work) {
  if (!work_us_) return work();
  const int64_t begun_us = work_us_();
  work();
  budget_.spend(peer, work_us_() - begun_us, turn_.start().ms);
}

}  // namespace leasehold
