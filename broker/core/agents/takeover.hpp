// Takeover: which agent may speak for a cluster that another one spoke for with the same state file
// (schema/wire/PROTOCOL.md, "Handshake"). A restarted agent takes over from the one that it was; a
// copy of a state file does not: two agents that take turns would each use what both files say is
// theirs.
#pragma once

#include <optional>

#include "broker/core/model/event.hpp"
#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// Earlier agents of a cluster that are remembered.
inline constexpr size_t kReplacedMost = 8;

/// Refuses a take-over while the other agent is connected, or may still connect because the broker
/// started less than agent_timeout ago; nullopt: it may speak. An agent of an older release, which
/// does not state where it runs, can be taken over from, but cannot take over from one that does.
std::optional<Refused> check_takeover(const State& state, const Cluster& cluster,
                                      const wire::Hello& hello, Instant now);

/// Notes the identity of an accepted hello, before its state id is noted.
void note_identity(Cluster& cluster, const AgentHello& event);
/// An operator's word: whoever comes next may speak.
void forget_identity(Turn& turn, uint32_t cluster);

/// True if this copy is another than the last one that was refused.
bool is_news(const State& state, const CopyRefused& event);
void copy_refused(Turn& turn, const CopyRefused& event);

}  // namespace leasehold
