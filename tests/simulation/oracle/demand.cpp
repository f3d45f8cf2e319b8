// The part of Oracle that watches demand-aware leases (broker/rules/demand_aware/README.md): it
// reads the ledger, the hosts and the record, and does not ask the rule again.
#include <algorithm>
#include <utility>

#include "broker/core/model/queries/hosts.hpp"
#include "tests/simulation/oracle/oracle.hpp"

namespace leasehold::simulation {

namespace {

using demand_aware::Grant;
using demand_aware::kConsumer;
using demand_aware::kNobody;
using demand_aware::Shape;

/// Returns the most slots that `to` will have on one host, idle or on their way.
int32_t most_on_a_host(const SlotGroup& group, uint8_t to) {
  int32_t most = 0;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    const Holding& holding = group.at(row, to);
    const int32_t comes = wanted_from(group, demand_aware::other(to), row);
    most = std::max(most, holding.held - holding.used + comes);
  }
  return most;
}

/// Returns the size of the largest host that `to` will have wholly idle and that the group has
/// completely.
int32_t largest_whole(const State& state, const SlotGroup& group, uint8_t to) {
  int32_t most = 0;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    const Holding& holding = group.at(row, to);
    const int32_t exported = group.hosts[row].exported;
    const int32_t comes = wanted_from(group, demand_aware::other(to), row);
    const bool all = holding.held - holding.used + comes >= exported;
    if (all && exported >= host_of(state, group, row).facts.slots) most = std::max(most, exported);
  }
  return most;
}

/// True if the grant was decided just now. A grant that the database had when its broker began to
/// lead is not new, nor is one whose slots arrived: those of a reclaim come as work ends, when
/// others may be in use.
bool is_new(const demand_aware::Ledger& now, const std::optional<demand_aware::Ledger>& before) {
  const Grant& grant = now.grant;
  const bool decided = grant.at == now.evaluated_at;
  return grant.to != kNobody && decided && before && !(before->grant.at == grant.at);
}

bool any_common_up(const SlotGroup& group) {
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    if (common_up(group, row)) return true;
  }
  return false;
}

std::string shape_text(const Shape& shape) {
  return std::to_string(shape.slots) + " slots, " + std::to_string(shape.slots_per_host) +
         " a host" + (shape.whole ? ", whole" : "");
}

}  // namespace

/// Checks that at least one of the shapes that slots were moved for fits on a host.
void Oracle::check_grant(const State& state, const SlotGroup& group) {
  const Grant& grant = group.demand->grant;
  const int32_t most = most_on_a_host(group, grant.to);
  const int32_t whole = largest_whole(state, group, grant.to);
  const bool fits = std::any_of(grant.shapes.begin(), grant.shapes.end(), [&](const Shape& shape) {
    return shape.slots_per_host <= (shape.whole ? whole : most);
  });
  // A reload may remove the exports while slots come back.
  const bool exported = std::any_of(group.hosts.begin(), group.hosts.end(),
                                    [](const HostLedger& row) { return row.exported > 0; });
  if (!fits && exported) {
    violated(Invariant::granted_in_vain, group_id(state, group) + ": " +
                                             std::to_string(grant.slots) + " slots, at most " +
                                             std::to_string(most) + " on a host" + rows_of(group));
  }
  for (const demand_aware::BackOff& one : group.demand->back_offs) {
    const bool asked = std::count(grant.shapes.begin(), grant.shapes.end(), one.shape) > 0 &&
                       one.until > state.now;
    if (one.member != grant.to || !asked) continue;
    violated(Invariant::granted_too_soon, group_id(state, group) + ": " + shape_text(one.shape));
  }
}

namespace {

std::vector<Grant> of_consumer(const demand_aware::Ledger& ledger) {
  std::vector<Grant> grants = ledger.earlier;
  if (ledger.grant.to == kConsumer) grants.push_back(ledger.grant);
  return grants;
}

/// Returns the grant whose slots were sent back; nullopt where slots of other grants may have been
/// among them.
std::optional<Grant> sent_back_of(const demand_aware::Ledger& before,
                                  const demand_aware::Ledger& now) {
  if (before.left_unused > 0) return std::nullopt;
  const std::vector<Grant> left = of_consumer(now);
  std::vector<Grant> ended = of_consumer(before);
  std::erase_if(ended, [&left](const Grant& one) {
    return std::any_of(left.begin(), left.end(), [&one](const Grant& grant) {
      return grant.at == one.at && grant.shapes == one.shapes;
    });
  });
  return ended.size() == 1 ? std::optional(ended.front()) : std::nullopt;
}

}  // namespace

