// lease: everything about one lease, host by host.
#include "broker/core/ledger/host_sets.hpp"
#include "broker/views/leases/lease_facts.hpp"
#include "broker/views/rows.hpp"
#include "broker/views/views.hpp"

namespace leasehold {

namespace {

using rows::cluster_name;

/// Says why work may or may not start on a host of the group.
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

void each_lease_of(const State& state, uint32_t index, const LeaseVisit& each) {
  const SlotGroup& group = state.slot_groups[index];
  if (group.resource_group == kNoIndex) return each({index, kConsumer});
  for (uint32_t m = 0; m < group.members.size(); ++m) {
    if (group.members[m].plan_consumer != kNoIndex) each({index, m});
  }
}

}  // namespace

std::vector<LeaseRef> leases_of(const State& state, uint32_t index) {
  std::vector<LeaseRef> leases;
  each_lease_of(state, index, [&](const LeaseRef& lease) { leases.push_back(lease); });
  return leases;
}

void for_each_lease(const State& state, const LeaseVisit& each) {
  for (uint32_t i = 0; i < state.slot_groups.size(); ++i) {
    if (state.slot_groups[i].phase != Phase::closed) each_lease_of(state, i, each);
  }
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
    if (concerns(t, ref.member)) transfers.push_back(transfer_row(state, group, t));
  }
  lease["decisions"] = decisions;
  return lease;
}

}  // namespace leasehold
