// VirtualBroker, orders: from the core to the limits of the clusters' job models.
#include <algorithm>

#include "broker/simulate/broker.hpp"
#include "common/check.hpp"

namespace leasehold {

/// The groups and members that the core has made since; each gives its agent a side.
void VirtualBroker::adopt_groups() {
  const size_t known = rule_ == SimulationRule::plan ? 0 : sides_of_.size();
  sides_of_.resize(state_.slot_groups.size());
  for (auto group = static_cast<uint32_t>(known); group < state_.slot_groups.size(); ++group) {
    const auto members = static_cast<uint32_t>(state_.slot_groups[group].members.size());
    for (auto m = static_cast<uint32_t>(sides_of_[group].size()); m < members; ++m) {
      add_side(group, m);
    }
  }
}

uint32_t VirtualBroker::model_host(uint32_t index, uint32_t cluster) const {
  const SlotGroup& group = state_.slot_groups[index];
  const ExportPolicy& policy = state_.policies[group.policy].config;
  const auto same_policy = [&](const ScenarioPolicy& p) { return p.name == policy.name; };
  const auto p = std::find_if(scenario_.policies.begin(), scenario_.policies.end(), same_policy);
  const auto& hosts =
      agents_[cluster].model_hosts[static_cast<size_t>(p - scenario_.policies.begin())];
  if (group.resource_group != kNoIndex) return hosts.front();
  const std::string& consumer = state_.clusters[group.members[kConsumer].cluster].name;
  const auto same_share = [&](const Share& share) { return share.cluster == consumer; };
  const auto c = std::find_if(p->distribution.begin(), p->distribution.end(), same_share);
  return hosts[static_cast<size_t>(c - p->distribution.begin())];
}

void VirtualBroker::add_side(uint32_t index, uint32_t member) {
  const SlotGroup& group = state_.slot_groups[index];
  const uint32_t cluster = group.members[member].cluster;
  Side side;
  side.cluster = cluster;
  side.generation = group.generation;
  side.host = model_host(index, cluster);
  if (group.resource_group != kNoIndex) side.planned.emplace(models_[cluster], side.host);
  const auto at = static_cast<uint32_t>(sides_.size());
  agents_[cluster].sides.push_back(at);
  sides_of_[index].push_back(at);
  sides_.push_back(std::move(side));
}

uint32_t VirtualBroker::find_side(uint32_t cluster, uint64_t generation) const {
  const uint32_t group = find_slot_group(state_, generation);
  LEASEHOLD_CHECK(group != kNoIndex, "an order names a group that nobody knows");
  const uint32_t member = member_of(state_.slot_groups[group], cluster);
  LEASEHOLD_CHECK(member != kNoIndex, "an order went to a cluster that is no member");
  return sides_of_[group][member];
}

bool VirtualBroker::carry_out_orders(Instant now) {
  adopt_groups();
  bool opened = false;
  while (!orders_.empty()) {
    const Order order = orders_.front();
    orders_.pop_front();
    if (apply(order, now)) opened = true;
    adopt_groups();
  }
  return opened;
}

/// True: the agent's cluster may use more slots than before.
bool VirtualBroker::apply(const Order& order, Instant now) {
  const uint32_t index = find_side(order.cluster, order.generation);
  if (order.seq <= sides_[index].seq) return false;
  sides_[index].seq = order.seq;
  return sides_[index].planned ? apply_planned(index, order, now) : apply_lease(index, order, now);
}

bool VirtualBroker::apply_lease(uint32_t index, const Order& order, Instant now) {
  Side& side = sides_[index];
  JobModel& model = models_[side.cluster];
  const int32_t before = model.cap(side.host);
  const int32_t used = model.used(side.host);
  int32_t limit = before;
  if (order.host.limit >= before) limit = order.host.limit;
  if (order.host.limit >= 0 && order.host.limit < before) {
    limit = std::max(order.host.limit, std::min(before, used));
  }
  model.set_cap(side.host, limit);
  if (begun_ && limit < before && scenario_.transfer_time_ms > 0) {
    side.answer_at = now + scenario_.transfer_time_ms;
  } else {
    side.answer_at = kNever;
    answer(index, now);
  }
  return limit > before;
}

bool VirtualBroker::apply_planned(uint32_t index, const Order& order, Instant now) {
  bool more = false;
  if (order.host.limit >= 0) {
    const int64_t transfer_ms = begun_ ? scenario_.transfer_time_ms : 0;
    more = sides_[index].planned->take({order.host.limit, order.host.lowering, order.grace_ms},
                                       transfer_ms, now);
  }
  answer(index, now);
  return more;
}

}  // namespace leasehold
