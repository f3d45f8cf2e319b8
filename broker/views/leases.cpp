// leases and lease: what operators ask for most.
#include "broker/views/rows.hpp"
#include "broker/views/views.hpp"

namespace leasehold {

namespace {

using rows::cluster_name;

const char* type_word(LeaseType type) {
  return type == LeaseType::shared ? "shared" : "exclusive";
}

const char* rule_word(RuleKind rule) {
  switch (rule) {
    case RuleKind::exclusive:
      return "exclusive";
    case RuleKind::idle_comparison:
      return "idle-comparison";
    case RuleKind::demand_aware:
      return "demand-aware";
  }
  return "exclusive";
}

Json next_evaluation(const State& state, const Group& group) {
  const bool over = group.phase == Phase::draining || group.phase == Phase::closed;
  if (over || group.grid >= state.grids.size()) return nullptr;
  return rows::time(state.grids[group.grid].next);
}

Json pending_of(const State& state, const Group& group, size_t member) {
  const Cluster& cluster = state.clusters[group.members[member].cluster];
  return cluster.contact == Contact::ok ? Json(cluster.pending) : Json(nullptr);
}

/// In words, why work may or may not start on a host of the group.
const char* host_state(const State& state, const Group& group, size_t position) {
  const Host& host =
      state.clusters[group.members[kProvider].cluster].hosts[group.hosts[position].host];
  if (!host.present) return "unknown";
  if (host.closed) return "closed";
  const std::string& consumer = cluster_name(state, group, kConsumer);
  const auto& closed_for = host.closed_for;
  if (std::find(closed_for.begin(), closed_for.end(), consumer) != closed_for.end()) {
    return "closed-for-consumer";
  }
  const bool provider_up = group.at(position, kProvider).up;
  const bool consumer_up = group.at(position, kConsumer).up;
  if (provider_up && consumer_up) return "ok";
  if (provider_up) return "consumer-down";
  return consumer_up ? "provider-down" : "down";
}

Json host_row(const State& state, const Group& group, size_t position) {
  const Holding& provider = group.at(position, kProvider);
  const Holding& consumer = group.at(position, kConsumer);
  Json row;
  row["host"] = rows::facts(state, group, position).name;
  row["exported"] = group.hosts[position].exported;
  row["provider_slots"] = provider.held;
  row["consumer_slots"] = consumer.held;
  row["in_transfer"] = group.hosts[position].in_transfer;
  row["state"] = host_state(state, group, position);
  row["provider_used"] = provider.used;
  row["consumer_used"] = consumer.used;
  return row;
}

const char* lowering_word(wire::Lowering lowering) {
  switch (lowering) {
    case wire::Lowering::release:
      return "release";
    case wire::Lowering::reclaim:
      return "reclaim";
    case wire::Lowering::shrink:
      return "shrink";
  }
  return "release";
}

Json transfer_row(const State& state, const Group& group, const Transfer& transfer) {
  Json row;
  row["id"] = transfer.id;
  row["from"] = cluster_name(state, group, transfer.from);
  row["to"] = cluster_name(state, group, transfer.to);
  row["slots"] =
      transfer.step == TransferStep::granting ? transfer.slots_released : transfer.slots_wanted;
  row["step"] = token(transfer.step);
  row["since"] = rows::time(transfer.since);
  row["lowering"] = lowering_word(transfer.lowering);
  row["reason"] = std::string(token(transfer.reason));
  row["slots_released"] = transfer.slots_released;
  row["deadline"] = rows::time(transfer.deadline);
  return row;
}

}  // namespace

Json view_lease_row(const State& state, uint32_t index) {
  const Group& group = state.groups[index];
  const ExportPolicy& policy = state.policies[group.policy].config;
  const Totals totals = rows::totals(group);
  Json row;
  row["id"] = lease_id(state, group);
  row["policy"] = policy.name;
  row["group"] = group_id(state, group);
  row["provider"] = cluster_name(state, group, kProvider);
  row["consumer"] = cluster_name(state, group, kConsumer);
  row["type"] = type_word(policy.type);
  row["rule"] = rule_word(policy.rule);
  row["phase"] = token(group.phase);
  row["epoch"] = group.epoch;
  row["slots"] = exported(group);
  row["in_transfer"] = in_transfer(group);
  row["provider_slots"] = rows::slots(totals.provider_available, totals.provider_used);
  row["consumer_slots"] = rows::slots(totals.consumer_available, totals.consumer_used);
  row["pending"] = {{"provider", pending_of(state, group, kProvider)},
                    {"consumer", pending_of(state, group, kConsumer)}};
  row["last_flip"] = rows::time(group.last_flip);
  row["next_evaluation"] = next_evaluation(state, group);
  row["reason"] = std::string(token(group.reason));
  row["flips"] = group.flips;
  return row;
}

Json view_leases(const State& state) {
  Json list = Json::array();
  for (uint32_t i = 0; i < state.groups.size(); ++i) {
    if (state.groups[i].phase != Phase::closed) list.push_back(view_lease_row(state, i));
  }
  return list;
}

Json view_lease(const State& state, uint32_t index, const Json& decisions) {
  const Group& group = state.groups[index];
  Json lease = view_lease_row(state, index);
  lease["since"] = rows::time(group.since);
  lease["quarantined"] = group.quarantined;
  Json& hosts = lease["hosts"] = Json::array();
  for (size_t h = 0; h < group.hosts.size(); ++h) hosts.push_back(host_row(state, group, h));
  Json& transfers = lease["transfers"] = Json::array();
  for (const Transfer& t : group.transfers) transfers.push_back(transfer_row(state, group, t));
  lease["decisions"] = decisions;
  return lease;
}

}  // namespace leasehold
