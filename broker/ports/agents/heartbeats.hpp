// Heartbeats: reads the heartbeats of agents and answers them. A heartbeat is answered only
// while no other broker can lead (rules 8 and 9 of broker/store/postgres/README.md); the answer
// renews the leases that the agent's cluster has.
#pragma once

#include <functional>
#include <utility>

#include "broker/core/agents/off_hosts.hpp"
#include "broker/ports/agents/clock_check.hpp"
#include "broker/ports/agents/epochs.hpp"
#include "broker/ports/agents/limits/loop_share.hpp"
#include "broker/ports/agents/loss_watch.hpp"
#include "broker/ports/agents/replies.hpp"
#include "broker/ports/agents/sessions.hpp"
#include "broker/ports/agents/statements/numbered_items.hpp"
#include "broker/ports/agents/statements/statements.hpp"
#include "broker/ports/agents/turn.hpp"

namespace leasehold {

struct HeartbeatParts {
  PortTurn& turn;
  Sessions& sessions;
  Replies& replies;
  Epochs& epochs;
  LoopShare& loop;
  Statements& statements;
  EndedWork& ended;
  UsedSlots& used;
  LossWatch& loss_watch;
  ClockCheck& clock_check;
};

class Heartbeats {
 public:
  explicit Heartbeats(const HeartbeatParts& parts) : parts_(parts) {}

  /// `may_answer` is asked about each heartbeat after it was taken. By an empty one each is
  /// answered.
  void set_may_answer(std::function<bool()> may_answer) { may_answer_ = std::move(may_answer); }
  void on(const Incoming& in, const wire::Heartbeat& heartbeat);

 private:
  void note(const Incoming& in, Peer& peer, const wire::Heartbeat& heartbeat);
  void answer(const Incoming& in, Peer& peer, const wire::Heartbeat& heartbeat);
  OffHosts off_hosts_for(const Incoming& in, Peer& peer);

  HeartbeatParts parts_;
  OffHostsFinder finder_;
  std::function<bool()> may_answer_;
};

}  // namespace leasehold
