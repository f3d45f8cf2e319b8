// Leases that end by themselves (schema/wire/PROTOCOL.md, "Lost contact"): from when the broker
// counts, how long, and what comes back.
#include "broker/core/agents/expiry.hpp"

#include <catch2/catch.hpp>

#include "broker/core/admission.hpp"
#include "broker/core/agents/configuration.hpp"
#include "broker/core/agents/lease_bounds.hpp"
#include "broker/core/bounds.hpp"
#include "broker/core/lease/evaluate.hpp"
#include "broker/core/model/turn/deadlines.hpp"
#include "broker/core/model/turn/turn.hpp"
#include "broker/core/step.hpp"
#include "tests/unit/core/agents/expiring_site.hpp"

using namespace leasehold;
using namespace leasehold::test;

TEST_CASE("two clocks may differ by one percent, and by a second at least") {
  CHECK(clock_margin_ms(0) == 1'000);
  CHECK(clock_margin_ms(100'000) == 1'000);
  CHECK(clock_margin_ms(100'001) == 1'001);
  CHECK(clock_margin_ms(7'200'000) == 72'000);
}

TEST_CASE("the agent of a self-expiring cluster is told the ttl and the grace, no other is") {
  Site site = leased();
  const auto configuration = configuration_for(site.state, find_cluster(site.state, "west"));
  CHECK(configuration.lease_ttl_ms == kTtl);
  CHECK(configuration.groups.at(0).grace_ms == kGrace);
  CHECK(configuration_for(site.state, find_cluster(site.state, "east")).lease_ttl_ms == 0);
  CHECK(west(site).lease_bound_ms == kTtl + kGrace);
}

TEST_CASE("a lost cluster's slots return ttl, grace, leeway and margin after the last answer") {
  Site site = leased();
  const Instant answered = site.agent("west").answered = site.now;
  site.agent("west").connected = false;
  site.now = site.now + 60'000;
  site.step(AgentLost{"west", site.agent("west").session, answered});
  CHECK(next_deadline(site.state) == answered + kAfter);
  tick_at(site, answered + (kAfter - 1));
  CHECK(site.held(kLease, kConsumer) == 2);  // a silent agent's slots stay where they are
  CHECK(site.phase(kLease) == "active");
  tick_at(site, answered + kAfter);
  CHECK(site.held(kLease, kConsumer) == 0);
  CHECK(site.held(kLease, kProvider) == 4);
  CHECK(site.count(RecordKind::lease_expired) == 2);  // the cluster's, and the group's
  site.run_until_idle();
  CHECK(site.agent("east").groups.begin()->second.rows[0].limit == 4);
  CHECK(next_deadline(site.state) > answered + 2 * kAfter);
}

TEST_CASE("a hello just before the end keeps everything") {
  Site site = leased();
  site.lose("west");
  const Instant end = next_deadline(site.state);
  site.now = end + -1;
  site.hello("west");
  tick_at(site, end + 1);
  site.run_until_idle();
  CHECK(site.count(RecordKind::lease_expired) == 0);
  // Its workload manager ended the lease meanwhile, so it states less: those slots go home.
  CHECK(site.held(kLease, kConsumer) + site.held(kLease, kProvider) +
            in_transfer(site.group(kLease)) ==
        4);
  CHECK(west(site).expires_at == kNever);
}

TEST_CASE("after the end an agent's limits rise only by new orders") {
  Site site = leased();
  Agent& agent = site.agent("west");
  const uint64_t seq = agent.groups.begin()->second.seq;
  site.lose("west");
  tick_at(site, next_deadline(site.state));
  REQUIRE(site.held(kLease, kProvider) == 4);
  CHECK(agent.groups.begin()->second.rows[0].limit == 2);  // its process is dead, its file says so
  CHECK(site.enforced("east", 0) <= 4);
  site.hello("west");
  CHECK(site.enforced("east", 0) <= 4);
  site.run_until_idle();
  CHECK(agent.groups.begin()->second.seq > seq);
  CHECK(agent.groups.begin()->second.rows[0].limit == site.held(kLease, kConsumer));
  CHECK(site.enforced("east", 0) == 4);
}

TEST_CASE("after a restart, what a cluster stated before its leases ended raises nothing") {
  // The slots were granted again; by its number alone the statement looked like the latest.
  Site site = leased();
  site.use("west", kLease, 0, 0);
  site.run_until_idle();
  site.lose("west");
  tick_at(site, next_deadline(site.state));
  site.run_until_idle();
  REQUIRE(site.enforced("east", 0) == 4);
  REQUIRE(site.agent("west").groups.begin()->second.rows[0].limit == 2);
  const AgentGroup& known = site.agent("west").groups.begin()->second;
  AgentHello hello;  // its fences do not hold yet, so it still states the limits of before
  hello.cluster = "west";
  hello.state_id = 7;
  hello.boot = 100;
  hello.session = 100'000;
  hello.self_expiring = true;
  hello.state.groups.push_back({site.group(kLease).generation, known.seq, true, 0, 0, 1});
  hello.state.hosts.push_back({0, 2, 0, true, -1});
  site.restart_broker();
  site.step(hello);
  CHECK(site.group(kLease).quarantined);
  CHECK(site.group(kLease).at(0, kConsumer).ordered == 0);
}

TEST_CASE("after a restart the broker counts from its own start, also in quarantine") {
  Site site = leased();
  site.restart_broker();
  const Instant started = site.now;
  site.hello("east");
  REQUIRE(site.group(kLease).quarantined);
  CHECK(west(site).expires_at == started + kAfter);
  tick_at(site, started + (kAfter - 1));
  CHECK(site.group(kLease).quarantined);
  tick_at(site, started + kAfter);
  // an agent that enforces nothing counts as connected
  CHECK_FALSE(site.group(kLease).quarantined);
  CHECK(site.held(kLease, kProvider) == 4);
}

TEST_CASE("a restart after the end waits anew, though the ledger gives the cluster nothing") {
  Site site = leased();
  site.lose("west");
  tick_at(site, next_deadline(site.state));
  REQUIRE(site.held(kLease, kConsumer) == 0);
  site.run_until_idle();
  site.restart_broker();
  const Instant started = site.now;
  site.hello("east");
  REQUIRE(site.group(kLease).quarantined);
  tick_at(site, started + kAfter);
  CHECK_FALSE(site.group(kLease).quarantined);
  CHECK(site.held(kLease, kProvider) == 4);
}

TEST_CASE("no answer of an earlier process counts for less than the broker's own start") {
  Site site = leased();
  const Instant started = site.state.started;
  site.agent("west").connected = false;
  site.step(AgentLost{"west", site.agent("west").session, {started.ms - 500'000}});
  CHECK(west(site).expires_at == started + kAfter);
}

TEST_CASE("an adapter that closes nothing has no end, whatever its agent states") {
  Site site = leased(false);
  Agent& agent = site.agent("west");
  site.lose("west");
  site.step(AgentHello{"west",
                       agent.state_id,
                       ++agent.boot,
                       ++site.sessions,
                       true,
                       false,
                       {},
                       "test",
                       {},
                       kTtl + kGrace,
                       {}});
  CHECK(west(site).lease_bound_ms == 0);
}

TEST_CASE("an older database knows of no ttl that it could count on") {
  Site site = leased();
  site.step(BrokerStarted{9, true});
  CHECK(west(site).lease_bound_ms == 0);
  CHECK(west(site).expires_at == kNever);
}

TEST_CASE("an agent with orders of the future stops no other cluster's lease_ttl") {
  BrokerConfig config = with_ttl();
  config.clusters.push_back(config.clusters.back());
  config.clusters.back().name = "liar";
  Site site = leased(true, config);
  site.hello("liar");
  site.lose("liar");
  site.lose("west");
  const Instant end = west(site).expires_at;
  REQUIRE(end != kNever);
  AgentHello hello;
  hello.cluster = "liar";
  hello.state_id = 7;
  hello.boot = 100;
  hello.session = 4'711;
  hello.state.groups.push_back({site.group(kLease).generation, uint64_t{1} << 36U, false, 0, 0, 0});
  site.step(hello);
  CHECK(west(site).lease_bound_ms == kTtl + kGrace);
  CHECK(west(site).expires_at == end);
  tick_at(site, end);
  CHECK(site.held(kLease, kConsumer) == 0);
}

TEST_CASE("what a lost member may go by is in doubt in the groups of which others know more") {
  Site site = leased();
  site.lose("west");
  site.lose("east");
  const Instant end = west(site).expires_at;
  site.agent("east").groups.begin()->second.seq = 900;
  site.hello("east");
  CHECK(site.group(kLease).members[kConsumer].doubted);
  tick_at(site, end);
  CHECK(site.held(kLease, kConsumer) == 2);  // until it connects, or is forgotten
  OperatorCommand forget;
  forget.command = Command::forget;
  forget.by = "ana";
  forget.cluster = "west";
  site.step(forget);
  CHECK(site.held(kLease, kConsumer) == 0);
  CHECK_FALSE(site.group(kLease).members[kConsumer].doubted);
}

TEST_CASE("a cluster whose adapter closes nothing keeps its slots, with an alarm") {
  Site site = leased(false);
  site.lose("west");
  CHECK(west(site).expires_at == kNever);
  CHECK(alarms(site, Reason::not_self_expiring) == 1);
  tick_at(site, site.now + 10 * kAfter);
  CHECK(site.held(kLease, kConsumer) == 2);
}

TEST_CASE("without a ttl no lease ends by itself, and nothing is alarming") {
  Site site = leased(true, with_ttl(0));
  site.lose("west");
  CHECK(west(site).expires_at == kNever);
  CHECK(alarms(site, Reason::not_self_expiring) == 0);
}

TEST_CASE("a reload never makes a lease end here before it ends there") {
  struct Case {
    const char* what;
    int64_t ttl_ms;
    bool taken;  // the agent got the new configuration before it was lost
    int64_t bound_ms;
  };
  const Case cases[] = {
      {"shorter, not known to the agent", 200'000, false, kTtl + kGrace},
      {"shorter, stated by the agent", 200'000, true, 200'000 + kGrace},
      {"longer, not known to the agent", 900'000, false, 900'000 + kGrace},
      {"longer, stated by the agent", 900'000, true, 900'000 + kGrace},
      {"off, not known to the agent", 0, false, 0},
      {"off, known to the agent", 0, true, 0},
  };
  for (const Case& one : cases) {
    INFO(one.what);
    Site site = leased();
    site.load(with_ttl(one.ttl_ms));
    if (one.taken) site.run_until_idle();
    CHECK(west(site).lease_bound_ms == one.bound_ms);
  }
}

TEST_CASE("a ttl set while the cluster is lost ends nothing: its agent does not know of it") {
  Site site = leased(true, with_ttl(0));
  site.lose("west");
  site.load(with_ttl());
  CHECK(west(site).expires_at == kNever);
  site.hello("west");
  CHECK(west(site).lease_bound_ms == 0);
  site.run_until_idle();  // now it has stated that its workload manager goes by it
  CHECK(west(site).lease_bound_ms == kTtl + kGrace);
}

TEST_CASE("an agent cannot state less than it was told") {
  Cluster cluster;
  cluster.configured_lease_ms = 630'000;
  CHECK(bound_stated(cluster, 0) == 0);
  CHECK(bound_stated(cluster, 1) == 630'000);
  CHECK(bound_stated(cluster, 700'000) == 700'000);
  CHECK(fault_of_lease_ms(-1).has_value());
  CHECK(fault_of_lease_ms(INT64_MAX).has_value());
  CHECK_FALSE(fault_of_lease_ms(0).has_value());
}

TEST_CASE("in observe mode nothing ends until the mode changes back") {
  Site site = leased();
  site.lose("west");
  const Instant end = next_deadline(site.state);
  BrokerConfig observing = with_ttl();
  observing.mode = Mode::observe;
  site.load(observing);
  CHECK(next_deadline(site.state) > end);
  tick_at(site, end + 5);
  CHECK(site.held(kLease, kConsumer) == 2);
  site.now = site.now + 1;
  site.load(with_ttl());
  CHECK(next_deadline(site.state) == end);
  tick_at(site, site.now + 1);
  CHECK(site.held(kLease, kConsumer) == 0);
}

TEST_CASE("a breach of a cluster whose leases ended holds nobody up") {
  Site site = leased();
  const uint32_t index = find_cluster(site.state, "west");
  wire::StateBlock block;
  block.groups = {
      {site.group(kLease).generation, site.group(kLease).members[kConsumer].seq, true, 3, 0, 1}};
  block.hosts = {{0, 2, 1, true}};
  site.step(StateReported{"west", site.agent("west").session, 0, false, block, kTtl + kGrace});
  REQUIRE(site.group(kLease).breach);
  site.agent("west").connected = false;
  site.step(AgentLost{"west", site.state.clusters[index].session, site.now});
  tick_at(site, next_deadline(site.state));
  CHECK_FALSE(site.group(kLease).breach);
  CHECK(site.held(kLease, kProvider) == 4);
}
