// Drained, a cluster gets and gives nothing new: as a provider, as a consumer, as both; under a
// plan too. Who ordered it, why and until when is kept, and the broker takes it back then.
#include <catch2/catch.hpp>

#include "broker/core/model/turn/deadlines.hpp"
#include "tests/unit/core/fixtures.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

OperatorCommand drained(const std::string& cluster, DrainSide half = DrainSide::both,
                        Instant until = kNever) {
  OperatorCommand made = ordered(Command::drain, cluster);
  made.half = half;
  made.where = "10.0.0.7";
  made.why = "new disks";
  made.until = until;
  return made;
}

const Cluster& cluster(const Site& site, const std::string& name) {
  return site.state.clusters[find_cluster(site.state, name)];
}

const Record& last_command(const Site& site) {
  const auto found = std::find_if(site.history.rbegin(), site.history.rend(), [](const Record& r) {
    return r.kind == RecordKind::operator_command;
  });
  REQUIRE(found != site.history.rend());
  return *found;
}

}  // namespace

TEST_CASE("draining a provider gives none of its slots away") {
  Site site = made(12);  // west runs on its first slot; 11 lie idle with east
  site.step(drained("east"));
  site.run_until_idle();
  site.pass(3 * kDelayMs);
  CHECK(site.held(kPool, kConsumer) == 1);
  CHECK(site.group(kPool).reason == Reason::cluster_draining);
  site.use("west", kPool, 0, 0);
  site.run_until_idle();
  CHECK(site.held(kPool, kConsumer) == 0);
  CHECK(exported(site.group(kPool)) == 0);  // they are east's own again
  CHECK(site.enforced("east", 0) == 12);
  site.pass(3 * kDelayMs);
  CHECK(site.held(kPool, kConsumer) == 0);
}

TEST_CASE("a drained provider's slots come home: idle ones at once, used ones as jobs end") {
  Site site = borrowed();  // west holds 8 and uses 3
  site.step(drained("east", DrainSide::exports));
  site.run_until_idle();
  CHECK(site.held(kPool, kConsumer) == 3);
  site.use("west", kPool, 0, 2);
  site.run_until_idle();
  CHECK(site.held(kPool, kConsumer) == 2);
  site.use("west", kPool, 0, 3);  // no refill
  site.run_until_idle();
  CHECK(site.held(kPool, kConsumer) == 2);
  site.step(ordered(Command::resume, "east"));
  site.run_until_idle();
  CHECK(exported(site.group(kPool)) == 8);
  site.pass(kDelayMs);
  CHECK(site.held(kPool, kConsumer) == 8);
}

TEST_CASE("after a resume what jobs leave is not given back any more") {
  Site site = borrowed();
  site.step(drained("west"));
  site.run_until_idle();
  REQUIRE(site.held(kPool, kConsumer) == 3);  // all of it in use
  site.step(ordered(Command::resume, "west"));
  site.run_until_idle();
  site.use("west", kPool, 0, 0);
  site.run_until_idle();
  CHECK(site.held(kPool, kConsumer) == 3);
}

TEST_CASE("a flip on its way when its provider is drained comes back to it") {
  Site site = made(8);
  wait(site, kDelayMs);  // east is asked to release 7
  while (site.take_one("east")) {
  }
  REQUIRE(site.held(kPool, kConsumer) == 8);  // granted, the order is on its way
  site.step(drained("east"));
  site.run_until_idle();
  CHECK(site.held(kPool, kConsumer) == 1);
}

TEST_CASE("each half of a drain leaves the other alone") {
  struct Row {
    const char* cluster;
    DrainSide half;
    int32_t left;
  };
  const Row row = GENERATE(values<Row>({{"east", DrainSide::exports, 3},
                                        {"east", DrainSide::imports, 8},
                                        {"west", DrainSide::imports, 3},
                                        {"west", DrainSide::exports, 8}}));
  Site site = borrowed();
  site.step(drained(row.cluster, row.half));
  site.run_until_idle();
  CHECK(site.held(kPool, kConsumer) == row.left);
  CHECK(cluster(site, row.cluster).draining_exports == (row.half == DrainSide::exports));
  CHECK(cluster(site, row.cluster).draining_imports == (row.half == DrainSide::imports));
  site.step(ordered(Command::resume, row.cluster));
  CHECK_FALSE(cluster(site, row.cluster).draining_exports);
  CHECK_FALSE(cluster(site, row.cluster).draining_imports);
}

TEST_CASE("what a drain was given is kept with it and told in the history") {
  Site site = borrowed();
  site.step(drained("east", DrainSide::exports, site.now + 1000));
  const OrderInForce& order = cluster(site, "east").exports_order;
  CHECK(order == OrderInForce{"ana", "10.0.0.7", "new disks", site.now, site.now + 1000});
  CHECK(cluster(site, "east").imports_order == OrderInForce{});
  const Audit& audit = *last_command(site).audit;
  CHECK(audit.verb == "drain");
  CHECK(audit.object == "east");
  CHECK(audit.options == "--provider --until " + format_utc(site.now + 1000));
  CHECK(audit.by == "ana");
  CHECK(audit.where == "10.0.0.7");
  CHECK(audit.why == "new disks");
}

