// Random walks over a small site: messages late, lost and doubled, agents and the broker killed,
// operators and reloads in the middle. After every move no slot may be enforced twice; once the
// faults stop, every slot is held by somebody who may use it.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>

#include "broker/core/step.hpp"
#include "tests/support/site.hpp"

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

class Walk {
 public:
  explicit Walk(uint64_t seed) : random_(seed), site_(two_consumers()) {
    if (seed % 2 == 0) set_ttl(site_.state.config);
    site_.add_hosts("east", kHosts, kSlots);
    site_.start();
  }

  void run(int moves) {
    for (int i = 0; i < moves; ++i) {
      move();
      check();
    }
    heal();
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<uint64_t>(limit)); }
  std::string any_cluster() {
    static const char* const kNames[] = {"east", "west", "north"};
    return kNames[below(3)];
  }

  bool known_to_broker(const std::string& cluster) const {
    const Cluster& known = site_.state.clusters[find_cluster(site_.state, cluster)];
    return known.contact == Contact::ok;
  }

  void move() {
    site_.now = site_.now + below(3'000);
    const std::string cluster = any_cluster();
    Agent& agent = site_.agent(cluster);
    const int what = below(100);
    site_.live();
    if (ends_ && below(20) == 0) agent.hears = !agent.hears;
    if (what < 45) {
      site_.take_one(cluster);
    } else if (what < 62) {
      change_use(agent);
      site_.report(cluster);
    } else if (what < 74) {
      site_.now = std::max(site_.now, next_deadline(site_.state));
      if (site_.now == kNever) site_.now = site_.state.now + 1;
      site_.step(Tick{});
    } else if (what < 80) {
      if (!agent.connected) site_.hello(cluster);
    } else if (what < 83) {
      if (!agent.inbox.empty()) agent.inbox.pop_front();  // lost
    } else if (what < 86) {
      if (!agent.inbox.empty()) agent.inbox.push_back(agent.inbox.front());  // doubled, late
    } else if (what < 89) {
      site_.kill_agent(cluster);
      if (below(2) == 0) site_.hello(cluster);
    } else if (what < 91) {
      if (known_to_broker(cluster) && agent.session != 0) site_.lose(cluster);
    } else if (what < 93) {
      site_.restart_broker();
    } else {
      operate(cluster);
    }
  }

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

  void change_use(Agent& agent) {
    for (auto& [generation, group] : agent.groups) {
      for (AgentRow& row : group.rows) {
        if (below(2) == 0) continue;
        row.used = below((row.closed ? row.used : row.limit) + 1);
        if (row.shrink_to >= 0) row.limit = std::max(row.shrink_to, std::min(row.limit, row.used));
        group.ever_used = group.ever_used || row.used > 0;
      }
    }
  }

  void operate(const std::string& cluster) {
    OperatorCommand command;
    command.by = "walk";
    command.cluster = cluster;
    switch (below(8)) {
      case 0:
        command.command = Command::freeze;
        break;
      case 1:
        command.command = Command::thaw;
        break;
      case 2:
        command.command = Command::drain;
        break;
      case 3:
        command.command = Command::resume;
        break;
      case 4:
      case 5:
        if (site_.state.clusters[find_cluster(site_.state, "east")].hosts.empty()) return;
        command.command = below(2) == 0 ? Command::close : Command::open;
        command.cluster = "east";
        command.host = "h" + std::to_string(below(kHosts));
        if (below(2) == 0) command.consumer = "west";
        break;
      default:
        return reload();
    }
    site_.step(command);
  }

  void reload() {
    BrokerConfig config = two_consumers();
    config.policies[0].slots_per_host = 1 + below(3);
    if (ends_ && below(5) > 0) set_ttl(config);
    if (below(3) == 0) config.policies.pop_back();
    if (below(4) == 0) config.policies[0].hosts = {"h0", "h1"};
    if (config.policies.size() > 1 && config.policies[0].hosts.size() > 1) {
      config.policies.pop_back();
    }
    site_.load(config);
  }

  void check() {
    for (uint32_t host = 0; host < kHosts; ++host) {
      if (site_.enforced("east", host) > kSlots) {
        FAIL("host h" << host << " is enforced for " << site_.enforced("east", host) << " slots");
      }
    }
  }

  /// Faults stop: everyone connects, operators let go; invariant 2.
  void heal() {
    OperatorCommand thaw;
    thaw.command = Command::thaw;
    site_.step(thaw);
    for (auto& [name, agent] : site_.agents) agent.hears = true;
    for (const char* cluster : {"east", "west", "north"}) {
      OperatorCommand resume;
      resume.command = Command::resume;
      resume.cluster = cluster;
      site_.step(resume);
      if (known_to_broker(cluster)) site_.lose(cluster);
      site_.hello(cluster);
    }
    for (uint32_t host = 0; host < kHosts; ++host) {
      OperatorCommand open;
      open.command = Command::open;
      open.cluster = "east";
      open.host = "h" + std::to_string(host);
      site_.step(open);
    }
    site_.load(two_consumers());
    for (auto& [name, agent] : site_.agents) idle(agent);
    site_.settle();
    for (int i = 0; i < 4; ++i) {
      site_.pass(site_.state.config.reclaim_delay_ms);
      check();
    }
    for (const Group& group : site_.state.groups) {
      if (group.phase == Phase::closed) continue;
      INFO("group " << group_id(site_.state, group) << " " << token(group.phase) << " "
                    << token(group.reason));
      REQUIRE(group.phase != Phase::draining);
      REQUIRE_FALSE(group.quarantined);
      REQUIRE(in_transfer(group) == 0);
      for (size_t row = 0; row < group.hosts.size(); ++row) {
        REQUIRE(group.hosts[row].exported == group.hosts[row].target);
      }
    }
    CHECK(site_.held("whole:west", kConsumer) == 1);
    CHECK(site_.held("whole:north", kConsumer) == 1);
  }

  void idle(Agent& agent) {
    for (auto& [generation, group] : agent.groups) {
      for (AgentRow& row : group.rows) {
        row.used = 0;
        if (row.shrink_to >= 0) row.limit = std::min(row.limit, row.shrink_to);
      }
    }
  }

  std::mt19937_64 random_;
  bool ends_ = false;
  Site site_;
};

}  // namespace

TEST_CASE("no slot is enforced twice on any walk, and none is lost once the faults stop",
          "[walk]") {
  // LEASEHOLD_WALKS: how many, for a long run by hand.
  const char* walks = std::getenv("LEASEHOLD_WALKS");
  const uint64_t last = walks == nullptr ? 300 : std::strtoull(walks, nullptr, 10);
  for (uint64_t seed = 1; seed <= last; ++seed) {
    INFO("seed " << seed);
    Walk(seed).run(400);
  }
}
