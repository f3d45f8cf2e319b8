// Plan snapshot: what evaluate_plan needs of the state, for one resource group at this moment
// (broker/rules/plan/README.md, "What goes in"). Reads only; views take the same snapshot.
//
// Contract: a transfer or a reclaim under way counts as done, so what a member is due counts as
// allocated, not what it holds. Hosts that are down, or whose provider or slot group takes no part
// at present, are left out with all that is held there. Positions of leaves and of consumers are
// those of Plan::consumers.
#pragma once

#include <memory>
#include <optional>

#include "broker/core/state.hpp"
#include "broker/rules/plan_place.hpp"
#include "broker/rules/plan_whole_hosts.hpp"

namespace leasehold {

/// Where PlanHost i stands in the ledger.
struct PlanRowRef {
  uint32_t group = kNoIndex;
  uint32_t row = 0;
};

/// What a snapshot that counts whole hosts is in slots (plan_in_hosts.hpp).
struct PlanInSlots {
  const Plan* plan = nullptr;
  PlanState state;
  std::vector<PlanHost> hosts;
  HostCount there;
  std::shared_ptr<const Plan> in_hosts;  // keeps PlanSnapshot::plan
};

struct PlanSnapshot {
  const Plan* plan = nullptr;    // nullptr: the resource group is no longer configured
  std::vector<uint32_t> ledger;  // by consumer: position in PlanLedger::consumers
  PlanState state;
  std::vector<PlanHost> hosts;          // in the group's order
  std::vector<PlanRowRef> rows;         // of hosts[i]
  std::vector<Selection> select;        // by consumer; empty: everything matches everywhere
  std::optional<PlanInSlots> in_slots;  // exclusive placement: `plan`, `state`, `hosts` count hosts
};

PlanSnapshot take_snapshot(const State& state, uint32_t plan);

/// The slot group takes part in evaluations now.
bool takes_part(const State& state, const Group& group);
/// The member is heard, and its workload manager answers: slots may move to it and from it.
bool member_takes_part(const State& state, const Group& group, size_t member);
/// Slots of the row that the plan may hand out: exported, and to stay so; not those on which a
/// provider without a leaf still runs its own work, nor those of which that is not known yet.
int32_t plan_slots(const State& state, const Group& group, uint32_t row);
/// The row counts: its host is up and its provider takes part.
bool row_counts(const State& state, const Group& group, uint32_t row);

}  // namespace leasehold
