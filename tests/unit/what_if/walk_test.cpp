// An estimated site under random histories of other sites: the invariants of the broker's state
// hold here too, and no slot has two users.
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "broker/core/model/queries/invariants.hpp"
#include "broker/lab/what_if/site.hpp"

using namespace leasehold;

namespace {

constexpr int64_t kMinuteMs = 60'000;

BrokerConfig configuration(bool second_policy) {
  BrokerConfig config;
  config.reclaim_delay_ms = kMinuteMs;
  for (const char* name : {"east", "west", "north"}) {
    config.clusters.push_back({name, "", kMinuteMs, {}});
  }
  for (int i = 0; i < (second_policy ? 2 : 1); ++i) {
    ExportPolicy policy;
    policy.name = i == 0 ? "pool" : "more";
    policy.provider = "east";
    policy.hosts =
        i == 0 ? std::vector<std::string>{"big0", "big1"} : std::vector<std::string>{"big2"};
    policy.slots_per_host = 4;
    policy.distribution = {{i == 0 ? "west" : "north", 1}};
    policy.type = LeaseType::shared;
    policy.rule = RuleKind::idle_comparison;
    config.policies.push_back(policy);
  }
  return config;
}

/// A history as a broker might have recorded it, wherever the slots went.
class Walk {
 public:
  explicit Walk(uint32_t seed) : random_(seed) {}

  Moment next() {
    now_ = now_ + 1 + below(2 * kMinuteMs);
    moment_ = {};
    moment_.now = now_;
    moment_.answer_ms = below(3) == 0 ? below(20'000) : 0;
    if (!begun_) {
      begin();
    } else {
      happen();
    }
    return moment_;
  }

 private:
  int64_t below(int64_t bound) {
    return std::uniform_int_distribution<int64_t>(0, bound - 1)(random_);
  }
  std::string any_cluster() {
    return std::array{"east", "west", "north"}[static_cast<size_t>(below(3))];
  }
  std::optional<wire::Demand> any_demand() {
    if (below(3) == 0) return std::nullopt;
    wire::Demand demand;
    for (int64_t b = below(4); b > 0; --b) {
      wire::DemandBucket bucket;
      bucket.slots_per_host = static_cast<int32_t>(below(4)) + 1;
      bucket.hosts = static_cast<int32_t>(below(2)) + 1;
      bucket.jobs = below(3) + 1;
      bucket.slots = bucket.jobs * (bucket.slots_per_host * bucket.hosts + below(3));
      if (below(4) == 0) bucket.host_types = {"x86"};
      demand.push_back(bucket);
    }
    return demand;
  }
  std::optional<std::vector<int32_t>> any_elsewhere() {
    if (below(2) == 0) return std::nullopt;
    return std::vector<int32_t>{static_cast<int32_t>(below(6)) + 1};
  }
  void add(Event event) { moment_.inputs.push_back({now_, std::move(event)}); }

  void begin() {
    begun_ = true;
    add(BrokerStarted{1, false});
    add(ConfigLoaded{configuration(false), {}, "start"});
    for (const char* name : {"east", "west", "north"}) hello(name);
  }
  void hello(const std::string& cluster) {
    AgentHello event;
    event.cluster = cluster;
    event.state_id = 1;
    event.boot = ++boots_;
    event.session = sessions_[cluster] = boots_;
    event.fences = {true, true, true};
    event.chooses = below(2) == 0;
    add(event);
    if (cluster == "east") inventory();
  }
  void inventory() {
    InventoryReported event;
    event.cluster = "east";
    event.session = sessions_["east"];
    for (int i = 0; i < 3; ++i) {
      wire::HostFacts facts;
      facts.name = "big" + std::to_string(i);
      facts.slots = 8;
      facts.up = below(6) != 0;
      event.hosts.push_back(facts);
    }
    add(event);
  }
  void happen() {
    switch (below(12)) {
      case 0:
        add(BrokerStarted{++boots_, false});
        for (const char* name : {"east", "west", "north"}) hello(name);
        return;
      case 1:
        return hello(any_cluster());
      case 2: {
        const std::string cluster = any_cluster();
        return add(AgentLost{cluster, sessions_[cluster], now_});
      }
      case 3:
        return inventory();
      case 4:
        return add(ConfigLoaded{configuration(below(2) == 0), {}, "SIGHUP"});
      case 5:
        return order();
      case 6:
        moment_.hosts.push_back({"west", "east", static_cast<uint32_t>(below(3)), below(2) == 0});
        return;
      default:
        moment_.wants.push_back({any_cluster(),
                                 below(14),
                                 below(14),
                                 below(4),
                                 below(2) * 10 * kMinuteMs,
                                 below(9) == 0,
                                 any_demand(),
                                 std::nullopt,
                                 {},
                                 any_elsewhere()});
    }
  }
  void order() {
    OperatorCommand command;
    command.command = static_cast<Command>(below(8));
    command.by = "ana";
    command.cluster = any_cluster();
    command.host = "big" + std::to_string(below(3));
    command.lease = below(2) == 0 ? "pool:west" : "gone:west";
    if (command.command == Command::close || command.command == Command::open) {
      command.cluster = "east";
      command.reclaim = below(2) == 0;
    }
    add(command);
  }

  std::mt19937 random_;
  Moment moment_;
  Instant now_;
  uint64_t boots_ = 0;
  std::map<std::string, uint64_t> sessions_;
  bool begun_ = false;
};

/// Compares what agents let their clusters use of each host with what it exports.
void check_users(const EstimatedSite& site) {
  for (uint32_t g = 0; g < site.state().slot_groups.size(); ++g) {
    const SlotGroup& group = site.state().slot_groups[g];
    if (group.phase == Phase::closed) continue;
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      int64_t limits = 0;
      for (uint32_t m = 0; m < group.members.size(); ++m) {
        limits += site.clusters().limit(g, m, row);
        CHECK(site.clusters().limit(g, m, row) <= group.at(row, m).held);
      }
      CHECK(limits <= group.hosts[row].exported);
    }
  }
}

}  // namespace

