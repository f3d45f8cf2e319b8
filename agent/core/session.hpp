// Session: the agent's side of the handshake (schema/wire/PROTOCOL.md, "Handshake"), as a pure
// machine. It says what to send; its caller makes the boot counter durable before a hello leaves.
//
//   knocking --welcome--> greeting --configuration--> open
//     ^  ^                  |  ^                        |
//     |  +-- no answer -----+  +--- another welcome ----+  (the broker does not know our session)
//     |
//     +---- pause is over ---- waiting <-- the session is refused, in any stage: second agent,
//                                          other version, ...
//
// The message `knock` is a heartbeat of session 0: a broker answers any message of a session that
// it does not know by a welcome. Of several brokers on one database only the leader is greeted: one
// that stands by (`elsewhere`) or was overtaken is left, and the next one is tried
// (agent/io/broker/broker_turns.hpp).
#pragma once

#include <cstdint>
#include <utility>

#include "agent/core/leadership.hpp"
#include "common/reason.hpp"

namespace leasehold::agent {

enum class Stage : uint8_t { knocking, greeting, open, waiting };

enum class Outgoing : uint8_t { nothing, knock, hello, heartbeat };

struct SessionTimes {
  int64_t knock_ms = 1'000;       // between two messages `knock`
  int64_t patience_ms = 5'000;    // for an answer to a hello; doubled while there is none
  int64_t wait_first_ms = 1'000;  // after a refusal, doubled each time
  int64_t wait_longest_ms = 30'000;
  int64_t heartbeat_ms = 5'000;  // or a third of the leader's ttl, if that is less
};

/// True for a refusal of the session. Any other is about one message, and the session goes on.
bool refuses_session(Reason reason);

class Session {
 public:
  /// `seen`: the highest leadership that was kept.
  explicit Session(SessionTimes times, Leadership seen = {}) : times_(times), seen_(seen) {}

  /// The broker sent a welcome. Returns `hello`: the caller keeps to_keep(), sends it and calls
  /// greeted(); `knock`: the caller sends what was seen; or `nothing`.
  Outgoing on_welcome(Leadership claimed, int64_t now_ms);
  /// True if a welcome that claims this leadership is not answered by a hello.
  bool refuses(const Leadership& claimed) const { return !may_follow(seen_, claimed); }
  /// Notes that a hello left with this fresh session number.
  void greeted(uint64_t session, int64_t now_ms);
  /// Returns true if the configuration is of this session; the first one opens it.
  bool on_configuration(uint64_t session);
  void on_refusal(Reason reason, int64_t now_ms);
  /// Notes that another connection was begun, perhaps to another broker, which gets a message at
  /// once unless the session is waiting.
  void on_connecting(int64_t now_ms);
  /// Takes the leader's ttl from the last configuration; 0: it is not given.
  void set_leader_ttl(int64_t leader_ttl_ms);
  /// Returns true once if this broker does not lead, and another one is to be asked.
  bool take_leave() { return std::exchange(leaves_, false); }
  /// True if take_leave() would return true.
  bool leaves() const { return leaves_; }
  bool is_current(uint64_t session) const { return session != 0 && session == session_; }
  Outgoing on_time(int64_t now_ms);
  int64_t next_ms() const;

  Stage stage() const { return stage_; }
  bool open() const { return stage_ == Stage::open; }
  uint64_t session() const { return session_; }
  uint64_t incarnation() const { return leadership_.incarnation; }
  /// Returns the leadership of the last welcome that was not refused.
  const Leadership& leadership() const { return leadership_; }
  const Leadership& seen() const { return seen_; }
  /// Returns the leadership that must be durable before the hello leaves.
  Leadership to_keep() const { return highest(seen_, leadership_); }
  int64_t leader_ttl_ms() const { return leader_ttl_ms_; }
  /// Until then the session waits for this broker, even if it says nothing; INT64_MIN: it does not
  /// wait.
  int64_t patient_until_ms() const;
  uint64_t next_heartbeat() { return ++heartbeat_; }
  uint64_t last_heartbeat() const { return heartbeat_; }  // 0: none yet in this session
  uint64_t next_statement() { return ++statement_; }

 private:
  Outgoing refuse(int64_t now_ms);
  int64_t heartbeat_ms() const;

  SessionTimes times_;
  Stage stage_ = Stage::knocking;
  Leadership seen_;
  Leadership leadership_;
  bool leaves_ = false;
  int64_t leader_ttl_ms_ = 0;
  uint64_t session_ = 0;
  uint64_t heartbeat_ = 0;
  uint64_t statement_ = 0;
  int64_t next_ms_ = INT64_MIN;  // when on_time() acts next, unless the session is open
  int64_t heartbeat_at_ms_ = 0;
  int64_t beat_ms_ = INT64_MIN;  // when the last heartbeat was sent
  int64_t wait_ms_ = 0;
  int unanswered_ = 0;  // hellos in a row
};

}  // namespace leasehold::agent
