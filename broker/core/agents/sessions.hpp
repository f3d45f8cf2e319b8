// Sessions: agents come and go, and the broker itself starts (schema/wire/PROTOCOL.md, "Handshake",
// "Broker start" and "Lost contact"). After a start every group is in quarantine until each member
// has greeted; a warm take-over skips that.
#pragma once

#include "broker/core/model/event.hpp"
#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// Resets all members marked `reset at start`, and sets every open group into quarantine. After a
/// warm take-over only groups that were in quarantine before are; for the others only the sessions
/// are over.
void broker_started(Turn& turn, const BrokerStarted& event);

/// Opens the session; answers with the configuration and an order for each of its groups.
void agent_hello(Turn& turn, const AgentHello& event);

/// A silent agent's slots stay where they are, those of one that is being stopped too; what waits
/// for its answer is undone. Where its leases end by themselves their time runs from `renewed_at`
/// (expiry.hpp).
void agent_lost(Turn& turn, uint32_t cluster, Instant renewed_at, bool stopped);

}  // namespace leasehold
