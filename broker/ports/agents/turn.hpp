// PortTurn: what the parts of the agents' port share in one turn: its time, the clock, what is
// known of agents beside the State, and how many log lines strangers may still cause.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "broker/core/model/event.hpp"
#include "broker/core/model/state.hpp"
#include "broker/ports/peer_rates.hpp"
#include "broker/views/clusters/liveness.hpp"
#include "common/channel/exchange.hpp"

namespace leasehold {

/// Steps an event that a message became, at once. Returns how many bytes the record will have of
/// it.
using EventSink = std::function<int64_t(const Event&)>;

/// One message of an agent, with the turn in which it is read. It does not outlive that turn.
struct Incoming {
  const State& state;
  Instant now;
  const Frame& frame;
  const EventSink& sink;
};

class PortTurn {
 public:
  void begin(Instant now) { now_ = liveness_.now = now; }
  /// Sets the clock that time() reads.
  void go_by(std::function<Instant()> clock) { clock_ = std::move(clock); }

  /// Returns the time at which the turn began.
  Instant start() const { return now_; }
  /// Returns the time by the clock now; without a clock that at which the turn began.
  Instant time() const { return clock_ ? clock_() : now_; }

  const Liveness& liveness() const { return liveness_; }
  Liveness& liveness() { return liveness_; }
  /// Makes an entry where there is none: call it with names of the configuration only.
  ClusterLiveness& liveness_of(const std::string& cluster) { return liveness_.clusters[cluster]; }

  /// True if a line that a stranger caused may be logged; it then counts as logged.
  bool may_log() { return log_rate_.take("", 0, now_.ms) == PeerRates::Verdict::taken; }

 private:
  Instant now_;
  std::function<Instant()> clock_;
  Liveness liveness_;
  PeerRates log_rate_{2, 20};
};

}  // namespace leasehold
