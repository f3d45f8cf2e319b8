// leases and lease: what operators ask for most.
#include "broker/core/exports/plan_groups.hpp"
#include "broker/core/ledger/host_sets.hpp"
#include "broker/core/model/plans.hpp"
#include "broker/views/plan/words.hpp"
#include "broker/views/rows.hpp"
#include "broker/views/views.hpp"

namespace leasehold {

namespace {

using rows::cluster_name;

Json next_evaluation(const State& state, const SlotGroup& group) {
  const bool over = group.phase == Phase::draining || group.phase == Phase::closed;
  const uint32_t grid = group.resource_group == kNoIndex
                            ? group.grid
                            : state.resource_groups[group.resource_group].grid;
  if (over || grid >= state.grids.size()) return nullptr;
  return rows::time(state.grids[grid].next);
}

Json pending_of(const State& state, const SlotGroup& group, size_t member) {
  const Cluster& cluster = state.clusters[group.members[member].cluster];
  return cluster.contact == Contact::ok ? Json(cluster.pending) : Json(nullptr);
}

/// In words, why work may or may not start on a host of the group.
const char* host_state(const State& state, const SlotGroup& group, size_t member, size_t position) {
  const Host& host =
      state.clusters[group.members[kProvider].cluster].hosts[group.hosts[position].host];
  if (!host.present) return "unknown";
  if (host.closed) return "closed";
  const std::string& consumer = cluster_name(state, group, member);
  const auto& closed_for = host.closed_for;
  if (std::find(closed_for.begin(), closed_for.end(), consumer) != closed_for.end()) {
    return "closed-for-consumer";
  }
  const bool provider_up = group.at(position, kProvider).up;
  const bool consumer_up = group.at(position, member).up;
  if (provider_up && consumer_up) return "ok";
  if (provider_up) return "consumer-down";
  return consumer_up ? "provider-down" : "down";
}

Json host_row(const State& state, const SlotGroup& group, size_t member, size_t position) {
  const Holding& provider = group.at(position, kProvider);
  const Holding& consumer = group.at(position, member);
  Json row;
  row["host"] = rows::facts(state, group, position).name;
  row["exported"] = group.hosts[position].exported;
  row["provider_slots"] = provider.held;
  row["consumer_slots"] = consumer.held;
  row["in_transfer"] = group.hosts[position].in_transfer;
  row["unallocated"] = group.hosts[position].unallocated;
  row["state"] = host_state(state, group, member, position);
  row["provider_used"] = provider.used;
  row["consumer_used"] = consumer.used;
  return row;
}

Json transfer_row(const State& state, const SlotGroup& group, const Transfer& transfer) {
  Json row;
  row["id"] = transfer.id;
  row["from"] = cluster_name(state, group, transfer.from);
  row["to"] =
      transfer.to == kNoMember ? Json(nullptr) : Json(cluster_name(state, group, transfer.to));
  row["slots"] =
      transfer.step == TransferStep::granting ? transfer.slots_released : transfer.slots_wanted;
  row["step"] = token(transfer.step);
  row["since"] = rows::time(transfer.since);
  row["lowering"] = token(transfer.lowering);
  row["reason"] = std::string(token(transfer.reason));
  row["slots_released"] = transfer.slots_released;
  row["deadline"] = rows::time(transfer.deadline);
  row["agent_chooses"] = left_to_agent(group, transfer);
  return row;
}

/// Type and rule; of a plan the policy of the consumer's branch.
std::pair<std::string, std::string> kind_of(const State& state, const LeaseRef& lease) {
  const SlotGroup& group = state.slot_groups[lease.group];
  const ExportPolicy& policy = state.policies[group.policy].config;
  if (group.resource_group == kNoIndex) return {token(policy.type), token(policy.rule)};
  const Plan* plan = plan_in_force(state, state.resource_groups[group.resource_group]);
  if (plan == nullptr) return {"plan", token(PlanPolicy::hybrid)};  // draining: it is gone
  // The ledger names consumers in the order of the first plan.
  const uint32_t at = position_of(*plan, rows::consumer(state, lease).path,
                                  group.members[lease.member].plan_consumer);
  return {"plan", token(at == kNoIndex ? plan->policy : policy_of(*plan, at))};
}

/// Slots of the row that the member is due and has not got.
int32_t slots_missing(const SlotGroup& group, size_t row, size_t member) {
  const Holding& holding = group.at(row, member);
  return std::max(0, holding.due - holding.held);
}

/// Slots on their way: of a plan those that were released for this consumer.
int32_t moving(const SlotGroup& group, size_t member) {
  if (group.resource_group == kNoIndex) return in_transfer(group);
  int32_t sum = 0;
  for (size_t row = 0; row < group.hosts.size(); ++row) {
    sum += std::min(group.hosts[row].in_transfer, slots_missing(group, row, member));
  }
  return sum;
}

bool concerns(const SlotGroup& group, const Transfer& transfer, size_t member) {
  return group.resource_group == kNoIndex || transfer.from == member || transfer.to == member;
}

/// Of those on their way, also what its holder was asked to release and has not yet.
int64_t asked_for(const SlotGroup& group, size_t member) {
  int64_t sum = 0;
  for (const Transfer& transfer : group.transfers) {
    if (transfer.step != TransferStep::releasing || !concerns(group, transfer, member)) continue;
    if (!transfer.inactive && transfer.lowering == wire::Lowering::shrink) continue;  // as jobs end
    sum += std::max(0, transfer.slots_wanted - transfer.slots_released);
  }
  return sum;
}

/// Held on hosts that one of the two sides does not call up: they stay there, neither idle nor
/// used.
Json slots_down(const SlotGroup& group, size_t member) {
  int64_t provider = 0;
  int64_t consumer = 0;
  for (size_t h = 0; h < group.hosts.size(); ++h) {
    const bool here = group.at(h, kProvider).up;
    const bool there = group.at(h, member).up;
    const bool lease = group.resource_group == kNoIndex;
    const bool common = here && there;
    if (!(lease ? common : here)) provider += group.at(h, kProvider).held;
    if (!common) consumer += group.at(h, member).held;
  }
  return {{"provider", provider}, {"consumer", consumer}};
}

/// Between this consumer and any other.
int64_t flips_of(const State& state, const LeaseRef& lease) {
  const SlotGroup& group = state.slot_groups[lease.group];
  const uint32_t consumer = group.members[lease.member].plan_consumer;
  int64_t flips = 0;
  for (const PairFlips& pair : state.resource_groups[group.resource_group].pairs) {
    if (pair.from == consumer || pair.to == consumer) flips += pair.flips;
  }
  return flips;
}

}  // namespace

std::vector<LeaseRef> leases_of(const State& state, uint32_t index) {
  const SlotGroup& group = state.slot_groups[index];
  std::vector<LeaseRef> leases;
  if (group.resource_group == kNoIndex) leases.push_back({index, kConsumer});
  for (uint32_t m = 0; m < group.members.size() && group.resource_group != kNoIndex; ++m) {
    if (group.members[m].plan_consumer != kNoIndex) leases.push_back({index, m});
  }
  return leases;
}

Json view_lease_row(const State& state, LeaseRef lease) {
  const SlotGroup& group = state.slot_groups[lease.group];
  const bool plan = group.resource_group != kNoIndex;
  const Totals totals = rows::totals(group, lease.member);
  const auto [type, rule] = kind_of(state, lease);
  Json row;
  row["id"] = lease_id(state, group, lease.member);
  row["policy"] = state.policies[group.policy].config.name;
  row["group"] = plan ? state.resource_groups[group.resource_group].name : group_id(state, group);
  row["provider"] = cluster_name(state, group, kProvider);
  row["consumer"] = cluster_name(state, group, lease.member);
  row["type"] = type;
  row["rule"] = rule;
  row["phase"] = token(group.phase);
  row["epoch"] = group.epoch;
  row["slots"] = exported(group);
  row["in_transfer"] = moving(group, lease.member);
  row["moving"] = moving(group, lease.member) + asked_for(group, lease.member);
  row["provider_slots"] = rows::slots(totals.provider_available, totals.provider_used);
  row["consumer_slots"] = rows::slots(totals.consumer_available, totals.consumer_used);
  row["slots_down"] = slots_down(group, lease.member);
  row["pending"] = {{"provider", pending_of(state, group, kProvider)},
                    {"consumer", pending_of(state, group, lease.member)}};
  row["last_flip"] = rows::time(plan ? rows::consumer(state, lease).gained_at : group.last_flip);
  row["next_evaluation"] = next_evaluation(state, group);
  row["reason"] = std::string(token(plan ? rows::consumer(state, lease).reason : group.reason));
  row["flips"] = plan ? flips_of(state, lease) : group.flips;
  row["mode"] = rows::mode_word(state);
  row["frozen"] = state.frozen;
  return row;
}

void for_each_lease(const State& state, const std::function<void(const LeaseRef&)>& each) {
  for (uint32_t i = 0; i < state.slot_groups.size(); ++i) {
    if (state.slot_groups[i].phase == Phase::closed) continue;
    for (const LeaseRef& lease : leases_of(state, i)) each(lease);
  }
}

Json view_leases(const State& state) {
  Json list = Json::array();
  for_each_lease(state,
                 [&](const LeaseRef& lease) { list.push_back(view_lease_row(state, lease)); });
  return list;
}

Json view_lease(const State& state, LeaseRef ref, const Json& decisions) {
  const SlotGroup& group = state.slot_groups[ref.group];
  Json lease = view_lease_row(state, ref);
  lease["since"] = rows::time(group.since);
  lease["quarantined"] = group.quarantined;
  Json& hosts = lease["hosts"] = Json::array();
  for (size_t h = 0; h < group.hosts.size(); ++h) {
    hosts.push_back(host_row(state, group, ref.member, h));
  }
  Json& transfers = lease["transfers"] = Json::array();
  for (const Transfer& t : group.transfers) {
    if (concerns(group, t, ref.member)) transfers.push_back(transfer_row(state, group, t));
  }
  lease["decisions"] = decisions;
  return lease;
}

}  // namespace leasehold
