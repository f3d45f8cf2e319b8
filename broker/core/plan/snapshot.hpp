// Plan snapshot: what evaluate_plan needs of the state, for one resource group at this moment
// (broker/rules/plan/README.md, "What goes in"). Values only: take_snapshot.hpp takes
// it, in_hosts.hpp counts it in whole hosts.
//
// Contract: a transfer or a reclaim under way counts as done, so what a member is due counts as
// allocated, not what it holds. Hosts that are down are left out with all that is held there. Of
// hosts whose provider or slot group takes no part at present nothing moves, but who holds slots
// there has them, and uses them: an agent that is away for a moment makes nobody else's share
// smaller. Positions of leaves and of consumers are those of Plan::consumers.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/ready_plan.hpp"
#include "broker/rules/plan/demand/leaf_work.hpp"
#include "broker/rules/plan/hosts/place.hpp"
#include "broker/rules/plan/hosts/whole_hosts.hpp"

namespace leasehold {

/// The slots behind a snapshot that counts whole hosts (in_hosts.hpp).
struct PlanInSlots {
  const Plan* plan = nullptr;
  PlanState state;
  std::vector<PlanHost> hosts;
  HostCount there;
  std::shared_ptr<const Plan> in_hosts;  // keeps PlanSnapshot::plan
};

/// Slots that an evaluation gives a leaf for its waiting work, if it gives them.
struct LeafGrant {
  uint32_t consumer = kNoIndex;
  int64_t slots = 0;
  std::vector<demand_aware::Shape> shapes;
  int64_t beside = 0;  // LeafDemand::beside
};

struct PlanSnapshot {
  const Plan* plan = nullptr;  // nullptr: the resource group is no longer configured
  std::shared_ptr<const ReadyPlan> ready;
  std::shared_ptr<const CompiledPlan> compiled;  // of `plan`
  std::span<const uint32_t> ledger;  // by consumer: position in ResourceGroupLedger::consumers
  PlanState state;
  std::vector<PlanHost> hosts;  // in the group's order
  std::vector<RowRef> rows;     // of hosts[i]
  std::vector<HostHolding>
      without_contact;  // on other hosts: part of what is allocated, never moved
  /// Slots that leaves want by their numbers, by consumer, while some leaf's demand goes by the
  /// shapes of its work; of parents 0. Empty: the demand is that.
  std::vector<int64_t> wants;
  std::vector<uint32_t> misfits;    // consumers of whose waiting work nothing would start
  std::vector<uint32_t> stuck;      // consumers whose idle slots are in the way (leaf_demand.hpp)
  std::vector<uint32_t> wait_off;   // consumers of which some shape waits off (grants.hpp)
  std::vector<uint32_t> gave_back;  // what they were given and left unused; set by the evaluation
  std::vector<LeafGrant> grants;
  std::vector<WantedSlots> returning;  // LeafDemands::returning
  /// Work is left out that leaves have slots for elsewhere; some of it counts again then.
  Instant served_until = kNever;
  /// Returns selections by consumer; empty: everything matches everywhere.
  std::span<const Selection> select() const { return ready->select; }
  /// Set if the plan is decided in whole hosts: `plan`, `state` and `hosts` then count those.
  std::optional<PlanInSlots> in_slots;
};

}  // namespace leasehold
