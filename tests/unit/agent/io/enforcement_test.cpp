// Parts of Agent alone: what its broker lets it do, limits on disk, and the caps made of them.
#include "agent/io/agent/known/enforcement.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/agent/io/played_agent.hpp"

namespace leasehold::agent {

namespace {

constexpr int64_t kTimeoutMs = 60'000;

/// The parts below an agent, of which h1 and h2 of west are configured and its session is open.
struct Parts {
  Scratch folder;
  PlayedWork work;
  WorkloadFailures failures{3};
  StateFile state = StateFile::open(folder.file("agent.db")).value();
  DurableLimits limits{HostNames{}, state, state.load().value()};
  Contact contact{SessionTimes{}, {}, machine_time()};
  Enforcement enforcement{work, limits, contact, failures, Divide::as_found};

  static wire::Configuration configuration() {
    wire::Configuration made;
    made.session = 9;
    made.number = 1;
    made.agent_timeout_ms = kTimeoutMs;
    made.groups = {group_of(kFirst, "west", {"h1", "h2"})};
    return made;
  }
  void connect(int64_t now_ms) {
    contact.session().on_welcome(leadership_of({}, 77), now_ms);
    contact.session().greeted(9, now_ms);
    contact.lease().begin_session(now_ms);
    REQUIRE(limits.adopt(configuration(), {}));
    contact.confirm(configuration());
    contact.lease().answered(0);
  }
  HostLimit& first_host() { return limits.book().find(kFirst)->limits.hosts[0]; }
  /// Its state was lost, so that it is frozen until an order.
  void order_first_host(int32_t limit) {
    first_host() = {};
    first_host().limit = limit;
  }
};

}  // namespace

TEST_CASE("caps may rise only while the broker cannot have given the agent up") {
  Parts parts;
  CHECK_FALSE(parts.contact.may_raise(0, kTimeoutMs));
  parts.connect(1'000);
  CHECK(parts.contact.may_raise(2'000, kTimeoutMs));
  CHECK_FALSE(parts.contact.may_raise(1'000 + kTimeoutMs, kTimeoutMs));
}

TEST_CASE("a cap that may not rise yet is raised by the next enforcement after the contact") {
  Parts parts;
  parts.connect(1'000);
  parts.order_first_host(4);
  REQUIRE(parts.enforcement.look(1'000 + kTimeoutMs));
  CHECK(parts.enforcement.enforce(1'000 + kTimeoutMs));
  CHECK(parts.work.cap("h1@west") <= 0);
  CHECK(parts.enforcement.enforce(2'000));
  CHECK(parts.work.cap("h1@west") == 4);
}

TEST_CASE("slots that a fence is to hold count as used until a look has shown that it does") {
  Parts parts;
  parts.connect(1'000);
  parts.order_first_host(4);
  REQUIRE(parts.enforcement.look(1'000));
  REQUIRE(parts.enforcement.enforce(1'000));
  parts.first_host().lowering = OpenLowering{wire::Lowering::shrink, 1};
  parts.work.settle_ms = 500;
  REQUIRE(parts.enforcement.look(2'000));
  LeasedGroup& group = *parts.limits.book().find(kFirst);
  group.limits.hosts[0].settling = true;
  parts.work.held_open["h1@west"] = 2;
  REQUIRE(parts.enforcement.enforce(2'000));
  CHECK(parts.enforcement.fenced_use(0, 2'000)[0] == 4);
  CHECK_FALSE(parts.enforcement.fences_stand(group, 2'000));
  REQUIRE(parts.enforcement.look(3'000));  // it is still open for what runs there
  CHECK(parts.enforcement.fenced_use(0, 3'000)[0] > 1);
  parts.work.held_open.clear();
  REQUIRE(parts.enforcement.look(4'000));
  REQUIRE(parts.enforcement.look(5'000));
  CHECK(parts.enforcement.fenced_use(0, 5'000)[0] == 0);
  CHECK(parts.enforcement.fences_stand(group, 5'000));
}

TEST_CASE("limits and sets that cannot be written stay as they were") {
  Scratch folder;
  const std::string path = folder.file("agent.db");
  StateFile::open(path).value().load().value();
  StateFile state = StateFile::open(path, true).value();
  DurableLimits limits{HostNames{}, state, state.load().value()};
  CHECK_FALSE(limits.adopt(Parts::configuration(), {}));
  CHECK(limits.book().groups().empty());
  CHECK(limits.lost());
  wire::Order order;
  order.seq = 3;
  order.generation = kFirst;
  order.hosts = {{0, 4}};
  order.sets = {{2, 0, false, {{kFirst, 0}}}};
  CHECK_FALSE(limits.take_sets(order));
  CHECK(limits.sets().all().empty());
}

}  // namespace leasehold::agent
