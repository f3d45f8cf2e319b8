// Leases that end by themselves, at the agent and in the simulated workload
// (schema/wire/PROTOCOL.md, "Lost contact"). Big1 has eight slots of its own; jobs beyond eight run
// on `far`, which is leased.
#include "tests/unit/agent/io/played_site.hpp"

namespace leasehold::agent {
namespace {

constexpr int64_t kTtl = 60'000;
constexpr int64_t kGrace = 20'000;
constexpr const char* kUsedFar =
    "select coalesce(sum(slots), 0) from job_slots where host like 'far%'";
constexpr const char* kCapFar = "select coalesce(max(slots), 0) from cap where imported = 1";
constexpr const char* kUntil = "select number from fact where key = 'lease_until_ms'";

std::vector<wire::ConfiguredGroup> far() {
  wire::ConfiguredGroup made = group(5, wire::Role::consumer);
  made.grace_ms = kGrace;
  return {made};
}

/// Four slots of `far`, two of them in use, renewed when the hello left.
void lease_far(PlayedSite& site) {
  site.shake();
  site.configure(far(), false, kTtl);
  site.order(1, 4);
  site.next<wire::State>();
  REQUIRE(site.agent().book().groups()[0].limits.hosts[0].limit == 4);
  REQUIRE(site.ask(kUsedFar) == 2);
}

int32_t limit(PlayedSite& site) {
  return site.agent().book().groups()[0].limits.hosts[0].limit;
}

TEST_CASE("the workload manager is told the end; an answer renews from its heartbeat's sending") {
  PlayedSite site(10);
  const int64_t greeted = site.now_ms;
  lease_far(site);
  CHECK(site.ask(kUntil) == greeted + kTtl);
  site.now_ms += 5'000;
  const int64_t sent = site.now_ms;
  wire::Heartbeat beat = site.next<wire::Heartbeat>();
  while (beat.number == 0) beat = site.next<wire::Heartbeat>();
  site.now_ms += 3'000;
  site.tell(wire::HeartbeatAnswer{site.session(), beat.number, false});
  const int64_t until = site.ask(kUntil);
  CHECK(until <= sent + kTtl);
  site.now_ms += 1'000;
  site.tell(wire::HeartbeatAnswer{site.session(), beat.number, false});  // doubled
  site.tell(wire::HeartbeatAnswer{site.session(), 0, true});             // asks, renews nothing
  site.tell(wire::HeartbeatAnswer{site.session() + 1, beat.number, false});
  CHECK(site.ask(kUntil) == until);
}

TEST_CASE("what the report states is the ttl and the longest grace") {
  PlayedSite site(10);
  CHECK(site.shake().lease_ms == 0);  // its workload manager has no end of leases yet
  site.configure(far(), false, kTtl);
  CHECK(site.next<wire::Report>().lease_ms == kTtl + kGrace);
}

TEST_CASE("at the end the slots close, limits fall to what is used, work ends after the grace") {
  PlayedSite site(10);
  const int64_t end = site.now_ms + kTtl;
  lease_far(site);
  site.now_ms = end - 1;
  site.agent().on_time(site.now_ms);
  CHECK(limit(site) == 4);
  CHECK(site.ask(kCapFar) == 4);
  CHECK(site.agent().next_ms() <= end);
  site.now_ms = end;
  site.agent().on_time(site.now_ms);
  CHECK(site.ask(kCapFar) == 0);
  CHECK(limit(site) == 2);
  site.now_ms = end + kGrace - 1;
  site.agent().on_time(site.now_ms);
  CHECK(site.ask(kUsedFar) == 2);  // the whole grace
  site.now_ms = end + kGrace;
  site.agent().on_time(site.now_ms + 1'000);
  site.agent().on_time(site.now_ms + 7'000);
  CHECK(site.ask(kUsedFar) == 0);
  CHECK(site.ask("select count(*) from job where state = 'queued'") == 2);
  CHECK(limit(site) == 0);
}

TEST_CASE("after the end nothing rises but by a new order") {
  PlayedSite site(10);
  const int64_t end = site.now_ms + kTtl;
  lease_far(site);
  site.now_ms = end + 1;
  site.order(2, 4);  // lay in the line since before the end
  CHECK(limit(site) == 2);
  CHECK(site.ask(kCapFar) == 0);
  wire::Heartbeat beat;
  do {
    beat = site.next<wire::Heartbeat>();
    if (beat.number == 0) site.now_ms += 5'000;
  } while (beat.number == 0);
  site.now_ms += 5'000;
  const wire::Heartbeat last = site.next<wire::Heartbeat>();
  site.tell(wire::HeartbeatAnswer{site.session(), last.number, false});
  CHECK(site.ask(kUntil) > end);
  CHECK(site.ask(kCapFar) == 0);  // renewed, and still closed
  CHECK(limit(site) == 2);
  site.order(3, 4);
  CHECK(limit(site) == 4);
  CHECK(site.ask(kCapFar) == 4);
}

TEST_CASE("a dead agent's slots close without it, and its jobs get the whole grace") {
  PlayedSite site(10);
  const int64_t end = site.now_ms + kTtl;
  lease_far(site);
  site.stop();
  site.now_ms = end + kGrace - 1;
  site.start();  // the world lives through the time between
  site.agent().on_time(site.now_ms);
  CHECK(site.ask(kCapFar) == 0);
  CHECK(site.ask(kUsedFar) == 2);
  CHECK(limit(site) == 2);
}

TEST_CASE("an agent that comes back after the end has what it used no more, and waits for orders") {
  PlayedSite site(10);
  const int64_t end = site.now_ms + kTtl;
  lease_far(site);
  site.stop();
  site.now_ms = end + kGrace;
  site.start();
  const wire::Hello hello = site.shake();
  CHECK(site.ask(kUsedFar) == 0);
  REQUIRE(hello.state.hosts.size() == 1);
  CHECK(hello.state.hosts[0].used == 0);
  CHECK(hello.self_expiring);
  CHECK(hello.lease_ms >= kTtl);
  site.configure(far(), false, kTtl);
  CHECK(site.ask(kCapFar) == 0);  // the session alone opens nothing
  site.order(7, 1);
  CHECK(site.ask(kCapFar) == 1);
}

TEST_CASE("after a reboot the end counts as reached, and work gets its grace from then") {
  PlayedSite site(10);
  lease_far(site);
  site.stop();
  site.boot = "second";
  site.now_ms += 1'000;
  site.start();
  site.agent().on_time(site.now_ms);
  CHECK(site.ask(kCapFar) == 0);
  CHECK(site.ask(kUsedFar) == 2);
  site.now_ms += kGrace;
  site.agent().on_time(site.now_ms);
  CHECK(site.ask(kUsedFar) == 0);
}

TEST_CASE("what is enforced after the end is closed at once, and stays so when the end moves on") {
  PlayedSite site(10);
  const int64_t end = site.now_ms + kTtl;
  lease_far(site);
  site.now_ms = end + 1;
  HostCap late;  // of an agent that stood still between the order and this
  late.host = "far@west";
  late.imported = true;
  late.slots = 4;
  late.parts = {{5, 0, 4, 0}};
  REQUIRE(site.workload().enforce(std::span(&late, 1)));
  CHECK(site.ask(kCapFar) == 0);
  REQUIRE(site.workload().lease_until(end + kTtl));
  CHECK(site.ask(kCapFar) == 0);
  REQUIRE(site.workload().enforce(std::span(&late, 1)));
  CHECK(site.ask(kCapFar) == 4);
}

TEST_CASE("a workload manager that was not told states no end") {
  PlayedSite site(10);
  site.shake();
  site.workload().unable = true;
  site.configure(far(), false, kTtl);
  CHECK(site.next<wire::Report>().lease_ms == 0);
  site.workload().unable = false;
  site.now_ms += 5'000;
  CHECK(site.next<wire::Report>().lease_ms == kTtl + kGrace);
}

TEST_CASE("own slots are not touched when leases end") {
  PlayedSite site(3);
  site.shake();
  site.configure({group(5, wire::Role::provider)}, false, kTtl);
  site.order(1, 2);
  const int64_t cap = site.ask("select slots from cap");
  site.now_ms += kTtl + kGrace + 1;
  site.agent().on_time(site.now_ms);
  CHECK(site.ask("select slots from cap") == cap);
  CHECK(limit(site) == 2);
}

TEST_CASE("an order whose fence settles is dropped when the exports it counts by change") {
  PlayedSite site;
  site.workload().settle_ms = 10'000;
  site.shake();
  site.configure({group(5, wire::Role::provider)});
  site.tell(wire::Order{site.session(), 5, 1, 0, {{0, 4, wire::Lowering::release}}, 1});
  REQUIRE(site.agent().book().groups()[0].limits.seq == 1);
  site.tell(wire::Order{site.session(), 5, 2, 0, {{0, 3, wire::Lowering::release}}, 1});
  CHECK(site.ask("select slots from cap") == 7);  // fenced, and waiting for the last starts
  wire::ConfiguredGroup less = group(5, wire::Role::provider);
  less.hosts[0].slots = 2;  // two of the four are its own again
  site.configure({less});
  site.now_ms += 10'001;
  site.agent().on_time(site.now_ms);
  // By the old count 3 of 2 exported slots would be open: one more than the host has.
  CHECK(site.agent().book().groups()[0].limits.seq == 1);
  CHECK(limit(site) == 2);
  CHECK(site.ask("select count(*) from cap where slots > 8") == 0);
  site.tell(wire::Order{site.session(), 5, 3, 0, {{0, 1, wire::Lowering::release}}, 2});
  site.now_ms += 10'001;
  site.agent().on_time(site.now_ms);
  CHECK(limit(site) == 1);
}

}  // namespace
}  // namespace leasehold::agent
