#include "broker/core/plan/unneeded.hpp"

#include <algorithm>
#include <utility>

#include "broker/core/model/queries/plans.hpp"
#include "broker/core/plan/in_hosts.hpp"
#include "broker/rules/plan/demand/unneeded.hpp"
#include "broker/rules/plan/evaluate.hpp"

namespace leasehold {

namespace {

bool is_leaf(const Plan& plan, uint32_t consumer) {
  return !plan.consumers[consumer].cluster.empty();
}

/// Returns the slots that leaves get of what they want.
int64_t served(const Plan& plan, const PlanAnswer& answer) {
  int64_t slots = 0;
  for (const PlanRow& row : answer.rows) {
    if (is_leaf(plan, row.consumer)) slots += std::min(row.quota, row.demand);
  }
  return slots;
}

bool somebody_is_short(const Plan& plan, const PlanAnswer& answer) {
  return std::any_of(answer.rows.begin(), answer.rows.end(), [&](const PlanRow& row) {
    return is_leaf(plan, row.consumer) && row.quota < row.demand;
  });
}

bool holds_for_now(const ResourceGroupLedger& ledger, const PlanSnapshot& snapshot,
                   uint32_t consumer, Instant now) {
  const Instant gained = ledger.consumers[snapshot.ledger[consumer]].gained_at;
  return snapshot.plan->min_hold_ms > 0 && gained + snapshot.plan->min_hold_ms > now;
}

struct Lean {
  PlanState state;       // without what is unneeded
  bool waiting = false;  // there is more of it, held for now
};

Lean lean_state(const ResourceGroupLedger& ledger, const PlanSnapshot& snapshot, Instant now) {
  Lean lean{snapshot.state, false};
  for (uint32_t c = 0; c < lean.state.leaves.size(); ++c) {
    LeafState& leaf = lean.state.leaves[c];
    if (!holds_unneeded(*snapshot.plan, snapshot.state, c)) continue;
    const bool waits = holds_for_now(ledger, snapshot, c, now);
    lean.waiting = lean.waiting || waits;
    if (!waits) shrink_to_demand(leaf);
  }
  return lean;
}

/// Takes at most `left` of what a leaf is due of a host. Returns how many.
int64_t leave_row(Turn& turn, PlanSnapshot& snapshot, size_t host, HostHolding& held,
                  int64_t left) {
  const int64_t part = std::clamp<int64_t>(held.slots - held.used - held.needed, 0, left);
  if (part == 0) return 0;
  const RowRef& at = snapshot.rows[host];
  SlotGroup& group = turn.group(at.group);
  const size_t member = holding_index(group).member_for(snapshot.ledger[held.consumer]);
  int32_t& due = group.at(at.row, member).due;
  if (snapshot.in_slots) leave_host(*snapshot.in_slots, held.consumer, host);
  due -= snapshot.in_slots ? due : static_cast<int32_t>(part);
  held.slots -= part;
  group_changed(turn, at.group);
  return part;
}

/// `left`: by consumer. Slots on which nothing runs, nor would start: of hosts of which somebody's
/// work wants them first, then from the last host on, so that the first ones stay full.
void leave_rows(Turn& turn, PlanSnapshot& snapshot, const std::vector<int64_t>& left) {
  std::vector<std::vector<std::pair<size_t, size_t>>> places(left.size());  // by consumer
  for (const bool wanted : {true, false}) {
    for (size_t h = snapshot.hosts.size(); h-- > 0;) {
      const std::vector<HostHolding>& held = snapshot.hosts[h].held;
      if (snapshot.hosts[h].wanted.empty() == wanted) continue;
      for (size_t i = 0; i < held.size(); ++i) {
        if (left[held[i].consumer] > 0) places[held[i].consumer].emplace_back(h, i);
      }
    }
  }
  for (size_t c = 0; c < left.size(); ++c) {
    int64_t of_it = left[c];
    for (const auto& [h, i] : places[c]) {
      of_it -= leave_row(turn, snapshot, h, snapshot.hosts[h].held[i], of_it);
    }
  }
}

/// True: somebody gets more for all that is unneeded, and it was given up.
bool give_up_all(Turn& turn, uint32_t resource_group, PlanSnapshot& snapshot, PlanAnswer& answer) {
  if (!somebody_is_short(*snapshot.plan, answer)) return false;
  Lean lean = lean_state(turn.state.resource_groups[resource_group], snapshot, turn.now);
  if (lean.waiting) queue_plan_evaluation(turn.state, resource_group);  // time alone lets it go
  if (lean.state.leaves == snapshot.state.leaves) return false;
  PlanAnswer with_them = evaluate_plan(*snapshot.plan, snapshot.compiled, lean.state);
  if (served(*snapshot.plan, with_them) <= served(*snapshot.plan, answer)) return false;
  std::vector<int64_t> unneeded;
  for (uint32_t c = 0; c < lean.state.leaves.size(); ++c) {
    unneeded.push_back(snapshot.state.leaves[c].allocated - lean.state.leaves[c].allocated);
  }
  leave_rows(turn, snapshot, unneeded);
  snapshot.state = std::move(lean.state);
  answer = std::move(with_them);
  return true;
}

/// Returns by consumer whether the plan gives it all that its work wants.
std::vector<bool> given_all(const PlanSnapshot& snapshot, const PlanAnswer& answer) {
  std::vector<int64_t> left(snapshot.state.leaves.size(), 0);
  for (const PlanRow& row : answer.rows) left[row.consumer] = row.quota - row.allocated;
  for (const PlanHost& host : snapshot.hosts) {
    for (const HostWanted& wanted : host.wanted) left[wanted.consumer] -= wanted.slots;
  }
  std::vector<bool> given;
  for (const int64_t slots : left) given.push_back(slots >= 0);
  return given;
}

/// Returns the slots of a host that are unneeded and that others' work wants. 0: more than what
/// lies idle there is wanted of them; then the plan takes all of it.
int64_t wanted_unneeded(const PlanSnapshot& snapshot, const std::vector<bool>& given,
                        const PlanHost& host, const HostHolding& held) {
  if (!holds_unneeded(*snapshot.plan, snapshot.state, held.consumer)) return 0;
  int64_t slots = 0;
  for (const HostWanted& wanted : host.wanted) {
    if (wanted.from == held.consumer && given[wanted.consumer]) slots += wanted.slots;
  }
  const LeafState& leaf = snapshot.state.leaves[held.consumer];
  return slots <= held.slots - held.used - held.needed
             ? std::min(slots, leaf.allocated - leaf.demand)
             : 0;
}

/// Nobody is short by its number, but work of one starts only on what others do not need.
void give_up_wanted(Turn& turn, uint32_t resource_group, PlanSnapshot& snapshot,
                    PlanAnswer& answer) {
  const std::vector<bool> given = given_all(snapshot, answer);
  bool any = false;
  for (size_t h = 0; h < snapshot.hosts.size(); ++h) {
    for (HostHolding& held : snapshot.hosts[h].held) {
      const int64_t most = wanted_unneeded(snapshot, given, snapshot.hosts[h], held);
      if (most <= 0) continue;
      if (holds_for_now(turn.state.resource_groups[resource_group], snapshot, held.consumer,
                        turn.now)) {
        queue_plan_evaluation(turn.state, resource_group);
        continue;
      }
      const int64_t slots = leave_row(turn, snapshot, h, held, most);
      give_up(snapshot.state.leaves[held.consumer], slots);
      any = any || slots > 0;
    }
  }
  if (any) answer = evaluate_plan(*snapshot.plan, snapshot.compiled, snapshot.state);
}

}  // namespace

int64_t lean_slots(const PlanSnapshot& snapshot, uint32_t consumer) {
  const LeafState& leaf = snapshot.state.leaves[consumer];
  if (!under_ownership(*snapshot.plan, consumer)) return leaf.allocated;
  return std::min(leaf.allocated, leaf.demand);
}

void give_up_unneeded(Turn& turn, uint32_t resource_group, PlanSnapshot& snapshot,
                      PlanAnswer& answer) {
  if (give_up_all(turn, resource_group, snapshot, answer)) return;
  give_up_wanted(turn, resource_group, snapshot, answer);
}

}  // namespace leasehold
