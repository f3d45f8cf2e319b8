#include "tests/bench/plan_fleet.hpp"

#include <algorithm>

#include "broker/core/model/turn/derive.hpp"
#include "broker/core/step.hpp"
#include "common/check.hpp"

namespace leasehold::bench {

std::vector<int> widths_of(int64_t leaves) {
  LEASEHOLD_CHECK(leaves == 100 || leaves % 1000 == 0, "what a tree of five levels comes to");
  if (leaves == 100) return {5, 4, 5};
  return {10, static_cast<int>(leaves / 1000), 5, 4, 5};
}

namespace {

/// Events of a batch of the loop.
constexpr uint32_t kBatch = 64;

std::string plan_provider(uint32_t group) {
  return "p" + std::to_string(group);
}
std::string leaf_name(uint32_t leaf) {
  return "c" + std::to_string(leaf);
}

class Tree {
 public:
  explicit Tree(const PlanShape& shape) : widths_(widths_of(shape.leaves)) {
    grow(kNoIndex, "", 0);
  }
  std::vector<PlanConsumer> consumers;

 private:
  void grow(uint32_t parent, const std::string& path, size_t level) {
    for (int i = 0; i < widths_[level]; ++i) {
      const auto position = static_cast<uint32_t>(consumers.size());
      PlanConsumer& one = consumers.emplace_back();
      one.parent = parent;
      one.path = path + "/" + std::to_string(i);
      const std::string own = one.path;
      if (level + 1 < widths_.size()) {
        grow(position, own, level + 1);
      } else {
        one.cluster = leaf_name(leaves_++);
        one.owned = kSlotsPerLease;
      }
    }
  }

  std::vector<int> widths_;
  uint32_t leaves_ = 0;
};

void add_policy(BrokerConfig& config, const PlanShape& shape, uint32_t g) {
  config.clusters.push_back({plan_provider(g), "", config.reclaim_delay_ms, {}});
  ExportPolicy policy;
  policy.name = "pool" + std::to_string(g);
  policy.provider = plan_provider(g);
  policy.slots_per_host = shape.slots_per_host();
  for (uint32_t h = 0; h < shape.hosts; ++h) policy.hosts.push_back("h" + std::to_string(h));
  config.policies.push_back(std::move(policy));
}

BrokerConfig plan_config_of(const PlanShape& shape) {
  BrokerConfig config;
  Plan plan;
  plan.consumers = Tree(shape).consumers;
  for (uint32_t g = 0; g < shape.groups; ++g) {
    add_policy(config, shape, g);
    ResourceGroup group;
    group.name = plan.name = "group" + std::to_string(g);
    group.policies = {config.policies.back().name};
    group.variants = {plan};
    config.resource_groups.push_back(std::move(group));
  }
  for (uint32_t c = 0; c < shape.leaves; ++c) {
    config.clusters.push_back({leaf_name(c), "", config.reclaim_delay_ms, {}});
  }
  return config;
}

/// Adds the cluster agent's last statement of a group.
void add_statement(wire::StateBlock& block, const SlotGroup& group, size_t member, uint64_t seq) {
  wire::GroupState& said = block.groups.emplace_back();
  said.generation = group.generation;
  said.seq = seq;
  said.ever_used = group.members[member].ever_used;
  said.first = static_cast<uint32_t>(block.hosts.size());
  said.count = static_cast<uint32_t>(group.hosts.size());
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    const Holding& holding = group.at(row, member);
    block.hosts.push_back({row, holding.stated, holding.used, true});
  }
}

}  // namespace

/// Puts the hosts in as a start finds them in its database.
void PlanFleet::know_hosts() {
  for (uint32_t g = 0; g < shape_.groups; ++g) {
    Cluster& cluster = state().clusters[add_cluster(state(), plan_provider(g))];
    for (uint32_t h = 0; h < shape_.hosts; ++h) {
      Host& host = cluster.hosts.emplace_back();
      host.facts.name = "h" + std::to_string(h);
      host.facts.type = "any";
      host.facts.slots = shape_.slots_per_host();
      host.present = true;
    }
    cluster.hosts_dirty = true;
  }
}

void PlanFleet::connect(uint32_t cluster) {
  AgentHello hello;
  hello.cluster = state().clusters[cluster].name;
  hello.state_id = hello.boot = 1;
  hello.session = ++sessions_;
  for (const uint32_t g : state().clusters[cluster].slot_groups) {
    const SlotGroup& group = state().slot_groups[g];
    const size_t member = member_of(group, cluster);
    add_statement(hello.state, group, member, 0);
    if (member != kProvider) continue;
    const size_t first = hello.state.groups.back().first;
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      hello.state.hosts[first + row].limit = group.hosts[row].exported;
    }
  }
  fleet_.step(hello);
  obey();
}

void PlanFleet::start() {
  know_hosts();
  fleet_.step(BrokerStarted{1, false});
  fleet_.step(ConfigLoaded{plan_config_of(shape_), {}, "start"});
  for (uint32_t c = 0; c < state().clusters.size(); ++c) {
    connect(c);
    if (c % kBatch == 0) commit();
  }
  for (uint32_t c = first_leaf(); c < state().clusters.size(); ++c) {
    report(c, kSlotsPerLease, false);
    if (c % kBatch == 0) commit();
  }
  to_next_cycle();
  cycle();
  obey();
  want_nothing();
  to_next_cycle();
  cycle();
  obey();
  commit();
  const int64_t owned = int64_t{shape_.groups} * shape_.leaves * kSlotsPerLease;
  LEASEHOLD_CHECK(held_by_leaves() == owned, "every leaf has what it owns");
}

void PlanFleet::report(uint32_t cluster, int64_t pending, bool half) {
  const Cluster& of = state().clusters[cluster];
  StateReported said{of.name, of.session, pending, false, {}, 0};
  for (const uint32_t g : of.slot_groups) {
    const SlotGroup& group = state().slot_groups[g];
    const size_t member = member_of(group, cluster);
    const size_t first = said.state.hosts.size();
    add_statement(said.state, group, member, group.members[member].seq);
    int32_t left = half ? kSlotsPerLease / 2 : INT32_MAX;
    for (size_t row = first; row < said.state.hosts.size(); ++row) {
      wire::HostState& host = said.state.hosts[row];
      host.used = std::min(left, host.limit);
      left -= host.used;
      said.state.groups.back().ever_used |= host.used > 0;
    }
  }
  fleet_.step(said);
}

void PlanFleet::want_more(bool odd) {
  for (uint32_t c = first_leaf(); c < state().clusters.size(); ++c) {
    const bool more = ((c - first_leaf()) % 2 == 1) == odd;
    report(c, more ? kSlotsPerLease / 2 : 0, !more);
  }
  obey();
}

void PlanFleet::want_nothing() {
  for (uint32_t c = first_leaf(); c < state().clusters.size(); ++c) report(c, 0, false);
  obey();
}

void PlanFleet::commit() {
  fleet_.commit();
  for (ResourceGroupLedger& plan : state().resource_groups) plan.dirty = false;
  state().dirty_resource_groups = false;
}

int64_t PlanFleet::held_by_leaves() const {
  int64_t held = 0;
  for (const SlotGroup& group : fleet_.state.slot_groups) {
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      for (size_t m = kProvider + 1; m < group.members.size(); ++m) held += group.at(row, m).held;
    }
  }
  return held;
}

}  // namespace leasehold::bench
