// Session: the agent's side of the handshake (schema/wire/PROTOCOL.md, "Handshake"), as a pure
// machine. It says what to send; its caller makes the boot counter durable before a hello leaves.
//
//   knocking --welcome--> greeting --configuration--> open
//       ^                    |  hello not answered, second agent, other version: wait, knock again
//       +--------------------+        a welcome while open: our session is unknown: greet again
//
// A knock is a heartbeat of session 0: any message of an unknown session is answered by a welcome.
#pragma once

#include <cstdint>

#include "common/reason.hpp"

namespace leasehold::agent {

enum class Stage : uint8_t { knocking, greeting, open, waiting };

/// What to send now.
enum class Outgoing : uint8_t { nothing, knock, hello, heartbeat };

struct SessionTimes {
  int64_t knock_ms = 1'000;       // between knocks
  int64_t patience_ms = 5'000;    // for an answer to a hello; doubled while there is none
  int64_t wait_first_ms = 1'000;  // after a refusal, doubled each time
  int64_t wait_longest_ms = 30'000;
  int64_t heartbeat_ms = 5'000;
};

class Session {
 public:
  explicit Session(SessionTimes times) : times_(times) {}

  /// The broker said welcome; hello: greet it (then call greeted()).
  Outgoing on_welcome(uint64_t incarnation, int64_t now_ms);
  /// A hello left with this fresh session number.
  void greeted(uint64_t session, int64_t now_ms);
  /// True: it is of this session; the first one opens it.
  bool on_configuration(uint64_t session);
  void on_refusal(Reason reason, int64_t now_ms);
  /// True: of this session.
  bool is_current(uint64_t session) const { return session != 0 && session == session_; }
  Outgoing on_time(int64_t now_ms);
  int64_t next_ms() const;

  Stage stage() const { return stage_; }
  bool open() const { return stage_ == Stage::open; }
  uint64_t session() const { return session_; }
  uint64_t incarnation() const { return incarnation_; }
  uint64_t next_heartbeat() { return ++heartbeat_; }

 private:
  SessionTimes times_;
  Stage stage_ = Stage::knocking;
  uint64_t incarnation_ = 0;
  uint64_t session_ = 0;
  uint64_t heartbeat_ = 0;
  int64_t due_ms_ = INT64_MIN;  // of the next knock, or the end of patience or of waiting
  int64_t heartbeat_due_ms_ = 0;
  int64_t wait_ms_ = 0;
  int unanswered_ = 0;  // hellos in a row
};

}  // namespace leasehold::agent
