#include "broker/rules/plan/hosts/whole_hosts.hpp"

#include <algorithm>

#include "broker/rules/plan/division/fill.hpp"
#include "broker/rules/plan/tree.hpp"

namespace leasehold {

namespace {

int64_t rounded_down(int64_t slots, const HostCount& there) {
  return there.slots == 0 ? 0 : static_cast<int64_t>(Wide{slots} * there.hosts / there.slots);
}

int64_t rounded_up(int64_t slots, const HostCount& there) {
  if (there.slots == 0) return 0;
  return static_cast<int64_t>((Wide{slots} * there.hosts + there.slots - 1) / there.slots);
}

bool whole(int64_t slots, const HostCount& there) {
  return rounded_down(slots, there) == rounded_up(slots, there);
}

void round(PlanConsumer& consumer, const HostCount& there) {
  for (std::optional<int64_t>* cap : {&consumer.reserved, &consumer.limit, &consumer.share_limit}) {
    if (*cap) *cap = rounded_up(**cap, there);
  }
  for (std::optional<int64_t>* loan : {&consumer.lend_limit, &consumer.borrow_limit}) {
    if (*loan) *loan = rounded_down(**loan, there);
  }
}

/// True if some rule counts what is owned itself, not only the ratio of it.
bool owned_is_counted(const Plan& plan) {
  const auto owns = [](const PlanConsumer& c) { return c.policy == PlanPolicy::ownership; };
  return plan.policy == PlanPolicy::ownership || plan.evenly_distribute ||
         plan.disable_reclaim_hybrid_own ||
         std::any_of(plan.consumers.begin(), plan.consumers.end(), owns);
}

/// Everyone the whole part; what remains goes one each to those whose part was not whole.
void round_owned_of_leaves(Plan& plan, const ConsumerTree& tree, const HostCount& there) {
  int64_t owned = 0;
  int64_t given = 0;
  for (const uint32_t leaf : tree.by_tree().leaves) {
    owned += tree.nodes[leaf].owned;
    given += rounded_down(tree.nodes[leaf].owned, there);
  }
  int64_t left = rounded_down(owned, there) - given;
  for (const uint32_t leaf : tree.by_tree().leaves) {
    const ConsumerNode& node = tree.nodes[leaf];
    const bool one_more = left > 0 && !whole(node.owned, there);
    left -= one_more ? 1 : 0;
    plan.consumers[node.consumer].owned = rounded_down(node.owned, there) + (one_more ? 1 : 0);
  }
}

/// A parent that names what it owns keeps what that is above its children's.
void round_owned_of_parents(Plan& plan, const ConsumerTree& tree, const HostCount& there) {
  std::vector<int64_t> slots(tree.nodes.size(), 0);  // of the children, by position
  std::vector<int64_t> hosts(tree.nodes.size(), 0);
  for (auto p = static_cast<uint32_t>(tree.nodes.size()); --p > 0;) {
    const ConsumerNode& node = tree.nodes[p];
    std::optional<int64_t>& owned = plan.consumers[node.consumer].owned;
    if (!node.leaf && owned) owned = hosts[p] + rounded_down(node.owned - slots[p], there);
    slots[node.parent] += node.owned;
    hosts[node.parent] += owned.value_or(hosts[p]);
  }
}

}  // namespace

Plan in_whole_hosts(const Plan& plan, const HostCount& there) {
  Plan hosts = plan;
  hosts.slots = plan.slots.value_or(there.slots);
  hosts.dead_zone_slots = rounded_down(plan.dead_zone_slots, there);
  for (PlanConsumer& consumer : hosts.consumers) round(consumer, there);
  if (!owned_is_counted(plan)) return hosts;
  hosts.slots = rounded_down(*hosts.slots, there);
  const ConsumerTree tree = lay_out(plan, {});
  round_owned_of_leaves(hosts, tree, there);
  round_owned_of_parents(hosts, tree, there);
  return hosts;
}

int64_t hosts_wanted(int64_t slots, std::span<const HeldHost> held, const HostCount& there) {
  int64_t hosts = 0;
  for (const HeldHost& host : held) {
    if (!host.in_use) continue;
    slots -= host.slots;
    ++hosts;
  }
  for (const HeldHost& host : held) {
    if (host.in_use || slots <= 0) continue;
    slots -= host.slots;
    ++hosts;
  }
  return hosts + rounded_up(std::max<int64_t>(slots, 0), there);
}

}  // namespace leasehold