TEST_CASE("an order is taken back when its time is over, and recorded as such") {
  Site site = borrowed();
  const Instant end = site.now + 5000;
  SECTION("a drain") {
    site.step(drained("east", DrainSide::both, end));
    site.run_until_idle();
    CHECK(next_deadline(site.state) == end);
    site.pass(4999);
    CHECK(cluster(site, "east").draining_exports);
    site.pass(1);
    CHECK_FALSE(cluster(site, "east").draining_exports);
    CHECK_FALSE(cluster(site, "east").draining_imports);
    CHECK(last_command(site).audit->verb == "resume");
    CHECK(last_command(site).audit->object == "east");
  }
  SECTION("a closed host, beside one that stays closed for a consumer") {
    OperatorCommand close = ordered(Command::close, "east", "h0");
    close.until = end;
    site.step(close);
    close.consumer = "west";
    close.until = end + 5000;
    site.step(close);
    site.pass(5000);
    const Host& host = cluster(site, "east").hosts[0];
    CHECK_FALSE(host.closed);
    REQUIRE(host.closed_for.size() == 1);
    CHECK(last_command(site).audit->object == "h0@east");
    site.pass(5000);
    CHECK(host.closed_for.empty());
    CHECK(host.closed_for_orders.empty());
    CHECK(last_command(site).audit->options == "--for west");
  }
  SECTION("a freeze") {
    OperatorCommand freeze = ordered(Command::freeze);
    freeze.until = end;
    site.step(freeze);
    site.pass(5000);
    CHECK_FALSE(site.state.frozen);
    CHECK(last_command(site).audit->verb == "thaw");
  }
  CHECK(last_command(site).reason == Reason::order_over);
  CHECK(last_command(site).audit->by == "broker");
  CHECK(last_command(site).audit->why == "the time that ana gave the order is over");
  CHECK(site.state.operator_order_next == kNever);
}

TEST_CASE("a drain that comes again has the newer reason and end") {
  Site site = borrowed();
  site.step(drained("west", DrainSide::imports, site.now + 1000));
  site.step(drained("west", DrainSide::imports));
  site.pass(2000);
  CHECK(cluster(site, "west").draining_imports);
}

TEST_CASE("what was refused changes nothing but the history") {
  Site site = borrowed();
  site.step(OperatorRefused{Reason::not_allowed, "bob", "10.0.0.9", "drain", "east", "--provider",
                            "the role read may only ask", 3});
  const Record& row = site.history.back();
  CHECK(row.kind == RecordKind::operator_refused);
  CHECK(row.reason == Reason::not_allowed);
  CHECK(row.numbers[0] == 3);
  CHECK(row.audit->by == "bob");
  CHECK(row.audit->object == "east");
  CHECK(site.held(kPool, kConsumer) == 8);
}

TEST_CASE("a drained provider's slots leave the plan, a drained leaf gives back and gets nothing") {
  PlanSite site(plan_of({{"/west", "west", 4}, {"/north", "north", 4}}), 2, 4);
  site.want("west", 4);
  site.want("north", 4);
  for (int i = 0; i < 3; ++i) {
    site.cycle();
    site.want("west", 4);
    site.want("north", 4);
  }
  REQUIRE(site.held("west") == 4);
  REQUIRE(site.held("north") == 4);
  SECTION("the provider") {
    site.step(drained("east", DrainSide::exports));
    site.run_until_idle();
    site.want("west", 2);
    site.run_until_idle();
    site.cycle();
    CHECK(site.held("west") <= 2);
    site.want("west", 4);
    site.want("north", 0);
    site.run_until_idle();
    for (int i = 0; i < 3; ++i) site.cycle();
    CHECK(site.held("west") <= 2);
    CHECK(site.held("north") == 0);
    CHECK(site.due("west") == 0);
    CHECK(site.pool().reason == Reason::cluster_draining);
    site.want("west", 0);
    site.run_until_idle();
    site.cycle();
    CHECK(exported(site.pool()) == 0);
    site.step(ordered(Command::resume, "east"));
    site.want("north", 4);
    for (int i = 0; i < 3; ++i) site.cycle();
    CHECK(site.held("north") == 4);
  }
  SECTION("a leaf") {
    site.step(drained("west", DrainSide::imports));
    site.run_until_idle();
    site.want("west", 1);
    site.run_until_idle();
    for (int i = 0; i < 3; ++i) site.cycle();
    CHECK(site.held("west") == 1);
    site.want("west", 4);
    for (int i = 0; i < 3; ++i) site.cycle();
    CHECK(site.held("west") == 1);
    site.step(ordered(Command::resume, "west"));
    for (int i = 0; i < 3; ++i) site.cycle();
    CHECK(site.held("west") == 4);
  }
}
