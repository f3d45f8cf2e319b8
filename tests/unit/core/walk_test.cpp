// Random walks over leases of two policies, shared and exclusive (walker.hpp).
#include "tests/unit/core/walker.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

constexpr int32_t kSlots = 4;
constexpr int kHosts = 2;

BrokerConfig two_consumers() {
  BrokerConfig config = one_pool(1, 3);
  config.clusters.push_back({"north", "", config.reclaim_delay_ms, {}});
  ExportPolicy whole = config.policies[0];
  whole.name = "whole";
  whole.hosts = {"h1"};
  whole.slots_per_host = 2;
  whole.type = LeaseType::exclusive;
  whole.rule = RuleKind::exclusive;
  whole.distribution = {{"west", 1}, {"north", 1}};
  config.policies.push_back(whole);
  return config;
}

class LeaseWalk : public Walker {
 public:
  explicit LeaseWalk(uint64_t seed) : Walker(seed, two_consumers(), {"east", "west", "north"}) {
    if (seed % 2 == 0) set_ttl(site_.state.config);
    site_.add_hosts("east", kHosts, kSlots);
    site_.start();
  }

 private:
  /// On every second walk leases end by themselves, where the adapter closes slots without its
  /// agent: at west always, at north now and then.
  void set_ttl(BrokerConfig& config) {
    config.lease_ttl_ms = 130'000 + 100'000 * below(2);
    config.leeway_ms = 10'000;
    for (ExportPolicy& policy : config.policies) policy.reclaim_grace_ms = 20'000 * below(3);
    ends_ = true;
    site_.agent("west").self_expiring = true;
    site_.agent("north").self_expiring = below(2) == 0;
  }

  void move_own(Agent& agent) override {
    if (ends_ && below(20) == 0) agent.hears = !agent.hears;
  }

  BrokerConfig any_config() override {
    BrokerConfig config = two_consumers();
    config.policies[0].slots_per_host = 1 + below(3);
    if (ends_ && below(5) > 0) set_ttl(config);
    if (below(3) == 0) config.policies.pop_back();
    if (below(4) == 0) config.policies[0].hosts = {"h0", "h1"};
    if (config.policies.size() > 1 && config.policies[0].hosts.size() > 1) {
      config.policies.pop_back();
    }
    return config;
  }
  BrokerConfig last_config() override { return two_consumers(); }

  void settle_down() override {
    for (auto& [name, agent] : site_.agents) idle(agent);
    site_.settle();
    for (int i = 0; i < 4; ++i) {
      site_.pass(site_.state.config.reclaim_delay_ms);
      check();
    }
    CHECK(site_.held("whole:west", kConsumer) == 1);
    CHECK(site_.held("whole:north", kConsumer) == 1);
  }

  bool ends_ = false;
};

}  // namespace

TEST_CASE("no slot is enforced twice on any walk, and none is lost once the faults stop",
          "[walk]") {
  for (uint64_t seed = 1; seed <= walks_to_run(300); ++seed) {
    INFO("seed " << seed);
    LeaseWalk(seed).run(400);
  }
}
