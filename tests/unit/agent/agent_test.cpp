// The agent against a broker that a test plays, over a real socket on loopback.
#include "agent/io/agent.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <array>
#include <catch2/catch.hpp>

#include "agent/workload/simulated.hpp"
#include "common/channel.hpp"
#include "common/wire/codec.hpp"
#include "tests/unit/agent/scratch.hpp"
#include "tests/unit/agent/shows.hpp"

namespace leasehold::agent {
namespace {

/// A workload manager that fails when it is told to.
class Flaky final : public Workload {
 public:
  explicit Flaky(std::unique_ptr<Workload> inner) : inner_(std::move(inner)) {}
  WorkloadTraits traits() const override {
    WorkloadTraits traits = inner_->traits();
    traits.settle_ms = settle_ms;
    return traits;
  }
  Result<View> read(std::span<const std::string> imported) override {
    if (broken) return fail(ErrorCode::io, "broken");
    return inner_->read(imported);
  }
  Status enforce(std::span<const HostCap> caps) override {
    if (broken || unable) return fail(ErrorCode::io, "broken");
    return inner_->enforce(caps);
  }
  Status fence_resources(std::span<const wire::ConfiguredResource> resources) override {
    return inner_->fence_resources(resources);
  }
  Result<std::vector<JobOnHost>> jobs_on(const std::string& host) override {
    return inner_->jobs_on(host);
  }
  Status interrupt(const std::string& job, int64_t grace_ms) override {
    interrupted.push_back(job);
    return inner_->interrupt(job, grace_ms);
  }
  Status end_and_requeue(const std::string& job) override {
    ended.push_back(job);
    return inner_->end_and_requeue(job);
  }
  int64_t next_change_in_ms() override { return inner_->next_change_in_ms(); }

  bool broken = false;
  bool unable = false;  // it answers, but enforces nothing
  int64_t settle_ms = 0;
  std::vector<std::string> interrupted;
  std::vector<std::string> ended;

 private:
  std::unique_ptr<Workload> inner_;
};

wire::ConfiguredGroup group(uint64_t generation, wire::Role role) {
  wire::ConfiguredGroup made;
  made.generation = generation;
  made.role = role;
  made.lease = "p:west";
  made.peer = "west";
  made.hosts.push_back({role == wire::Role::provider ? "big1" : "far", 4, false});
  return made;
}

/// Agent and broker with a socket between them, and a clock that only the test moves.
class Stage {
 public:
  explicit Stage(int32_t busy_jobs = 0, int32_t late_jobs = 0)
      : busy_jobs_(busy_jobs), late_jobs_(late_jobs) {
    auto listening = Channel::listen("tcp://127.0.0.1:0");
    REQUIRE(listening);
    broker_.emplace(std::move(*listening));
    start();
  }

  void start() {
    agent_.reset();
    workload_.reset();
    line_.reset();
    auto connected = Channel::connect(broker_->endpoint());
    REQUIRE(connected);
    line_.emplace(std::move(*connected));
    auto simulated = open_simulated(simulated_settings(), [this] { return now_ms; });
    REQUIRE(simulated);
    workload_ = std::make_unique<Flaky>(std::move(*simulated));
    auto state = StateFile::open(scratch.file("agent.db"));
    REQUIRE(state);
    auto saved = state->load();
    REQUIRE(saved);
    AgentSettings settings;
    settings.cluster = "east";
    agent_ = std::make_unique<Agent>(
        settings, *workload_, std::move(*state), std::move(*saved), *Pause::at(""),
        [this](const wire::Message& message) { line_->send("", wire::encode(message)); });
  }
  void stop() { agent_.reset(); }

  /// The next message of the kind; others that come before are kept out of the way.
  template <class T>
  T next() {
    for (int tries = 0; tries < 200; ++tries) {
      agent_->on_time(now_ms);
      const std::array<Channel*, 1> channels{&*broker_};
      Channel::wait(channels, {}, 20);
      while (auto frame = broker_->receive()) {
        auto message = wire::decode(frame->bytes);
        REQUIRE(message);
        peer_ = frame->peer;
        seen_.push_back(std::move(*message));
      }
      for (auto at = seen_.begin(); at != seen_.end(); ++at) {
        if (!std::holds_alternative<T>(*at)) continue;
        T found = std::get<T>(*at);
        seen_.erase(seen_.begin(), at + 1);
        return found;
      }
    }
    FAIL("the agent did not send it");
    return {};
  }

  /// What is there after the agent had its turn.
  template <class T>
  bool none() {
    agent_->on_time(now_ms);
    const std::array<Channel*, 1> channels{&*broker_};
    while (Channel::wait(channels, {}, 50))
      while (auto frame = broker_->receive()) seen_.push_back(*wire::decode(frame->bytes));
    for (const wire::Message& message : seen_)
      if (std::holds_alternative<T>(message)) return false;
    return true;
  }

