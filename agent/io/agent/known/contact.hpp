// Contact: what the agent knows of its broker: the session, until when leases last, whether the
// broker may have given the agent up, and the broker's clock. It sends nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "agent/core/lease_clock.hpp"
#include "agent/core/session.hpp"
#include "agent/io/agent/known/other_leaders.hpp"
#include "common/time/clock.hpp"
#include "common/wire/message.hpp"

namespace leasehold::agent {

class Contact {
 public:
  /// `clocks` outlive it.
  Contact(const SessionTimes& times, const Leadership& seen, const TimeSource& clocks)
      : clocks_(clocks), session_(times, seen) {}

  Session& session() { return session_; }
  const Session& session() const { return session_; }
  LeaseClock& lease() { return lease_; }
  const LeaseClock& lease() const { return lease_; }
  OtherLeaders& other_leaders() { return other_leaders_; }
  const OtherLeaders& other_leaders() const { return other_leaders_; }

  /// True if the message is of this session and of the leadership that was greeted.
  template <class M>
  bool is_from_broker(const M& message, const char* name) {
    return session_.is_current(message.session) && is_of_leader(message, name);
  }
  /// Returns false, and counts the message, if it is of another leadership.
  template <class M>
  bool is_of_leader(const M& message, const char* name) {
    return other_leaders_.check(session_, name, message.epoch, message.incarnation);
  }
  /// Notes that the broker has sent this configuration to this process.
  void confirm(const wire::Configuration& configuration);
  bool confirmed() const { return confirmed_; }
  /// True if a cap may be raised above the one that is found. It may not before the broker has sent
  /// a configuration to this process, nor when the broker may have given this agent up: by then
  /// another agent may serve the cluster, and its slots may be granted elsewhere.
  bool may_raise(int64_t now_ms, int64_t agent_timeout_ms) const;

  /// Notes when the broker sent its last welcome or heartbeat answer; nullopt: it does not say.
  void note_sent(std::optional<int64_t> sent_ms, int64_t now_ms);
  /// Returns that time with the present clocks of this machine. nullopt: the broker stated none, or
  /// the two clocks could not be read at one moment.
  std::optional<wire::ClockReading> reading() const { return reading_of(broker_sent_); }
  std::optional<wire::ClockReading> reading_of(const std::optional<wire::ClockReading>& sent) const;

  /// Adds the highest leadership seen, so that a leader that was overtaken learns of it (rule 12,
  /// agent/core/leadership.hpp).
  template <class M>
  void say_seen(M& message) const {
    if (session_.seen().epoch == 0) return;
    message.seen_epoch = session_.seen().epoch;
    message.seen_incarnation = session_.seen().incarnation;
  }

 private:
  const TimeSource& clocks_;
  Session session_;
  LeaseClock lease_;
  OtherLeaders other_leaders_;
  bool confirmed_ = false;
  std::optional<wire::ClockReading> broker_sent_;  // with the time at which it was received
};

}  // namespace leasehold::agent