TEST_CASE("under any history an estimated site gives no slot twice and breaks no invariant") {
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    Walk walk(seed);
    EstimatedSite site([](const BrokerConfig& config) { return Result<BrokerConfig>(config); },
                       5 * kMinuteMs, Instant{}, Instant{INT64_MAX / 4}, 1);
    for (int i = 0; i < 150; ++i) {
      const Status taken = site.take(walk.next());
      if (!taken) FAIL(describe(taken.error()));
      const auto found = violations(site.state());
      INFO("step " << i << ": " << (found.empty() ? "" : found.front()));
      REQUIRE(found.empty());
      check_users(site);
    }
  }
}

TEST_CASE("under any history, orders to resume too, nothing is lent where nobody lends") {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    Walk walk(seed);
    EstimatedSite site([](const BrokerConfig& config) { return Result<BrokerConfig>(config); },
                       5 * kMinuteMs, Instant{}, Instant{INT64_MAX / 4}, 1, true);
    for (int i = 0; i < 150; ++i) {
      REQUIRE(site.take(walk.next()));
      REQUIRE(violations(site.state()).empty());
    }
    const SiteOutcome outcome = site.finish(site.state().now);
    CHECK(outcome.sums[static_cast<size_t>(Quantity::lent)] == 0);
    CHECK(outcome.leases.contains("pool:west"));
  }
}

TEST_CASE("an input of a cluster that no configuration names is an error, not the end") {
  EstimatedSite site([](const BrokerConfig& config) { return Result<BrokerConfig>(config); },
                     kMinuteMs, Instant{}, Instant{kMinuteMs}, 1);
  Moment moment;
  moment.now = Instant{1};
  moment.inputs.push_back({Instant{1}, AgentLost{"nowhere", 1}});
  const Status taken = site.take(moment);
  REQUIRE_FALSE(taken);
  CHECK(taken.error().code == ErrorCode::corrupt);
}

