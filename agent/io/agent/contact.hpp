// Contact: what the agent knows of its broker: the session, until when leases go on by it, whether
// it may still count on the agent, and by what clock it speaks. It sends nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "agent/core/lease_clock.hpp"
#include "agent/core/session.hpp"
#include "agent/io/agent/other_leaders.hpp"
#include "common/clock.hpp"
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

  /// True if it is of this session and of the leadership that was greeted.
  template <class M>
  bool is_from_broker(const M& message, const char* name) {
    return session_.is_current(message.session) && is_of_leader(message, name);
  }
  /// False, and the message counts: it is of another leadership.
  template <class M>
  bool is_of_leader(const M& message, const char* name) {
    return other_leaders_.check(session_, name, message.epoch, message.incarnation);
  }
  /// The broker has sent a configuration to this process.
  void confirm(const wire::Configuration& configuration);
  bool confirmed() const { return confirmed_; }
  /// Whether a cap may be higher than the one that is found. Not before the broker has spoken to
  /// this process, and not when it may have given this agent up: another agent may serve the
  /// cluster by then, and its slots be granted elsewhere.
  bool may_raise(int64_t now_ms, int64_t agent_timeout_ms) const;

  /// The broker's last welcome or heartbeat answer was sent then; nullopt: it does not say.
  void note_sent(std::optional<int64_t> sent_ms, int64_t now_ms);
  /// Returns that reading with the clocks of this machine; nullopt where the broker could not bound
  /// by it how long what it said was under way.
  std::optional<wire::ClockReading> reading() const { return reading_of(broker_sent_); }
  std::optional<wire::ClockReading> reading_of(const std::optional<wire::ClockReading>& sent) const;

  /// Rule 12: it says what was seen, so that a leader that was overtaken learns of it.
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
