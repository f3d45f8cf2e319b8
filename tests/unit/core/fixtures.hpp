// Scenes that tests of the core begin with: sites played up to where something happens.
#pragma once

#include <string>
#include <vector>

#include "broker/core/admission.hpp"
#include "broker/core/step.hpp"
#include "tests/support/site.hpp"

namespace leasehold::test {

inline constexpr const char* kPool = "pool:west";
inline constexpr int64_t kDelayMs = 600'000;
inline constexpr int64_t kTimeoutMs = 30'000;

/// East exports `hosts` whole hosts to west; both agents are connected, nothing runs.
inline Site connected(BrokerConfig config, int hosts, int32_t slots) {
  Site site(std::move(config));
  site.add_hosts("east", hosts, slots);
  site.start();
  site.hello("east");
  site.hello("west");
  site.run_until_idle();
  return site;
}

/// One host; the lease is made: west runs on its first slot, the rest is east's.
inline Site made(int32_t slots) {
  Site site = connected(one_pool(1, slots), 1, slots);
  site.use("west", kPool, 0, 1);
  site.run_until_idle();
  return site;
}

/// One host of 8: west holds all of it and uses 3.
inline Site borrowed() {
  Site site = made(8);
  site.pass(kDelayMs);
  site.use("west", kPool, 0, 3);
  site.run_until_idle();
  return site;
}

/// Returns what west holds of that host.
inline const Holding& borrowed_row(const Site& site) {
  return site.group(kPool).at(0, kConsumer);
}

/// Returns why transfers were called off.
inline std::vector<Reason> called_off(const Site& site) {
  std::vector<Reason> reasons;
  for (const Record& record : site.history) {
    if (record.kind == RecordKind::transfer_failed) reasons.push_back(record.reason);
  }
  return reasons;
}

/// The broker comes up with an earlier copy of its database; no agent is connected yet.
inline void start_older(Site& site, const State& copy, const BrokerConfig& config) {
  for (auto& [name, agent] : site.agents) {
    agent.connected = false;
    agent.inbox.clear();
  }
  const uint64_t incarnation = site.state.incarnation;
  site.state = copy;
  site.step(BrokerStarted{incarnation + 1, true});
  site.load(config);
}
inline void start_older(Site& site, const State& copy) {
  const BrokerConfig config = site.state.config;
  start_older(site, copy, config);
}

inline OperatorCommand ordered(Command command, const std::string& cluster = "",
                               const std::string& host = "") {
  OperatorCommand made;
  made.command = command;
  made.by = "ana";
  made.cluster = cluster;
  made.host = host;
  return made;
}

inline AgentRow& row_of(Site& site, const std::string& cluster, uint32_t row = 0,
                        const std::string& lease = kPool) {
  return site.agent(cluster).groups.at(site.group(lease).generation).rows.at(row);
}

/// One group with its rows, as an agent states it.
inline wire::StateBlock block_of(wire::GroupState group, std::vector<wire::HostState> rows) {
  wire::StateBlock block;
  group.count = static_cast<uint32_t>(rows.size());
  block.groups = {group};
  block.hosts = std::move(rows);
  return block;
}

inline std::string said(const std::optional<Refused>& refused) {
  return refused ? refused->message : "";
}

/// Time without anybody's answer: only the broker's own deadlines.
inline void wait(Site& site, int64_t duration_ms) {
  site.now = site.now + duration_ms;
  site.step(Tick{});
}

}  // namespace leasehold::test
