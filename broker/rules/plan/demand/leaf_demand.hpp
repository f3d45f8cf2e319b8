// Leaf demand: the slots that the leaves of a plan want, where their agents tell the shapes of
// their waiting work: what runs, and what of the rest would start on the group's hosts
// (broker/rules/plan/README.md, "Demand by shape"). Pure. Not the quotas: those are made of it as
// of any demand (evaluate.hpp).
//
// Contract: the answer is of the present hosts alone; equal input gives equal output. Numbers are
// in what the plan counts, slots or whole hosts; `hosts` and what is said of slots is in slots.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "broker/rules/plan/compiled.hpp"
#include "broker/rules/plan/demand/leaf_work.hpp"
#include "broker/rules/plan/hosts/held_hosts.hpp"
#include "broker/rules/plan/plan.hpp"
#include "broker/rules/select/select.hpp"

namespace leasehold {

struct DemandInput {
  const Plan& plan;
  const std::shared_ptr<const CompiledPlan>& compiled;  // of `plan`
  const PlanState& state;        // the demand of leaves that tell no shapes, and what each holds
  const CompiledPlan& in_slots;  // of the plan in slots; the same, where that is `plan`
  bool whole_hosts = false;      // `plan` and `state` count those
  const std::vector<PlanHost>& hosts;
  std::span<const Selection> select;  // by consumer; empty or shorter: everything matches
  std::span<const LeafWork> works;
};

struct LeafDemand {
  uint32_t consumer = kNoIndex;
  int64_t demand = 0;
  int64_t slots = 0;    // the same in slots
  bool misfit = false;  // work waits, and none of it would start
  /// Slots that are to come for its work, of these shapes. Not counted are those that others have
  /// of its own hosts: they are exchanged, and that takes its time.
  int64_t granted = 0;
  std::vector<demand_aware::Shape> shapes = {};
  /// Slots that it has idle and that start none of its work, and those that are to be exchanged:
  /// whether they are used says nothing of those granted.
  int64_t beside = 0;
  /// It has idle slots that start none of its work, and without them would be given some that do.
  bool stuck = false;
  /// Slots that it has idle and that its work starts on, by host; hosts may repeat.
  std::vector<demand_aware::RowSlots> own = {};
};

struct LeafDemands {
  std::vector<LeafDemand> leaves;   // of `works`, in their order
  std::vector<WantedSlots> wanted;  // by leaf in the order of `works`
  /// Slots on which work would start once they came back, where leaves give up some as their work
  /// ends. Not where `whole_hosts`.
  std::vector<WantedSlots> returning;
};

LeafDemands leaf_demands(const DemandInput& input);

}  // namespace leasehold
