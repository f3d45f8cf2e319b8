// Random walks on which the broker is started with earlier copies of its database, and operators
// forget silent clusters: truly, as far as the word goes (walker.hpp).
#include <optional>

#include "tests/unit/core/plan/site.hpp"
#include "tests/unit/core/walker.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

constexpr int32_t kSlots = 6;

class OlderWalk : public Walker {
 public:
  OlderWalk(uint64_t seed, BrokerConfig config)
      : Walker(seed, std::move(config), {"east", "west", "north", "south"}),
        config_(site_.state.config) {
    site_.add_hosts("east", 1, kSlots);
    site_.start();
    for (const std::string& cluster : clusters_) site_.hello(cluster);
    site_.run_until_idle();
    copy_ = site_.state;
  }

  int put_back() const { return put_back_; }
  int forgotten() const { return forgotten_; }

 private:
  BrokerConfig any_config() override {
    BrokerConfig config = config_;
    config.policies.front().slots_per_host = 1 + static_cast<int32_t>(below(kSlots));
    if (below(2) == 0 && !config.resource_groups.empty()) {
      config.resource_groups.front().variants.front().consumers.pop_back();
    }
    return config;
  }
  BrokerConfig last_config() override { return config_; }

  void move_own(Agent& agent) override {
    if (below(4) == 0) agent.pending = below(8);
    const int what = below(60);
    if (what == 0) {
      copy_ = site_.state;
    } else if (what == 1) {
      put_copy_back();
    } else if (what < 4) {
      forget(any_cluster());
    }
  }

  void put_copy_back() {
    const BrokerConfig config = below(2) == 0 ? site_.state.config : copy_.config;
    const uint64_t incarnation = site_.state.incarnation;
    for (auto& [name, agent] : site_.agents) {
      agent.inbox.clear();
      agent.connected = false;
    }
    site_.state = copy_;
    site_.step(BrokerStarted{incarnation + 1, below(2) == 0});
    site_.load(config);
    ++put_back_;
  }

  /// It is silent, and has nothing of others any more.
  void forget(const std::string& cluster) {
    Agent& agent = site_.agent(cluster);
    if (known_to_broker(cluster)) {
      if (below(4) > 0) return;
      site_.lose(cluster);
    }
    site_.kill_agent(cluster);
    for (const wire::ConfiguredGroup& group : agent.configuration.groups) {
      if (group.role != wire::Role::consumer || agent.groups.count(group.generation) == 0) continue;
      for (AgentRow& row : agent.groups[group.generation].rows) {
        row.limit = row.used = 0;
        row.shrink_to = -1;
      }
    }
    OperatorCommand command;
    command.by = "walk";
    command.command = Command::forget;
    command.cluster = cluster;
    site_.step(command);
    ++forgotten_;
  }

  void connect_all_idle() override {
    for (int i = 0; i < 6; ++i) {
      for (auto& [name, agent] : site_.agents) {
        agent.pending = 0;
        idle(agent);
      }
      site_.run_until_idle();
      site_.pass(site_.state.config.reclaim_delay_ms);
      check();
    }
  }

  const BrokerConfig config_;
  State copy_;
  int put_back_ = 0;
  int forgotten_ = 0;
};

BrokerConfig leases() {
  BrokerConfig config = one_pool(1, 3);
  for (const char* name : {"north", "south"}) {
    config.clusters.push_back({name, "", config.reclaim_delay_ms, {}});
  }
  config.policies[0].distribution = {{"west", 1}, {"north", 1}};
  return config;
}

BrokerConfig plan_with(bool provider_leaf) {
  std::vector<LeafSpec> leaves{{"/A", "west", 3, 0}, {"/B", "north", 2, 0}};
  if (provider_leaf) leaves.push_back({"/E", "east", 2, 0});
  leaves.push_back({"/C", "south", 3, 0});
  return plan_config(plan_of(leaves), 1, kSlots);
}

void walk(uint64_t seeds, const std::function<BrokerConfig(uint64_t)>& config) {
  int put_back = 0;
  int forgotten = 0;
  for (uint64_t seed = 1; seed <= walks_to_run(seeds); ++seed) {
    INFO("seed " << seed);
    OlderWalk one(seed, config(seed));
    one.run(400);
    put_back += one.put_back();
    forgotten += one.forgotten();
  }
  CHECK(put_back > 0);
  CHECK(forgotten > 0);
}

}  // namespace

TEST_CASE("no slot is enforced twice where older databases are started and clusters forgotten",
          "[walk]") {
  walk(200, [](uint64_t) { return leases(); });
}

TEST_CASE("plan: no slot is twice where older databases are started and clusters forgotten",
          "[walk]") {
  walk(200, [](uint64_t seed) { return plan_with(seed % 2 == 0); });
}
