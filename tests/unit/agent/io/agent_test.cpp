// The agent against a broker that a test plays, over a real socket on loopback.
#include "tests/unit/agent/io/played_site.hpp"

namespace leasehold::agent {
namespace {

TEST_CASE("agent and broker shake hands: hello, inventory, a full report, then heartbeats") {
  PlayedSite stage(3);
  const wire::Hello hello = stage.shake();
  CHECK(hello.cluster == "east");
  CHECK(hello.incarnation == 77);
  CHECK(hello.boot == 1);
  CHECK_FALSE(hello.has_state);
  CHECK(hello.workload == "simulated");
  const wire::Inventory inventory = stage.next<wire::Inventory>();
  CHECK(inventory.session == hello.session);
  REQUIRE(inventory.hosts.size() == 1);
  CHECK(inventory.hosts[0].slots == 8);
  stage.configure({});
  const wire::Report report = stage.next<wire::Report>();
  CHECK(report.full);
  CHECK(report.number == 1);
  CHECK(report.running == 3);
  REQUIRE(report.hosts.size() == 1);
  CHECK(report.hosts[0] == wire::HostUse{0, 3, true});
  CHECK(report.demand == wire::Demand{});  // nothing waits
  REQUIRE(report.ending);
  REQUIRE(report.ending->slots.size() == 1);
  CHECK(report.ending->slots[0].slots == 3);
  CHECK(report.ending->error_milli == -1);
  stage.now_ms += 5'000;
  const wire::Heartbeat beat = stage.next<wire::Heartbeat>();
  CHECK(beat.session == hello.session);
  CHECK(beat.report == 1);
  CHECK(beat.look_age_ms == 0);
  CHECK(stage.none<wire::Report>());  // an unchanged world
}

/// These clocks are what the agent reads; each look is `gap_ms` later than the one before.
class TestClocks : public TimeSource {
 public:
  int64_t boottime_ms() const override { return boottime_at_ms += gap_ms; }
  Instant wall_time() const override { return {1'795'000'000'000 + boottime_at_ms}; }
  mutable int64_t boottime_at_ms = 0;
  int64_t gap_ms = 0;
};

TEST_CASE(
    "hellos and heartbeats say when the broker was last heard, to one that says when it spoke") {
  PlayedSite stage;
  TestClocks clocks;
  stage.clocks = &clocks;
  stage.start();
  const auto beat_at = [&](int64_t boottime_ms) {
    stage.now_ms += 5'000;
    clocks.boottime_at_ms = boottime_ms;
    return stage.next<wire::Heartbeat>().clock;
  };
  stage.welcome_sent_ms = 4'711;
  clocks.boottime_at_ms = stage.now_ms + 30;
  const wire::Hello hello = stage.shake();
  CHECK(hello.clock == wire::ClockReading{hello.wall_ms, stage.now_ms + 30, 4'711, stage.now_ms});
  CHECK(hello.wall_ms == 1'795'000'000'000 + stage.now_ms + 30);
  stage.configure({});
  stage.next<wire::Heartbeat>();
  wire::HeartbeatAnswer answer{hello.session, 1, false};
  answer.sent_ms = 9'000;
  stage.tell(answer);
  const int64_t received_ms = stage.now_ms;
  CHECK(beat_at(99'000) == wire::ClockReading{1'795'000'099'000, 99'000, 9'000, received_ms});
  clocks.gap_ms = 2;  // never both at one moment
  CHECK_FALSE(beat_at(100'000));
  clocks.gap_ms = 0;
  stage.tell(wire::Welcome{78, "older", "0"});
  const wire::Hello older = stage.next<wire::Hello>();
  CHECK_FALSE(older.clock);
  CHECK(older.wall_ms != 0);
}

TEST_CASE("a resync is answered by a full report, a welcome by a hello of a new boot and session") {
  PlayedSite stage;
  const wire::Hello first = stage.shake();
  stage.configure({});
  stage.next<wire::Report>();
  stage.tell(wire::HeartbeatAnswer{first.session, 0, true});
  const wire::Report full = stage.next<wire::Report>();
  CHECK(full.full);
  CHECK(full.number == 2);
  stage.tell(wire::Welcome{78, "test", "0"});
  const wire::Hello second = stage.next<wire::Hello>();
  CHECK(second.incarnation == 78);
  CHECK(second.boot == 2);
  CHECK(second.session != first.session);
  CHECK(second.state_id == first.state_id);
  CHECK(second.has_state);
}

TEST_CASE("a provider's busy slots are kept, idle ones released, and the answer is on disk first") {
  PlayedSite stage(6);
  stage.shake();
  stage.configure({group(5, wire::Role::provider)});
  stage.order(1, 4);
  CHECK(stage.next<wire::State>().state.groups[0].seq == 1);
  stage.order(2, 0);
  const wire::State state = stage.next<wire::State>();
  CHECK(state.state.groups[0].seq == 2);
  // A state that lost its first configuration assumes no limit, so the first order made it 4.
  CHECK(shows(state.state.hosts[0]) == Shown{0, 2, 2, 1});
  CHECK(stage.ask("select slots from cap where host = 'big1'") == 6);
  SQLite::Database db(stage.scratch.file("agent.db"));
  CHECK(db.execAndGet("select slots_limit from host_limit").getInt() == 2);
}

TEST_CASE("a slot that a job took since the last look is in use, and stays") {
  PlayedSite stage(8, 1);
  stage.shake();
  stage.configure({group(5, wire::Role::consumer)});
  stage.order(1, 2);
  stage.next<wire::State>();
  stage.now_ms += 3'000;  // the agent has had no look since
  stage.order(2, 0);
  const wire::State state = stage.next<wire::State>();
  CHECK(state.state.groups[0].seq == 2);
  CHECK(shows(state.state.hosts[0]) == Shown{0, 1, 1, 1});
}

TEST_CASE("an order of an older number is ignored, of the same number answered as things stand") {
  PlayedSite stage;
  stage.shake();
  stage.configure({group(5, wire::Role::consumer)});
  stage.order(4, 3);
  CHECK(stage.next<wire::State>().state.hosts[0].limit == 3);
  stage.order(3, 1);
  CHECK(stage.none<wire::State>());
  stage.order(4, 1);
  const wire::State again = stage.next<wire::State>();
  CHECK(again.state.hosts[0].limit == 3);
  CHECK(again.state.groups[0].seq == 4);
}

TEST_CASE("a job on a leased slot is told at once, with ever_used, and survives a restart") {
  PlayedSite stage(12);
  stage.shake();
  stage.configure({group(5, wire::Role::consumer)});
  CHECK(stage.next<wire::Report>().pending == 4);
  stage.order(1, 2);
  stage.next<wire::State>();
  stage.now_ms += 60;
  const wire::State used = stage.next<wire::State>();
  CHECK(used.state.groups[0].ever_used);
  CHECK(shows(used.state.hosts[0]) == Shown{0, 2, 2, 1});
  stage.stop();
  stage.start();
  const wire::Hello hello = stage.shake();
  CHECK(hello.has_state);
  CHECK(hello.boot == 2);
  REQUIRE(hello.state.groups.size() == 1);
  CHECK(hello.state.groups[0].seq == 1);
  CHECK(hello.state.groups[0].ever_used);
  CHECK(shows(hello.state.hosts[0]) == Shown{0, 2, 2, 1});
}

TEST_CASE("a shrink hands over slot by slot as jobs end, and none is refilled") {
  PlayedSite stage(12);
  stage.shake();
  stage.configure({group(5, wire::Role::consumer)});
  stage.order(1, 2);
  stage.next<wire::State>();
  stage.order(2, 0, wire::Lowering::shrink);
  CHECK(stage.next<wire::State>().state.hosts[0].limit == 2);
  CHECK(stage.ask("select slots from cap where host = 'far@west'") == 0);
  stage.now_ms += 97'000;  // jobs run 100 s, 101 s, …
  std::vector<int32_t> limits;
  while (limits.empty() || limits.back() > 0) {
    stage.now_ms += 1'000;
    REQUIRE(stage.now_ms < 1'300'000);
    if (stage.none<wire::State>()) continue;
    limits.push_back(stage.next<wire::State>().state.hosts[0].limit);
  }
  CHECK(limits == std::vector<int32_t>{2, 1, 0});  // the first one tells of ever_used
  CHECK(stage.ask("select count(*) from job where state = 'queued'") == 0);
}

TEST_CASE("a reclaim interrupts at once, and ends and requeues after the grace") {
  PlayedSite stage(8);
  stage.shake();
  stage.configure({group(5, wire::Role::provider)});
  stage.order(1, 4);
  stage.next<wire::State>();
  stage.now_ms += 5'000;
  CHECK(stage.next<wire::State>().state.groups[0].ever_used);
  stage.order(2, 3, wire::Lowering::reclaim, 10'000);
  CHECK(stage.next<wire::State>().state.hosts[0].limit == 4);
  stage.agent().on_time(stage.now_ms);
  CHECK(stage.workload().interrupted.size() == 1);
  stage.now_ms += 9'999;
  stage.agent().on_time(stage.now_ms);
  CHECK(stage.workload().ended.empty());
  stage.now_ms += 1;
  stage.agent().on_time(stage.now_ms);
  CHECK(stage.workload().ended == stage.workload().interrupted);
  stage.now_ms += 100;
  CHECK(stage.next<wire::State>().state.hosts[0].limit == 3);
  CHECK(stage.ask("select used from host_use where host = 'big1'") == 7);
}

TEST_CASE("an agent that starts again gives a reclaim the rest of its grace, not all of it") {
  PlayedSite stage(8);
  stage.shake();
  stage.configure({group(5, wire::Role::provider)});
  stage.order(1, 4);
  stage.next<wire::State>();
  stage.now_ms += 5'000;
  stage.next<wire::State>();
  stage.order(2, 3, wire::Lowering::reclaim, 10'000);
  stage.next<wire::State>();
  stage.agent().on_time(stage.now_ms);
  REQUIRE(stage.workload().interrupted.size() == 1);
  const std::string interrupted = stage.workload().interrupted[0];
  stage.now_ms += 6'000;
  stage.start();
  stage.agent().on_time(stage.now_ms);
  CHECK(stage.workload().interrupted.empty());  // it knows already
  stage.now_ms += 3'999;
  stage.agent().on_time(stage.now_ms);
  CHECK(stage.workload().ended.empty());
  stage.now_ms += 1;
  stage.agent().on_time(stage.now_ms);
  CHECK(stage.workload().ended == std::vector<std::string>{interrupted});
}

TEST_CASE("the answer waits until the fence has settled") {
  PlayedSite stage;
  stage.shake();
  stage.configure({group(5, wire::Role::consumer)});
  stage.order(1, 3);
  stage.next<wire::State>();
  stage.workload().settle_ms = 2'000;
  stage.order(2, 0);
  stage.now_ms += 1'999;
  CHECK(stage.none<wire::State>());
  CHECK(stage.ask("select slots from cap where host = 'far@west'") == 0);
  stage.now_ms += 1;
  CHECK(stage.next<wire::State>().state.hosts[0].limit == 0);
}

TEST_CASE(
    "a reclaim that was asked for again sooner than its fence settled was never carried out") {
  PlayedSite stage(8);
  stage.shake();
  stage.configure({group(5, wire::Role::provider)});
  stage.order(1, 4);
  stage.next<wire::State>();
  stage.workload().settle_ms = 2'000;
  for (uint64_t seq = 2; seq < 10; ++seq) {
    stage.order(seq, 0, wire::Lowering::reclaim, 4'000);
    stage.now_ms += 1'000;
    stage.agent().on_time(stage.now_ms);
  }
  CHECK(stage.workload().interrupted.size() == 4);
  CHECK(stage.workload().ended.size() == 4);
}

TEST_CASE("a fence that was lifted meanwhile is waited for again") {
  PlayedSite stage(8);
  stage.shake();
  stage.configure({group(5, wire::Role::provider)});
  const auto answered = [&] {
    uint64_t seq = 0;
    while (!stage.none<wire::State>()) seq = stage.next<wire::State>().state.groups[0].seq;
    return seq;
  };
  stage.order(1, 4);
  stage.workload().settle_ms = 2'000;
  stage.order(2, 0, wire::Lowering::reclaim, 60'000);
  stage.now_ms += 2'000;
  CHECK(answered() == 2);
  stage.order(3, 0, wire::Lowering::reclaim, 60'000);
  CHECK(answered() == 3);  // it stands
  stage.order(4, 4);
  CHECK(answered() == 4);
  stage.order(5, 0, wire::Lowering::reclaim, 60'000);
  stage.now_ms += 1'999;
  CHECK(answered() == 0);
}

TEST_CASE("a limit does not fall before its fence stands") {
  PlayedSite stage;
  stage.shake();
  stage.configure({group(5, wire::Role::consumer)});
  stage.order(1, 3);
  stage.next<wire::State>();
  stage.workload().unable = true;
  stage.order(2, 0);
  for (int i = 0; i < 4; ++i) {
    stage.now_ms += 5'000;
    CHECK(stage.none<wire::State>());
  }
  CHECK(stage.next<wire::Report>().state.hosts[0].limit == 3);
  stage.workload().unable = false;
  stage.now_ms += 5'000;
  CHECK(stage.next<wire::State>().state.hosts[0].limit == 0);
}

TEST_CASE("a failing workload manager is told once, and an order waits for it") {
  PlayedSite stage;
  stage.shake();
  stage.configure({group(5, wire::Role::consumer)});
  stage.order(1, 3);
  stage.next<wire::State>();
  stage.workload().broken = true;
  stage.order(2, 0);
  bool degraded = false;
  for (int i = 0; i < 10; ++i) {
    stage.now_ms += 5'000;
    if (!stage.none<wire::Report>()) {
      CHECK_FALSE(degraded);
      degraded = stage.next<wire::Report>().degraded;
    }
    CHECK(stage.none<wire::State>());
  }
  CHECK(degraded);
  CHECK_FALSE(stage.none<wire::Heartbeat>());
  stage.workload().broken = false;
  stage.now_ms += 5'000;
  CHECK(stage.next<wire::State>().state.hosts[0].limit == 0);
  stage.now_ms += 5'000;
  CHECK_FALSE(stage.next<wire::Report>().degraded);
}

TEST_CASE("an agent that is stopped says so as its last word") {
  PlayedSite stage;
  stage.agent().say_stopping();  // nobody knows it yet: it says nothing
  stage.shake();
  stage.configure({group(5, wire::Role::consumer)});
  stage.next<wire::Report>();
  stage.agent().say_stopping();
  wire::Heartbeat last = stage.next<wire::Heartbeat>();
  while (!last.stopping) last = stage.next<wire::Heartbeat>();
  CHECK(last.session == stage.session());
}

TEST_CASE(
    "a start with other fences than the limits say opens nothing until the broker has spoken") {
  PlayedSite stage(12);
  stage.shake();
  stage.configure({group(5, wire::Role::provider)});
  stage.order(1, 4);
  stage.next<wire::State>();
  stage.stop();
  {
    SQLite::Database db(stage.scratch.file("jobs.db"), SQLite::OPEN_READWRITE);
    db.exec("update cap set slots = 7");
  }
  stage.start();
  const wire::Hello hello = stage.shake();
  CHECK(hello.state.hosts[0].limit == 4);
  CHECK(stage.ask("select slots from cap where host = 'big1'") == 4);
  stage.configure({group(5, wire::Role::provider)});
  CHECK(stage.ask("select slots from cap where host = 'big1'") == 4);
  stage.order(2, 4);
  stage.next<wire::State>();
  CHECK(stage.ask("select slots from cap where host = 'big1'") == 8);
}

TEST_CASE("an agent without state states the fences it finds and lifts none") {
  PlayedSite stage(12);
  stage.shake();
  stage.configure({group(5, wire::Role::provider)});
  stage.order(1, 2);
  stage.next<wire::State>();
  stage.stop();
  for (const char* name : {"agent.db", "agent.db-wal", "agent.db-shm"}) {
    std::filesystem::remove(stage.scratch.file(name));
  }
  stage.start();
  const wire::Hello hello = stage.shake();
  CHECK_FALSE(hello.has_state);
  CHECK(hello.boot == 1);
  REQUIRE(hello.state.groups.size() == 1);
  CHECK(hello.state.groups[0].generation == 5);
  CHECK(hello.state.groups[0].seq == 0);
  CHECK(hello.state.hosts[0].limit == 2);
  CHECK(stage.ask("select slots from cap where host = 'big1'") == 4);
}

TEST_CASE("in observe mode use is attributed and nothing enforced") {
  PlayedSite stage(7);
  stage.shake();
  stage.configure({group(5, wire::Role::provider)}, true);
  const wire::Report report = stage.next<wire::Report>();
  REQUIRE(report.state.hosts.size() == 1);
  CHECK(report.state.hosts[0].used == 3);
  stage.order(1, 0);
  CHECK(stage.none<wire::State>());
  CHECK(stage.ask("select count(*) from cap") == 0);
}

}  // namespace
}  // namespace leasehold::agent