  void tell(const wire::Message& message) {
    REQUIRE(broker_->send(peer_, wire::encode(message)));
    const std::array<Channel*, 1> channels{&*line_};
    REQUIRE(Channel::wait(channels, {}, 2'000));
    while (auto frame = line_->receive()) agent_->on_message(*wire::decode(frame->bytes), now_ms);
  }

  wire::Hello shake(uint64_t incarnation = 77) {
    next<wire::Heartbeat>();
    tell(wire::Welcome{incarnation, "test", "0"});
    const wire::Hello hello = next<wire::Hello>();
    session_ = hello.session;
    return hello;
  }
  void configure(std::vector<wire::ConfiguredGroup> groups, bool observe = false) {
    wire::Configuration configuration;
    configuration.session = session_;
    configuration.number = ++configured_;
    configuration.observe = observe;
    configuration.groups = std::move(groups);
    tell(configuration);
  }
  void order(uint64_t seq, int32_t limit, wire::Lowering lowering = wire::Lowering::release,
             int64_t grace_ms = 0) {
    tell(wire::Order{session_, 5, seq, grace_ms, {{0, limit, lowering}}});
  }
  int64_t ask(const std::string& sql) {
    SQLite::Database db(scratch.file("jobs.db"));
    return db.execAndGet(sql).getInt64();
  }

  Flaky& workload() { return *workload_; }
  Agent& agent() { return *agent_; }

  int64_t now_ms = 1'000'000;
  const Scratch scratch;

 private:
  /// Big1 with eight slots, and jobs of one slot that arrive at once, or 3 s late, and run
  /// 100 s, 101 s, ….
  SimulatedSettings simulated_settings() {
    SimulatedSettings made;
    made.state = scratch.file("jobs.db");
    wire::HostFacts host;
    host.name = "big1";
    host.slots = 8;
    made.hosts.push_back(host);
    made.jobs.slots = 8;
    if (busy_jobs_ == 0) return made;
    made.jobs.trace = scratch.file("trace.swf");
    std::FILE* trace = std::fopen(made.jobs.trace.c_str(), "w");
    for (int i = 1; i <= busy_jobs_ + late_jobs_; ++i)
      std::fprintf(trace, "%d %d 0 %d 1\n", i, i > busy_jobs_ ? 3 : 0, 99 + i);
    std::fclose(trace);
    return made;
  }

  int32_t busy_jobs_;
  int32_t late_jobs_;
  std::optional<Channel> broker_;
  std::optional<Channel> line_;
  std::unique_ptr<Flaky> workload_;
  std::unique_ptr<Agent> agent_;
  std::string peer_;
  std::vector<wire::Message> seen_;
  uint64_t session_ = 0;
  uint64_t configured_ = 0;
};

TEST_CASE("agent and broker shake hands: hello, inventory, a full report, then heartbeats") {
  Stage stage(3);
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
  stage.now_ms += 5'000;
  const wire::Heartbeat beat = stage.next<wire::Heartbeat>();
  CHECK(beat.session == hello.session);
  CHECK(beat.report == 1);
  CHECK(stage.none<wire::Report>());  // an unchanged world
}

TEST_CASE("a resync is answered by a full report, a welcome by a hello of a new boot and session") {
  Stage stage;
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
  Stage stage(6);
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
  Stage stage(8, 1);
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
  Stage stage;
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
  Stage stage(12);
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
  Stage stage(12);
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
    if (!stage.none<wire::State>())
      limits.push_back(stage.next<wire::State>().state.hosts[0].limit);
    REQUIRE(stage.now_ms < 1'300'000);
  }
  CHECK(limits == std::vector<int32_t>{2, 1, 0});  // the first one tells of ever_used
  CHECK(stage.ask("select count(*) from job where state = 'queued'") == 0);
}

TEST_CASE("a reclaim interrupts at once, and ends and requeues after the grace") {
  Stage stage(8);
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

TEST_CASE("the answer waits until the fence has settled") {
  Stage stage;
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

TEST_CASE("a limit does not fall before its fence stands") {
  Stage stage;
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
  Stage stage;
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

TEST_CASE(
    "a start with other fences than the limits say opens nothing until the broker has spoken") {
  Stage stage(12);
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
  Stage stage(12);
  stage.shake();
  stage.configure({group(5, wire::Role::provider)});
  stage.order(1, 2);
  stage.next<wire::State>();
  stage.stop();
  for (const char* name : {"agent.db", "agent.db-wal", "agent.db-shm"})
    std::filesystem::remove(stage.scratch.file(name));
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
  Stage stage(7);
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
