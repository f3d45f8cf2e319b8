// Host sets: reclaims of a resource plan whose hosts the loser's agent chooses
// (schema/wire/PROTOCOL.md, "Kinds of lowering"; broker/rules/plan/README.md, "Which slots"). The
// plan nominates hosts as it always does: what a member is due is lowered where placement took it,
// and the claimant's is raised there. Here it is found which of the other hosts would do as well,
// so that an order names what all of them may add up to; and what then comes free elsewhere takes
// the place of what was nominated (renominate.cpp).
//
// Contract: only slots that an open reclaim of the plan asks for are taken. When a nomination
// changes its host, each member's sum of dues and each host's sum of dues stay. What cannot be
// chosen is named host by host: to an agent that does not choose, on a host that its member must
// leave whatever the plan says, where several claimants can use different hosts, for one whose wide
// work waits. Under exclusive placement hosts are given up as a whole, for others of which the
// member holds as many slots.
#pragma once

#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/turn/turn.hpp"

namespace leasehold {

/// A set of hosts of which a cluster gives up `slots`, on whichever of them. No row is in two sets.
struct HostSet {
  std::vector<RowRef> rows;  // nominated ones first, then as the plan declares them
  int64_t slots = 0;
  int64_t grace_ms = 0;  // the longest of its reclaims
  bool whole_hosts = false;
};

struct HostSets {
  std::vector<HostSet> sets;
  std::vector<RowRef> nominated;  // rows whose reclaims the sets stand for
};

/// Returns the sets that the plan's open reclaims from that cluster make now; none while leases are
/// frozen.
HostSets host_sets(const State& state, uint32_t resource_group, uint32_t cluster);

/// True if the loser's agent chooses the hosts that the transfer still waits for: its last order
/// named none of its own for them.
bool left_to_agent(const SlotGroup& group, const Transfer& transfer);

/// Lets slots that the member gave up beyond what those rows were asked replace nominations on
/// other rows. Returns the groups, besides this one, whose transfers have less to wait for.
std::vector<uint32_t> renominate(Turn& turn, uint32_t group, size_t member, const Wanted& released);

}  // namespace leasehold
