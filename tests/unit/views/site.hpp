// A small site as the broker knows it: east exports 4 slots of big1 to west, north does nothing.
#pragma once

#include "broker/core/model/state.hpp"
#include "broker/core/model/turn/derive.hpp"
#include "broker/views/clusters/liveness.hpp"

namespace leasehold::site {

inline constexpr Instant kNoon{1'795'284'000'000};  // 2026-11-21T18:00:00.000Z

inline wire::HostFacts host(const std::string& name, int32_t slots) {
  wire::HostFacts facts;
  facts.name = name;
  facts.type = "LINUX64";
  facts.slots = slots;
  return facts;
}

inline ExportPolicy policy() {
  ExportPolicy policy;
  policy.name = "pool";
  policy.provider = "east";
  policy.hosts = {"big1"};
  policy.slots_per_host = 4;
  policy.distribution = {{"west", 1}};
  policy.type = LeaseType::shared;
  policy.rule = RuleKind::idle_comparison;
  policy.reclaim_grace_ms = 30'000;
  policy.source = {"broker.toml", 12};
  return policy;
}

inline void add_clusters(State& state) {
  for (const char* name : {"east", "west", "north"}) {
    const uint32_t c = add_cluster(state, name);
    state.clusters[c].configured = true;
    state.clusters[c].contact = Contact::ok;
    state.clusters[c].program_version = "0.1.0";
    ClusterConfig config;
    config.name = name;
    config.source = {"broker.toml", 3 + static_cast<int>(c)};
    state.config.clusters.push_back(config);
  }
  state.clusters[0].hosts.push_back({host("big1", 8), true, false, false, {}});
  state.clusters[1].hosts.push_back({host("w1", 2), true, false, false, {}});
  state.clusters[1].pending = 5;
}

inline void add_policy(State& state) {
  PolicyState known;
  known.config = policy();
  known.configured = true;
  known.provider = 0;
  state.config.policies.push_back(known.config);
  state.policy_index["pool"] = 0;
  state.policies.push_back(std::move(known));
}

struct Slots {
  int32_t provider_held = 3;
  int32_t provider_used = 2;
  int32_t consumer_held = 1;
  int32_t consumer_used = 1;
};

inline SlotGroup group(const Slots& slots) {
  SlotGroup group;
  group.policy = 0;
  group.phase = Phase::active;
  group.reason = Reason::tie;
  group.epoch = 3;
  group.since = kNoon;
  group.members = {Member{}, Member{}};
  group.members[kConsumer].cluster = 1;
  group.members[kConsumer].ever_used = true;
  group.members[kProvider].known_since_start = group.members[kConsumer].known_since_start = true;
  for (Member& member : group.members) {
    member.reported = member.trusted = true;
    member.seq = member.seq_stated = 1;
  }
  group.hosts = {HostLedger{0, 4, 4, 4 - slots.provider_held - slots.consumer_held}};
  Holding provider;
  provider.held = provider.ordered = provider.stated = slots.provider_held;
  provider.used = slots.provider_used;
  provider.up = provider.confirmed = true;
  Holding consumer = provider;
  consumer.held = consumer.ordered = consumer.stated = slots.consumer_held;
  consumer.used = slots.consumer_used;
  group.holdings = {provider, consumer};
  group.numbers = Numbers::All{3, 2, 1, 1, 0, 5};
  group.evaluated_at = kNoon;
  return group;
}

/// The grid's next evaluation is ten minutes after noon.
inline State state(const Slots& slots = {}) {
  State state;
  state.now = kNoon;
  add_clusters(state);
  add_policy(state);
  Grid grid;
  grid.delay_ms = 600'000;
  grid.anchor = kNoon;
  grid.next = kNoon + 600'000;
  state.grids.push_back(grid);
  add_group(state, group(slots));
  state.generation_next = 1;
  derive(state);
  return state;
}

inline Liveness liveness() {
  Liveness liveness;
  liveness.now = kNoon + 5'000;
  liveness.clusters["east"].last_report = kNoon;
  liveness.clusters["east"].used_by_host["big1"] = 6;
  return liveness;
}

inline constexpr int64_t kHour = 3'600'000;

/// It is an hour after noon, and nothing needs a person.
inline Liveness live() {
  Liveness liveness = site::liveness();
  liveness.now = kNoon + kHour;
  for (auto& [name, cluster] : liveness.clusters) {
    cluster.refused.reset();
    cluster.late_since.reset();
    cluster.waits_since.reset();
    cluster.clock_off.reset();
  }
  return liveness;
}

}  // namespace leasehold::site
