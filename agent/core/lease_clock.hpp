// LeaseClock: until when the agent may use leased slots (schema/wire/PROTOCOL.md, "Lost contact").
// A renewal answers one numbered heartbeat and counts from the *sending* of that heartbeat, so that
// its time never ends later than the broker thinks. The hello is number 0, the session's first
// configuration its answer. Pure; all times are CLOCK_BOOTTIME. It only tells when leases end:
// Agent closes the slots then (lease_end.hpp), and the workload manager does so by itself.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>

namespace leasehold::agent {

class LeaseClock {
 public:
  /// With 0, leases never end.
  void set_ttl(int64_t ttl_ms) { ttl_ms_ = ttl_ms; }
  int64_t ttl_ms() const { return ttl_ms_; }
  /// Takes over the end that the workload manager still enforces from before this process; it holds
  /// until the first renewal. INT64_MAX: there is none.
  void resume(int64_t ends_ms);
  /// Begins a new session: answers to heartbeats of the one before renew nothing.
  void begin_session(int64_t now_ms);
  /// Contract: numbers rise; `now_ms` was read before the heartbeat left.
  void sent(uint64_t number, int64_t now_ms);
  /// Takes the answer to this heartbeat. Returns true if the end of leases is later by it.
  bool answered(uint64_t number);

  /// Returns INT64_MAX if leases do not end.
  int64_t ends_ms() const;
  bool ended(int64_t now_ms) const { return now_ms >= ends_ms(); }
  /// True if the broker cannot have given this agent up: it answered a message that was sent less
  /// than `agent_timeout_ms` ago, less a margin for clocks of unlike speed. With 0, a timeout that
  /// is not known, it is true.
  bool certainly_in_contact(int64_t now_ms, int64_t agent_timeout_ms) const;

 private:
  int64_t ttl_ms_ = 0;
  int64_t renewed_ms_ = INT64_MIN;  // sending of the last heartbeat that was answered
  int64_t resumed_ms_ = INT64_MAX;  // until this process was renewed itself
  std::deque<std::pair<uint64_t, int64_t>> unanswered_;
};

}  // namespace leasehold::agent
