// A recorded site of three clusters under a plan: slots are lent, borrowed, reclaimed with grace,
// and kept for their claimants; a window begins.
#pragma once

#include "tests/support/recorded_site.hpp"
#include "tests/unit/core/plan/site.hpp"

namespace leasehold::test {

/// /a (east, the provider) and /b (west) own slots and lend to /c (north), which owns few.
inline BrokerConfig lending_config() {
  Plan plan = plan_of({{"/a", "east", 8, 0}, {"/b", "west", 6, 0}, {"/c", "north", 2, 30'000}},
                      PlanPolicy::ownership);
  plan.consumers[0].lend_limit = 8;
  plan.consumers[1].lend_limit = 6;
  plan.consumers[2].borrow_from = ConsumerList{true, {}, {}};
  plan.reclaim_backoff_ms = 20'000;
  BrokerConfig config = plan_config(plan, 2, 8);
  Plan night = plan;
  night.consumers[0].owned = 4;
  night.consumers[2].owned = 6;
  config.resource_groups[0].variants.push_back(night);
  config.resource_groups[0].week = {{0, 0}, {600, 1}};
  return config;
}

class RecordedPlan : public RecordedSite {
 public:
  explicit RecordedPlan(const std::string& path, StoreOptions options = {})
      : RecordedSite(path, lending_config(), OpenMode::broker, std::move(options)) {}

  /// Connects the agents and resolves the windows: the second variant begins after `window_ms`.
  void begin_plan(int64_t window_ms = 600'000) {
    site.add_hosts("east", 2, 8);
    for (const char* name : {"east", "west", "north", "south"}) site.agents[name].cluster = name;
    start();
    ResolvedWindows windows;
    windows.until = site.now + 100 * window_ms;
    windows.plans = {{"compute", {{site.now, 0}, {site.now + window_ms, 1}}}};
    site.step(WindowsResolved{windows});
    for (const char* name : {"east", "west", "north", "south"}) site.hello(name);
    site.run_until_idle();
    commit();
  }
  /// The cluster's jobs use as many of those slots as it may; the other jobs wait.
  void want(const std::string& cluster, int32_t slots) {
    site.now = site.now + 1'000;
    const SlotGroup& pool =
        site.state.slot_groups[site.state.resource_groups.front().slot_groups.front()];
    Agent& agent = site.agents[cluster];
    int32_t left = slots;
    for (AgentRow& row : agent.groups.at(pool.generation).rows) {
      row.used = std::max(0, std::min(left, row.limit));
      left -= row.used;
      agent.groups.at(pool.generation).ever_used |= row.used > 0;
    }
    agent.pending = left;
    site.report(cluster);
    site.pass(20'000);
    site.run_until_idle();
  }
  /// north borrows what is idle and its owners take it back, `times` times.
  void lend_and_reclaim(int times) {
    for (int i = 0; i < times; ++i) {
      want("east", 0);
      want("west", 2);
      want("north", 14);
      want("west", 6);
    }
  }
};

}  // namespace leasehold::test
