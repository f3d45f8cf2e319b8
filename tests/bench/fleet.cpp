#include "tests/bench/fleet.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "broker/core/model/turn/derive.hpp"
#include "broker/core/step.hpp"
#include "broker/record/images/images.hpp"
#include "common/check.hpp"

namespace leasehold::bench {

namespace {

std::string provider_name(uint32_t index) {
  return "p" + std::to_string(index);
}
std::string consumer_name(uint32_t index) {
  return "c" + std::to_string(index);
}

ExportPolicy policy_of(const FleetShape& shape, uint32_t provider) {
  ExportPolicy policy;
  policy.name = "pool" + std::to_string(provider);
  policy.provider = provider_name(provider);
  policy.type = LeaseType::shared;
  policy.rule = shape.rule;
  for (uint32_t c = 0; c < shape.consumers; ++c) {
    policy.distribution.push_back({consumer_name(c), 1});
  }
  if (shape.host_each) {
    policy.select = "type==any";
    policy.nhosts = static_cast<int32_t>(shape.consumers);
  } else {
    policy.hosts = {"h0"};
    policy.slots_per_host = static_cast<int32_t>(shape.consumers) * kSlotsPerLease;
  }
  return policy;
}

/// The group as its agent knows it: what it stated last.
wire::GroupState& add_group_state(wire::StateBlock& block, const SlotGroup& group, size_t member,
                                  uint64_t seq) {
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
  return said;
}

}  // namespace

BrokerConfig config_of(const FleetShape& shape) {
  BrokerConfig config;
  for (uint32_t p = 0; p < shape.providers; ++p) {
    config.clusters.push_back({provider_name(p), "", config.reclaim_delay_ms, {}});
    config.policies.push_back(policy_of(shape, p));
  }
  for (uint32_t c = 0; c < shape.consumers; ++c) {
    config.clusters.push_back({consumer_name(c), "", config.reclaim_delay_ms, {}});
  }
  return config;
}

Fleet::Fleet(FleetShape shape, Store* store) : shape_(shape), store_(store) {}

bool Fleet::step(const Event& event) {
  const size_t before = effects.records.size();
  const bool changed = leasehold::step(state, event, now, effects);
  if (changed && store_ != nullptr) {
    store_->append(event, now, std::span(effects.records).subspan(before), state);
  }
  return changed;
}

wire::HostFacts Fleet::facts_of(uint32_t host) const {
  wire::HostFacts facts;
  facts.name = "h" + std::to_string(host);
  facts.type = "any";
  facts.slots = kSlotsPerLease * static_cast<int32_t>(shape_.consumers / hosts_each());
  return facts;
}

void Fleet::tell_hosts(uint32_t provider) {
  InventoryReported inventory;
  inventory.cluster = provider_name(provider);
  inventory.session = state.clusters[find_cluster(state, inventory.cluster)].session;
  for (uint32_t h = 0; h < hosts_each(); ++h) inventory.hosts.push_back(facts_of(h));
  step(inventory);
}

/// All inventories at once, as a start finds them in its database: one by one each would have the
/// core go through all groups.
void Fleet::know_hosts() {
  for (uint32_t p = 0; p < shape_.providers; ++p) {
    Cluster& cluster = state.clusters[add_cluster(state, provider_name(p))];
    for (uint32_t h = 0; h < hosts_each(); ++h) {
      Host& host = cluster.hosts.emplace_back();
      host.facts = facts_of(h);
      host.present = true;
    }
    cluster.hosts_dirty = true;
  }
}

/// With what its agent has, as `known` has it.
void Fleet::connect(const State& known, uint32_t cluster, bool first) {
  AgentHello hello;
  hello.cluster = known.clusters[cluster].name;
  hello.state_id = hello.boot = 1;
  hello.session = ++sessions_;
  for (uint32_t g : known.clusters[cluster].slot_groups) {
    const SlotGroup& group = known.slot_groups[g];
    const size_t m = member_of(group, cluster);
    add_group_state(hello.state, group, m, group.members[m].seq);
    if (m != kProvider || !first) continue;
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      hello.state.hosts[hello.state.groups.back().first + row].limit = group.hosts[row].exported;
    }
  }
  step(hello);
}

