// By demand: where a rule that reads work (broker/rules/demand_aware) meets the state: what it is
// asked of one lease, what it remembers, and when a report makes it worth asking before the next
// evaluation of the grid. Not the rule, and not how slots get across.
#pragma once

#include "broker/core/lease/demand_view.hpp"
#include "broker/core/model/shadow.hpp"
#include "broker/core/model/turn/turn.hpp"
#include "broker/rules/demand_aware/decide.hpp"

namespace leasehold {

/// True if an evaluation would change neither the rule's memory nor any slots as long as neither
/// side has work that waits. Contract: goes_by_demand().
bool needs_waiting_work(const State& state, const SlotGroup& group, const Totals& totals);
bool nobody_waits(const Cluster& cluster);

/// Returns the rule's answer now; nothing is remembered. Contract: the rule reads work.
RuleAnswer answer_by_work(const Rule& rule, const State& state, const SlotGroup& group);
/// True if the consumer's agent says what its waiting work looks like.
bool tells_shapes(const State& state, const SlotGroup& group);
/// Returns what the rule would give the consumer now, or if more hosts were up; of a lease that is
/// not made yet what it would offer for work.
Wanted given_by_demand(const State& state, const SlotGroup& group, Asleep asleep);

/// Host by host. `reclaimed`: from the consumer's work, on other hosts than what is released.
struct DemandMoves {
  Wanted released;
  Wanted reclaimed;
};
/// Returns the rule's answer and remembers its ledger; `moves` are to be carried out. Contract:
/// goes_by_demand(), and the gate is open.
RuleAnswer evaluate_by_demand(Turn& turn, uint32_t group, ViewReader& reader, DemandMoves& moves);

/// Offers the consumer of a lease that is not made yet slots for its waiting work, and takes back
/// what it does not use (first_offer.hpp). Contract: that it is not made is all that closes the
/// gate.
void offer_by_work(Turn& turn, uint32_t group);

/// Called when a member's statement of the group, or its waiting work, has changed. Schedules an
/// evaluation between those of the grid if somebody could take what is idle. True: it did, or moved
/// a scheduled one forward.
bool schedule_if_taker(State& state, uint32_t group);
/// Notes the member's idle slots outside of all leases. Contract: goes_by_demand(), of that
/// cluster.
void note_elsewhere(State& state, uint32_t group, uint32_t cluster,
                    const std::vector<int32_t>& idle);
/// Notes the provider's idle slots beside the exported ones on the same hosts. Contract:
/// goes_by_demand(), and the group is the provider's.
void note_beside(State& state, uint32_t group, const IdleBeside& idle);
/// Called after the member's statement of the group was taken over.
void note_grant_use(State& state, uint32_t group, size_t member);

/// The lease is evaluated at that instant, or at the one that is planned already if that is sooner.
/// True: another instant than before. Contract: it has a ledger of demand.
bool react_by(State& state, uint32_t group, Instant at);
/// Nothing moves from now on: what it would be looked at for between evaluations is over.
void forget_reaction(Turn& turn, uint32_t group);

/// Drops the demand ledger of a lease that is under another rule now, but for what was offered for
/// work before the lease is made. Called after a configuration was taken, and when one is made.
void forget_demand(Turn& turn, uint32_t group);

}  // namespace leasehold
