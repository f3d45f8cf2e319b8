// Replies: everything that the port sends to agents, and how many refusals it has sent. Each
// message says of which leadership it is (rule 12): an agent takes nothing of another one than that
// which it greeted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "broker/core/agents/off_hosts.hpp"
#include "broker/core/model/effect.hpp"
#include "broker/core/model/state.hpp"
#include "broker/metrics/figures.hpp"
#include "broker/ports/agents/epochs.hpp"
#include "broker/ports/agents/peer.hpp"
#include "broker/ports/agents/turn.hpp"
#include "common/bytes.hpp"
#include "common/channel/exchange.hpp"
#include "common/reason.hpp"
#include "common/wire/codec.hpp"

namespace leasehold {

/// Up to which number the agent's ended work and used slots are recorded; nullopt: not said.
struct RecordedUpTo {
  std::optional<uint64_t> ended = std::nullopt;
  std::optional<uint64_t> used = std::nullopt;
};

class Replies {
 public:
  Replies(PortTurn& turn, const Epochs& epochs, Exchange& exchange)
      : turn_(turn), epochs_(epochs), exchange_(exchange) {}

  void send(const std::string& route, const wire::Message& message);
  /// Asks the agent for a hello.
  void welcome(const State& state, const std::string& route);
  /// Refuses a message; `cluster` is whose it is, "" if that is not known. A refusal of a known
  /// cluster is shown with the cluster, and is logged if it differs from the one before.
  void refuse(const Incoming& in, const std::string& cluster, Reason reason,
              const std::string& message);
  void refuse_key(const Incoming& in, const std::string& cluster);
  /// Sends the agent on to another broker, of which `message` tells.
  void redirect(const std::string& route, const std::string& message,
                std::optional<int64_t> sent_ms);

  void configure(const State& state, Instant now, Peer& peer, uint32_t cluster);
  /// Sends the configuration again if the last one must have been lost by now. The agent does not
  /// know the one in force, which usually is still on its way.
  void configure_if_overdue(const Incoming& in, Peer& peer, uint32_t cluster);
  /// Sends an order. Contract: its batch is committed.
  void order(const State& state, const Effects& effects, const SendOrder& order, const Peer& peer);

  /// `number` is the heartbeat by which leases go on; 0: none. `off` names the agent's hosts that
  /// are not up.
  void answer_heartbeat(const Peer& peer, uint64_t number, bool resync,
                        const RecordedUpTo& recorded = {}, const OffHosts& off = {});
  /// Asks for a full report.
  void ask_for_all(const Peer& peer) { answer_heartbeat(peer, 0, true); }

  const CountsByReason& refused() const { return refused_; }

 private:
  template <class Stamped>
  void stamp(Stamped& message) const;

  PortTurn& turn_;
  const Epochs& epochs_;
  Exchange& exchange_;
  CountsByReason refused_{};
  Bytes out_;  // reused, as is the next
  wire::Order order_;
};

}  // namespace leasehold