void Fleet::start() {
  if (!shape_.tells_hosts) know_hosts();
  step(BrokerStarted{1, false});
  step(ConfigLoaded{config_of(shape_), {}, "start"});
  for (uint32_t c = 0; c < state.clusters.size(); ++c) {
    connect(state, c, true);
    if (shape_.tells_hosts && c < shape_.providers) tell_hosts(c);
    obey();
    commit();
  }
  evaluate();
  use_all();
  commit();
  blocks_ = {};  // what the agents keep is not the broker's
}

void Fleet::start_again(State loaded) {
  const State known = std::exchange(state, std::move(loaded));
  step(BrokerStarted{++starts_, false});
  for (uint32_t c = 0; c < state.clusters.size(); ++c) {
    connect(known, c, false);
    obey();
  }
  commit();
}

/// Every lease is made by a job of its consumer; the providers fill their slots too.
void Fleet::use_all() {
  std::vector<Use> uses;
  for (uint32_t g = 0; g < state.slot_groups.size(); ++g) {
    for (const uint8_t member : {kProvider, kConsumer}) {
      uses.push_back({g, member, state.slot_groups[g].at(0, member).held});
    }
  }
  report(uses);
}

void Fleet::say(uint32_t cluster, const wire::StateBlock& block) {
  const Cluster& of = state.clusters[cluster];
  step(StateReported{of.name, of.session, of.pending, of.degraded, block, 0});
}

void Fleet::answer(const SendOrder& order, wire::StateBlock& block) const {
  const SlotGroup& group = state.slot_groups[find_slot_group(state, order.generation)];
  const size_t m = member_of(group, order.cluster);
  wire::GroupState& said = add_group_state(block, group, m, order.seq);
  for (const wire::OrderedHost& host : effects.hosts_of(order)) {
    wire::HostState& row = block.hosts[said.first + host.host];
    row.limit = std::max(host.limit, std::min(row.limit, row.used));
  }
}

void Fleet::obey() {
  blocks_.resize(state.clusters.size());
  while (!effects.orders.empty()) {
    std::vector<uint32_t> speakers;
    // The later of two orders to one group counts: orders replace (schema/wire/PROTOCOL.md,
    // "Orders").
    for (const SendOrder& order : effects.orders) {
      if (order.generation == 0) continue;
      const SlotGroup& group = state.slot_groups[find_slot_group(state, order.generation)];
      if (group.members[member_of(group, order.cluster)].seq != order.seq) continue;
      if (blocks_[order.cluster].groups.empty()) speakers.push_back(order.cluster);
      answer(order, blocks_[order.cluster]);
    }
    effects.clear();
    for (uint32_t cluster : speakers) {
      say(cluster, blocks_[cluster]);
      blocks_[cluster].clear();
    }
  }
  effects.clear();
}

void Fleet::report(std::span<const Use> uses) {
  std::vector<wire::StateBlock> blocks(state.clusters.size());
  std::vector<uint32_t> speakers;
  for (const Use& use : uses) {
    const SlotGroup& group = state.slot_groups[use.group];
    const uint32_t cluster = group.members[use.member].cluster;
    wire::StateBlock& block = blocks[cluster];
    if (block.groups.empty()) speakers.push_back(cluster);
    wire::GroupState& said =
        add_group_state(block, group, use.member, group.members[use.member].seq);
    said.ever_used = said.ever_used || use.used > 0;
    block.hosts[said.first].used = use.used;
  }
  for (uint32_t cluster : speakers) say(cluster, blocks[cluster]);
  obey();
}

void Fleet::tick() {
  do {
    step(Tick{});
    now = std::max(now, state.now + 1);
  } while (state.grids.front().cursor != 0);
}

void Fleet::evaluate() {
  to_next_evaluation();
  tick();
  obey();
}

void Fleet::commit() {
  if (store_ == nullptr) {
    clear_marks(state);  // as a store does once it has written
    return;
  }
  const Status done = store_->commit(state);
  LEASEHOLD_CHECK(done.has_value(), "the database of a benchmark takes what it is given");
}

}  // namespace leasehold::bench