/// Checks that after half of a grant or more went back unused, each of its shapes waits a delay,
/// and twice as long each further time.
void Oracle::check_back_offs(const State& state, const SlotGroup& group,
                             const GroupMemory& memory) {
  const std::optional<Grant> known_grant = sent_back_of(*memory.demand, *group.demand);
  if (!known_grant || 2 * memory.sent_back < known_grant->slots) return;
  const Grant& grant = *known_grant;
  const int64_t delay_ms = state.grids[group.grid].delay_ms;
  // The time of the transfer counts, not the present: a batch is seen late if its broker was
  // stopped, or could not write.
  const auto back = std::find_if(
      group.transfers.begin(), group.transfers.end(),
      [](const Transfer& transfer) { return transfer.reason == Reason::grant_unused; });
  if (back == group.transfers.end()) return;
  const Instant sent_at = back->since;
  for (const Shape& shape : grant.shapes) {
    const auto is_of = [&](const demand_aware::BackOff& one) {
      return one.member == grant.to && one.shape == shape;
    };
    const auto& before = memory.demand->back_offs;
    const auto& after = group.demand->back_offs;
    const auto known = std::find_if(before.begin(), before.end(), is_of);
    const int32_t times = known == before.end() ? 0 : std::min(known->times, 10);
    const auto found = std::find_if(after.begin(), after.end(), is_of);
    const bool waits = found != after.end() && found->until >= sent_at + (delay_ms << times);
    if (waits || grant.shapes.size() > demand_aware::kBackOffsMost) continue;
    violated(Invariant::granted_too_soon,
             group_id(state, group) + " sent " + std::to_string(memory.sent_back) + " of " +
                 std::to_string(grant.slots) +
                 " slots back and need not wait: " + shape_text(shape));
  }
}

namespace {

/// Returns the unused slots of grants whose time is over.
int32_t unused_too_long(const State& state, const SlotGroup& group) {
  const ExportPolicy& policy = state.policies[group.policy].config;
  const int64_t use_by_ms = policy.use_by_ms.value_or(kDemandUseByMs);
  int32_t slots = 0;
  for (const Grant& grant : of_consumer(*group.demand)) {
    if (state.now >= grant.at + use_by_ms) slots += grant.unused;
  }
  return slots;
}

}  // namespace

/// Counts only while nothing delays evaluations. An agent that greets again has to report first,
/// and is asked again at an evaluation if that message is lost, so the time starts again with each
/// session.
void Oracle::check_unused(const State& state, const SlotGroup& group, GroupMemory& memory) {
  const int32_t unused = std::max(unused_too_long(state, group), kept_in_vain(state, group));
  const bool lent = group.phase == Phase::active || group.phase == Phase::offered;
  const bool counts = unused > 0 && all_connected(state, group) && lent &&
                      group.transfers.empty() && !group.quarantined && !group.breach &&
                      !state.frozen && any_common_up(group);
  if (!counts) {
    memory.unused_since_ms = -1;
    return;
  }
  const auto session = [&](size_t m) { return state.clusters[group.members[m].cluster].session; };
  const std::array<uint64_t, 2> sessions{session(kProvider), session(kConsumer)};
  const bool anew = std::exchange(memory.sessions, sessions) != sessions;
  if (memory.unused_since_ms < 0 || anew) memory.unused_since_ms = state.now.ms;
  const int64_t late_ms = state.now.ms - memory.unused_since_ms;
  if (late_ms <= 2 * state.grids[group.grid].delay_ms + state.config.agent_timeout_ms) return;
  violated(Invariant::kept_unused, group_id(state, group) + ": " + std::to_string(unused) +
                                       " slots, for " + std::to_string(late_ms / 1000) +
                                       " s longer than they may be" + rows_of(group));
}

void Oracle::check_demand(const State& state, const SlotGroup& group, GroupMemory& memory) {
  if (!group.demand) {
    memory.demand.reset();
    moved_.erase(group.generation);
    memory.unused_since_ms = -1;
    memory.sent_back = 0;
    return;
  }
  if (is_new(*group.demand, memory.demand)) check_grant(state, group);
  if (memory.demand && memory.sent_back > 0) check_back_offs(state, group, memory);
  note_moved(state, group);
  check_unused(state, group, memory);
  memory.sent_back = 0;
  memory.demand = *group.demand;
}

}  // namespace leasehold::simulation
