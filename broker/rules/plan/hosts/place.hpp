// Placement: which slots of which hosts the moves of a plan are about (broker/rules/plan/README.md,
// "Which slots"). Exclusive placement counts each host as one slot and stacks those
// (whole_hosts.hpp). A consumer's resource requirement comes first: idle slots and losers'
// slots count for its claims only if they match, so that another one above its quota may lose
// instead. What comes back need not be the slot that was lent. For work whose shapes are known only
// slots that it starts on are taken (broker/rules/plan/README.md, "Demand by shape"). Pure.
//
// Contract: `hosts` in the group's order; what leaves hold there may be less than `allocated` says,
// never more than the host's slots. Slots on which nothing runs are taken before others. Nothing
// here changes how many slots somebody is due.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "broker/rules/plan/compiled.hpp"
#include "broker/rules/plan/hosts/held_hosts.hpp"
#include "broker/rules/plan/plan.hpp"
#include "broker/rules/select/select.hpp"

namespace leasehold {

struct PlacedMove {
  uint32_t from = kNoIndex;
  uint32_t to = kNoIndex;
  uint32_t host = 0;
  int64_t slots = 0;
  bool operator==(const PlacedMove&) const = default;
};

struct PlacedMoves {
  std::vector<PlacedMove> moves;     // by claimant, idle slots first; then what nobody takes
  std::vector<HostHolding> missing;  // claims for which no slot matches
  std::vector<PlanHost> hosts;       // after the moves
};

/// `compiled` is that of `plan`; `select`: by consumer; empty or shorter: everything matches.
PlacedMoves place_moves(const Plan& plan, const CompiledPlan& compiled, const PlanAnswer& answer,
                        std::vector<PlanHost> hosts, std::span<const Selection> select);

}  // namespace leasehold
