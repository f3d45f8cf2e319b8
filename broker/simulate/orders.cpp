// VirtualBroker, orders: applies the core's orders to the limits of the clusters' job models.
#include <algorithm>

#include "broker/simulate/broker.hpp"
#include "common/check.hpp"

namespace leasehold {

/// Adopts the groups, members and hosts that the core has made since; each member gives its agent a
/// side.
void VirtualBroker::adopt_groups() {
  const size_t known = rule_.planned ? 0 : sides_of_.size();
  sides_of_.resize(state_.slot_groups.size());
  for (auto group = static_cast<uint32_t>(known); group < state_.slot_groups.size(); ++group) {
    const auto members = static_cast<uint32_t>(state_.slot_groups[group].members.size());
    for (auto m = static_cast<uint32_t>(sides_of_[group].size()); m < members; ++m) {
      add_side(group, m);
    }
  }
}

uint32_t VirtualBroker::policy_of(const SlotGroup& group) const {
  const std::string& name = state_.policies[group.policy].config.name;
  const auto same = [&name](const ScenarioPolicy& policy) { return policy.name == name; };
  const auto& all = scenario_.policies;
  return static_cast<uint32_t>(std::find_if(all.begin(), all.end(), same) - all.begin());
}

uint32_t VirtualBroker::first_host(const SlotGroup& group, uint32_t cluster) const {
  const uint32_t policy = policy_of(group);
  const std::vector<uint32_t>& first = agents_[cluster].first_hosts[policy];
  if (group.resource_group != kNoIndex) return first.front();
  const std::string& consumer = state_.clusters[group.members[kConsumer].cluster].name;
  const auto& shares = scenario_.policies[policy].distribution;
  const auto same = [&consumer](const Share& share) { return share.cluster == consumer; };
  const auto at = std::find_if(shares.begin(), shares.end(), same);
  return first[static_cast<size_t>(at - shares.begin())];
}

/// Hosts are found by name, because a group may have only some of the policy's hosts.
void VirtualBroker::add_rows(uint32_t index, Side& side) {
  const SlotGroup& group = state_.slot_groups[index];
  const std::vector<std::string>& names = names_.exported[policy_of(group)];
  const std::vector<Host>& known = state_.clusters[group.members[kProvider].cluster].hosts;
  const uint32_t first = first_host(group, side.cluster);
  for (size_t row = side.hosts.size(); row < group.hosts.size(); ++row) {
    const std::string& name = known[group.hosts[row].host].facts.name;
    const auto at = std::find(names.begin(), names.end(), name);
    LEASEHOLD_CHECK(at != names.end(), "a group has a host that its policy does not export");
    SideHost host;
    host.host = first + static_cast<uint32_t>(at - names.begin());
    if (side.by_host) host.planned.emplace(models_[side.cluster], host.host);
    side.hosts.push_back(std::move(host));
  }
}

void VirtualBroker::add_side(uint32_t index, uint32_t member) {
  const SlotGroup& group = state_.slot_groups[index];
  Side side;
  side.cluster = group.members[member].cluster;
  side.generation = group.generation;
  side.by_host = by_host(group);
  add_rows(index, side);
  const auto at = static_cast<uint32_t>(sides_.size());
  agents_[side.cluster].sides.push_back(at);
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

/// Returns true if the agent's cluster may use more slots than before.
bool VirtualBroker::apply(const Order& order, Instant now) {
  const uint32_t index = find_side(order.cluster, order.generation);
  if (order.seq <= sides_[index].seq) return false;
  sides_[index].seq = order.seq;
  for (const wire::OrderedHost& ordered : order.hosts) {
    LEASEHOLD_CHECK(ordered.host < sides_[index].hosts.size(), "an order names a host too many");
  }
  return sides_[index].by_host ? apply_by_host(index, order, now) : apply_lease(index, order, now);
}

/// Slots in use stay until their jobs end.
int32_t VirtualBroker::lease_limit(const JobModel& model, uint32_t host, int32_t ordered) {
  const int32_t before = model.cap(host);
  if (ordered >= before) return ordered;
  return std::max(ordered, std::min(before, model.used(host)));
}

bool VirtualBroker::apply_lease(uint32_t index, const Order& order, Instant now) {
  Side& side = sides_[index];
  JobModel& model = models_[side.cluster];
  bool more = false;
  bool less = false;
  for (const wire::OrderedHost& ordered : order.hosts) {
    const uint32_t host = side.hosts[ordered.host].host;
    const int32_t before = model.cap(host);
    const int32_t limit = lease_limit(model, host, ordered.limit);
    more = more || limit > before;
    less = less || limit < before;
    model.set_cap(host, limit);
  }
  if (begun_ && less && scenario_.transfer_time_ms > 0) {
    side.answer_at = now + scenario_.transfer_time_ms;
  } else {
    side.answer_at = kNever;
    answer(index, now);
  }
  return more;
}

/// A release has one answer, which says how many slots it gives; other lowerings are reported as
/// they happen.
bool VirtualBroker::apply_by_host(uint32_t index, const Order& order, Instant now) {
  const int64_t transfer_ms = begun_ ? scenario_.transfer_time_ms : 0;
  Side& side = sides_[index];
  bool more = false;
  bool releases = false;
  for (const wire::OrderedHost& ordered : order.hosts) {
    PlannedSide& planned = *side.hosts[ordered.host].planned;
    const PlannedSide::Order limit{ordered.limit, ordered.lowering, order.grace_ms};
    const bool lower = ordered.limit < planned.limit_stated();
    releases = releases || (lower && ordered.lowering == wire::Lowering::release);
    more = planned.take(limit, transfer_ms, now) || more;
  }
  if (releases && transfer_ms > 0) {
    side.answer_at = now + transfer_ms;
  } else if (side.answer_at == kNever) {
    answer(index, now);
  }
  return more;
}

}  // namespace leasehold
