// A site whose agents choose among hosts what a plan reclaims: /A has all there is, in use.
#pragma once

#include <map>

#include "broker/core/ledger/host_sets.hpp"
#include "broker/core/model/queries/asked_rows.hpp"
#include "broker/core/step.hpp"
#include "tests/unit/core/plan/site.hpp"

namespace leasehold::test {

inline constexpr int32_t kSlots = 4;

inline BrokerConfig two_policies(Plan plan) {
  BrokerConfig config = plan_config(std::move(plan), 2, kSlots);
  ExportPolicy more = config.policies.front();
  more.name = "more";
  more.provider = "south";
  more.hosts = {"h0"};
  config.policies.push_back(more);
  config.resource_groups.front().policies.push_back("more");
  return config;
}

inline Plan halves() {
  return plan_of({{"/A", "west", 6, 60'000}, {"/B", "north", 6, 0}});
}

/// /A is west and has every slot in use, /B north; each owns half.
class ChoosingSite : public PlanSite {
 public:
  explicit ChoosingSite(Plan plan = halves(), int hosts = 3)
      : ChoosingSite(plan_config(std::move(plan), hosts, kSlots), hosts) {}
  ChoosingSite(BrokerConfig config, int hosts) : PlanSite(std::move(config), hosts, kSlots) {
    for (const char* name : {"west", "north"}) agents[name].chooses = true;
    if (state.config.policies.size() > 1) {
      add_hosts("south", 1, kSlots);
      hello("south");
    }
    hello("west");
    hello("north");
    run_until_idle();
    fill("west");
  }

  /// It wants all there is, until it has it and uses it.
  void fill(const std::string& cluster) {
    for (int round = 0; round < 6; ++round) {
      for (auto& [generation, group] : agents[cluster].groups) {
        for (AgentRow& row : group.rows) {
          row.used = row.limit;
          group.ever_used = true;
        }
      }
      agents[cluster].pending = 100;
      report(cluster);
      cycle();
    }
  }

  void wants(const std::string& cluster, int32_t slots) {
    agents[cluster].pending = slots;
    report(cluster);
    cycle();
  }

  /// Work ends there; whoever is asked for slots gives them.
  void end_work(const std::string& cluster, size_t group, uint32_t row, int32_t slots) {
    Agent& of = agents[cluster];
    of.groups.at(generation(group)).rows[row].used -= slots;
    give_to_sets(of);
    report(cluster);
    run_until_idle();
  }

  /// Its owner's workload manager says so in its inventory.
  void turn_host(const std::string& owner, size_t host, bool up) {
    Agent& of = agents[owner];
    of.hosts[host].up = up;
    step(InventoryReported{owner, of.session, of.hosts});
  }

  uint64_t generation(size_t group) const {
    return state.slot_groups[state.resource_groups.front().slot_groups[group]].generation;
  }
  const SlotGroup& part(size_t group) const {
    return state.slot_groups[state.resource_groups.front().slot_groups[group]];
  }
  int32_t held_at(const std::string& cluster, size_t group, uint32_t row) const {
    return part(group).at(row, member_of(part(group), find_cluster(state, cluster))).held;
  }
  int32_t due_at(const std::string& cluster, size_t group, uint32_t row) const {
    return part(group).at(row, member_of(part(group), find_cluster(state, cluster))).due;
  }
  /// Slots of the row that open reclaims from the cluster have nominated.
  int32_t nominated_at(const std::string& cluster, size_t group, uint32_t row) const {
    const size_t member = member_of(part(group), find_cluster(state, cluster));
    return AskedRows(part(group), member).at(row).nominated;
  }
  int64_t asked_of(const std::string& cluster) const {
    int64_t most = 0;
    for (const auto& [generation, group] : agents.at(cluster).groups) {
      for (uint32_t row = 0; row < group.rows.size(); ++row) {
        most = std::max(most, asked(agents.at(cluster), generation, row));
      }
    }
    return most;
  }
  int32_t limits_of(const std::string& cluster) const {
    int32_t sum = 0;
    for (const auto& [generation, group] : agents.at(cluster).groups) {
      for (const AgentRow& row : group.rows) sum += row.limit;
    }
    return sum;
  }
  int32_t lost_by(const std::string& cluster, size_t group, uint32_t row) const {
    return kSlots - held_at(cluster, group, row);
  }
};

}  // namespace leasehold::test