TEST_CASE("a configuration with a zone that this machine does not know is an error, not the end") {
  const auto taken = [](BrokerConfig config) {
    EstimatedSite site([](const BrokerConfig& as) { return Result<BrokerConfig>(as); }, kMinuteMs,
                       Instant{}, Instant{kMinuteMs}, 1);
    Moment moment;
    moment.now = Instant{1000};
    moment.inputs.push_back({moment.now, ConfigLoaded{std::move(config), {}, "start"}});
    return site.take(std::move(moment));
  };
  BrokerConfig config = configuration(false);
  config.policies[0].timezone = "Europe/Berlyn";
  CHECK(taken(config));  // nothing uses the time zone
  config.policies[0].windows.push_back({});
  const Status of_policy = taken(config);
  REQUIRE_FALSE(of_policy);
  CHECK_THAT(of_policy.error().message, Catch::Contains("the configuration of 1970-01-01") &&
                                            Catch::Contains("Europe/Berlin"));
  config.policies[0].timezone = "Europe/Berlin";
  CHECK(taken(config));
  ResourceGroup group;
  group.name = "compute";
  group.timezone = "Mars/Olympus";
  group.variants.emplace_back();
  group.week.emplace_back();
  config.resource_groups.push_back(group);
  const Status of_plan = taken(config);
  REQUIRE_FALSE(of_plan);
  CHECK_THAT(of_plan.error().message, Catch::Contains("Mars/Olympus"));
}

namespace {

/// Both agents are there, the consumer's first, which wants that much.
Moment both_connected(const Want& want) {
  Moment moment;
  moment.now = Instant{1000};
  moment.inputs.push_back({moment.now, BrokerStarted{1, false}});
  moment.inputs.push_back({moment.now, ConfigLoaded{configuration(false), {}, "start"}});
  for (const char* name : {"west", "east"}) {
    AgentHello hello;
    hello.cluster = name;
    hello.state_id = hello.boot = hello.session = 1;
    hello.fences = {true, true, true};
    moment.inputs.push_back({moment.now, hello});
  }
  InventoryReported inventory;
  inventory.cluster = "east";
  inventory.session = 1;
  for (const char* name : {"big0", "big1"}) {
    inventory.hosts.emplace_back();
    inventory.hosts.back().name = name;
    inventory.hosts.back().slots = 8;
  }
  moment.inputs.push_back({moment.now, inventory});
  moment.wants.push_back(want);
  return moment;
}

Want of_west(int64_t slots, int64_t used) {
  Want want;
  want.cluster = "west";
  want.slots = slots;
  want.used = used;
  return want;
}

}  // namespace

TEST_CASE("a consumer that was heard before its provider gets its first slot too") {
  EstimatedSite site([](const BrokerConfig& config) { return Result<BrokerConfig>(config); },
                     kMinuteMs, Instant{}, Instant{kMinuteMs}, 1);
  REQUIRE(site.take(both_connected(of_west(4, 1))));
  REQUIRE(site.state().slot_groups.size() == 1);
  CHECK(site.state().slot_groups.front().phase == Phase::active);
}

TEST_CASE("where nobody lends, what ran on leased slots waits, but for own slots recorded idle") {
  const auto waited = [](const std::optional<std::vector<int32_t>>& idle) {
    EstimatedSite site([](const BrokerConfig& config) { return Result<BrokerConfig>(config); },
                       kMinuteMs, Instant{}, Instant{kMinuteMs}, 1, true);
    Want want = of_west(4, 3);
    want.elsewhere = idle;
    REQUIRE(site.take(both_connected(want)));
    return static_cast<int64_t>(site.finish(Instant{kMinuteMs}).unmet["west"]);
  };
  CHECK(waited({}) == 4 * 59'000);
  CHECK(waited({{2}}) == 2 * 59'000);
  CHECK(waited({{2, 5}}) == 1 * 59'000);
}
