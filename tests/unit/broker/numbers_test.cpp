// Messages of agents with numbers from the whole range of their types, through the port into the
// core: what is taken is added up without an overflow (scripts/sanitize address sees those), and
// no slot is given twice.
#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <deque>
#include <map>

#include "broker/core/model/queries/invariants.hpp"
#include "broker/core/step.hpp"
#include "broker/ports/agents/port.hpp"

namespace leasehold {

namespace {

constexpr uint64_t kIncarnation = 7;
const std::vector<std::string> kClusters{"east", "west", "north"};

class Lines : public Exchange {
 public:
  explicit Lines(std::deque<Frame>& in) : in_(in) {}
  bool receive_into(Frame& frame) override {
    if (in_.empty()) return false;
    frame = in_.front();
    in_.pop_front();
    return true;
  }
  bool send(const std::string& /*peer*/, std::span<const uint8_t> /*bytes*/) override {
    return true;
  }

 private:
  std::deque<Frame>& in_;
};

BrokerConfig config() {
  BrokerConfig config;
  for (const std::string& name : kClusters) {
    ClusterConfig cluster;
    cluster.name = name;
    config.clusters.push_back(cluster);
  }
  for (const char* name : {"lent", "pool"}) {
    ExportPolicy policy;
    policy.name = name;
    policy.provider = "east";
    policy.hosts = {name};
    policy.slots_per_host = 8;
    policy.type = LeaseType::shared;
    policy.rule = RuleKind::idle_comparison;
    if (policy.name == "lent") policy.distribution = {{"west", 1}};
    config.policies.push_back(policy);
  }
  ResourceGroup group;
  group.name = "compute";
  group.policies = {"pool"};
  group.cycle_ms = 10'000;
  Plan plan;
  plan.name = "compute";
  plan.policy = PlanPolicy::hybrid;
  for (const std::string& name : kClusters) {
    PlanConsumer consumer;
    consumer.path = "/" + name;
    consumer.cluster = name;
    plan.consumers.push_back(consumer);
  }
  group.variants = {std::move(plan)};
  config.resource_groups.push_back(std::move(group));
  return config;
}

/// Edges of all types and bounds, and sound numbers.
template <class T>
T number() {
  const auto edge = *rc::gen::element<int64_t>(
      0, 0, 1, 2, 3, 8, -1, 1'000'000'000, 1'000'000'001, INT32_MAX, INT32_MIN, INT64_MAX,
      INT64_MAX - 1, INT64_MIN, int64_t{1} << 62, int64_t{1} << 53, 5'000);
  if (*rc::gen::inRange(0, 4) == 0) return *rc::gen::arbitrary<T>();
  return static_cast<T>(edge);
}

class PortFixture {
 public:
  PortFixture() {
    feed(BrokerStarted{kIncarnation, false});
    feed(ConfigLoaded{config(), {}, "start"});
    for (const std::string& name : kClusters) say_hello(name, 1, {});
    wire::Inventory inventory{1, {}};
    for (const char* name : {"lent", "pool"}) {
      wire::HostFacts facts;
      facts.name = name;
      facts.slots = 8;
      inventory.hosts.push_back(facts);
    }
    put("east", inventory);
  }

  void say_hello(const std::string& cluster, uint64_t boot, const wire::StateBlock& block) {
    wire::Hello hello;
    hello.cluster = cluster;
    hello.incarnation = kIncarnation;
    hello.state_id = 5;
    hello.boot = boot;
    hello.session = boot;
    hello.state = block;
    session_[cluster] = boot;
    put(cluster, hello);
  }

  void put(const std::string& cluster, const wire::Message& message) {
    in_.push_back({cluster, wire::encode(message), ""});
    const AgentPort::Sink sink = [this](const Event& event) {
      feed(event);
      return 0;
    };
    port_.read(state_, now_, 10, sink);
  }

  /// A statement about every group of the cluster, by the orders that it was given.
  wire::StateBlock block_of(const std::string& cluster) const {
    wire::StateBlock block;
    const uint32_t index = find_cluster(state_, cluster);
    for (const uint32_t g : state_.clusters[index].slot_groups) {
      const SlotGroup& group = state_.slot_groups[g];
      wire::GroupState said{group.generation,
                            group.members[member_of(group, index)].seq,
                            true,
                            number<int32_t>() & 1,
                            0,
                            0};
      said.first = static_cast<uint32_t>(block.hosts.size());
      for (uint32_t row = 0; row < group.hosts.size(); ++row) {
        const auto limit = number<int32_t>();
        const auto used = *rc::gen::element<int32_t>(0, limit, number<int32_t>());
        block.hosts.push_back({row, limit, used, true, *rc::gen::element<int32_t>(-1, limit)});
        ++said.count;
      }
      block.groups.push_back(said);
    }
    return block;
  }

  void report(const std::string& cluster) {
    wire::Report report;
    report.session = session_[cluster];
    report.number = ++numbers_;
    report.full = true;
    report.configuration = state_.clusters[find_cluster(state_, cluster)].configuration;
    report.pending = number<int64_t>();
    report.running = number<int64_t>();
    report.lease_ms = number<int64_t>();
    if (*rc::gen::inRange(0, 2) == 0) report.lease_ms = 0;
    report.state = block_of(cluster);
    if (*rc::gen::inRange(0, 2) == 0) report.state.clear();
    put(cluster, report);
  }

  void wait(int64_t time_ms) {
    now_ = now_ + time_ms;
    feed(Tick{});
  }

  /// A start: everybody's hello counts.
  void restart() { feed(BrokerStarted{kIncarnation, false}); }
  const State& state() const { return state_; }

 private:
  void feed(const Event& event) {
    Effects effects;
    step(state_, event, now_, effects);
    port_.send(state_, now_, effects);
  }

  std::deque<Frame> in_;
  State state_;
  Instant now_{1'000'000'000'000};
  AgentPort port_{std::make_unique<Lines>(in_)};
  std::map<std::string, uint64_t> session_;
  uint64_t numbers_ = 0;
};

}  // namespace

TEST_CASE("numbers of any size starve nobody and overflow nothing") {
  CHECK(rc::check([] {
    PortFixture place;
    for (uint64_t round = 2; round < 12; ++round) {
      const std::string cluster = *rc::gen::elementOf(kClusters);
      switch (*rc::gen::inRange(0, 5)) {
        case 0:
          place.say_hello(cluster, round, place.block_of(cluster));
          break;
        case 1:
          place.restart();
          break;
        default:
          place.report(cluster);
      }
      place.wait(*rc::gen::element<int64_t>(1, 5'000, 10'000, 600'000));
      RC_ASSERT(violations(place.state()).empty());
    }
  }));
}

TEST_CASE("a neighbour's pending near 2^63 is refused, and takes nothing from who wants 3") {
  PortFixture place;
  wire::Report greedy;
  greedy.session = 1;
  greedy.number = 1;
  greedy.full = true;
  const State& state = place.state();
  const auto configured = [&](const char* name) {
    return state.clusters[find_cluster(state, name)].configuration;
  };
  greedy.configuration = configured("west");
  greedy.pending = INT64_MAX;
  place.put("west", greedy);
  CHECK(state.clusters[find_cluster(state, "west")].pending == 0);
  greedy.configuration = configured("north");
  greedy.pending = 3;
  place.put("north", greedy);
  place.wait(1);
  CHECK(state.clusters[find_cluster(state, "north")].pending == 3);
}

}  // namespace leasehold
