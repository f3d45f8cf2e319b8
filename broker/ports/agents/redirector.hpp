// Redirector: sends agents on to the broker that leads, from one that stands by or steps down, and
// greets the redirected when this broker leads after all.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/ports/agents/contacts.hpp"
#include "broker/ports/agents/epochs.hpp"
#include "broker/ports/agents/replies.hpp"
#include "broker/ports/agents/turn.hpp"

namespace leasehold {

class Redirector {
 public:
  Redirector(PortTurn& turn, Replies& replies, Epochs& epochs)
      : turn_(turn), replies_(replies), epochs_(epochs) {}

  /// Begins a turn of a broker that does not lead. Times here are CLOCK_BOOTTIME: a clock that is
  /// set leaves no agent without an answer.
  void begin_turn(int64_t boottime_ms);
  /// Answers a message with `elsewhere`, which tells where to go. No answer goes to a refusal, to
  /// the heartbeat that an agent sends once it was redirected, and to an agent whose session was
  /// released a moment ago.
  void redirect(const Frame& frame, const wire::Message& message, const std::string& elsewhere);

  /// Keeps connections whose sessions are over from being redirected one by one before `until_ms`:
  /// they wait for redirect_all(), when another broker leads.
  void release(const std::vector<std::string>& routes, int64_t until_ms);
  /// Tells all that were released where to go. An agent that comes there sooner has to ask again.
  void redirect_all(const std::string& elsewhere);
  /// Welcomes agents that were redirected a moment ago, for they have not left yet. Contract: this
  /// broker leads from now on.
  void greet_redirected(const State& state, int64_t boottime_ms);

  const Contacts& contacts() const { return contacts_; }
  Contacts& contacts() { return contacts_; }

 private:
  void note_redirected(const std::string& route);

  PortTurn& turn_;
  Replies& replies_;
  Epochs& epochs_;
  Contacts contacts_;
  int64_t boottime_ms_ = 0;
  std::unordered_set<std::string> released_;  // routes
  int64_t released_until_ms_ = INT64_MIN;
  std::unordered_map<std::string, int64_t> redirected_;  // routes, and when that was last
};

}  // namespace leasehold
