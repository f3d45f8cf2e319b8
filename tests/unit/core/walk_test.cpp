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

/// Beside each rule the other one, or none.
BrokerConfig with_shadows(BrokerConfig config, bool shadows) {
  for (ExportPolicy& policy : config.policies) {
    if (!shadows) continue;
    const bool shared = policy.type == LeaseType::shared;
    policy.shadow = shared ? RuleKind::exclusive : RuleKind::idle_comparison;
  }
  return config;
}

class LeaseWalk : public Walker {
 public:
  explicit LeaseWalk(uint64_t seed, bool shadows = false)
      : Walker(seed, with_shadows(two_consumers(), shadows), {"east", "west", "north"}),
        shadows_(shadows) {
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
    // Now and then without, whatever the others have.
    const bool now = shadows_ && ++reloads_ % 3 != 0;
    return with_shadows(std::move(config), now);
  }
  BrokerConfig last_config() override { return with_shadows(two_consumers(), shadows_); }

  void connect_all_idle() override {
    for (auto& [name, agent] : site_.agents) idle(agent);
    site_.run_until_idle();
    for (int i = 0; i < 4; ++i) {
      site_.pass(site_.state.config.reclaim_delay_ms);
      check();
    }
    CHECK(site_.held("whole:west", kConsumer) == 1);
    CHECK(site_.held("whole:north", kConsumer) == 1);
  }

  bool shadows_;
  int reloads_ = 0;
  bool ends_ = false;
};

/// All that a walk decided and ordered but for what its shadows said, and how often those did.
struct WalkRecord {
  std::vector<std::string> lines;
  int shadows = 0;
};

std::string line_of(const Record& row) {
  std::string line = record_token(row.kind) + (" " + std::string(token(row.reason)));
  for (const int64_t number : row.numbers) line += " " + std::to_string(number);
  for (const uint32_t place : {row.group, row.member, row.cluster, row.from, row.to}) {
    line += " " + std::to_string(place);
  }
  return line + " " + std::to_string(row.slots) + " " + std::to_string(row.epoch);
}

std::string line_of(const std::string& cluster, const wire::Order& order) {
  std::string line = "order " + cluster;
  for (const uint64_t number : {order.session, order.generation, order.seq, order.configuration}) {
    line += " " + std::to_string(number);
  }
  line += " " + std::to_string(order.grace_ms);
  for (const wire::OrderedHost& host : order.hosts) {
    line += " " + std::to_string(host.host) + "=" + std::to_string(host.limit) + "/" +
            std::to_string(static_cast<int>(host.lowering));
  }
  return line;
}

class RecordedWalk : public LeaseWalk {
 public:
  RecordedWalk(uint64_t seed, bool shadows) : LeaseWalk(seed, shadows) {
    site_.watcher = [this](const std::string& cluster, const wire::Order& order) {
      take_records();
      record_.lines.push_back(std::to_string(site_.now.ms) + " " + line_of(cluster, order));
    };
  }
  WalkRecord record() {
    take_records();
    return record_;
  }

 private:
  void take_records() {
    for (; taken_ < site_.history.size(); ++taken_) {
      const Record& row = site_.history[taken_];
      if (row.kind == RecordKind::shadow) {
        ++record_.shadows;
      } else {
        record_.lines.push_back(line_of(row));
      }
    }
  }
  WalkRecord record_;
  size_t taken_ = 0;
};

WalkRecord record_of(uint64_t seed, bool shadows) {
  RecordedWalk walk(seed, shadows);
  walk.run(400);
  return walk.record();
}

}  // namespace

TEST_CASE("on any walk a shadow changes no decision, no order and no other record", "[walk]") {
  int shadows = 0;
  for (uint64_t seed = 1; seed <= walks_to_run(60); ++seed) {
    INFO("seed " << seed);
    const WalkRecord with = record_of(seed, true);
    const WalkRecord without = record_of(seed, false);
    REQUIRE(without.shadows == 0);
    REQUIRE(with.lines == without.lines);
    shadows += with.shadows;
  }
  CHECK(shadows > 1000);
}

TEST_CASE("no slot is enforced twice on any walk, and none is lost once the faults stop",
          "[walk]") {
  for (uint64_t seed = 1; seed <= walks_to_run(300); ++seed) {
    INFO("seed " << seed);
    LeaseWalk(seed).run(400);
  }
}
