// Reclaims for sets of hosts at a whole agent: which work ends, wherever it runs; what is counted
// when, and what outlives a restart.
#include <catch2/catch.hpp>
#include <deque>

#include "agent/io/agent/agent.hpp"
#include "tests/unit/agent/core/reclaim/made_work.hpp"
#include "tests/unit/agent/scratch.hpp"

namespace leasehold::agent {
namespace {

constexpr uint64_t kFirst = 5;   // group with the hosts h1 and h2 of west
constexpr uint64_t kSecond = 6;  // group with the host h3 of north

/// Work that runs until a test, or the agent, ends it, and caps that are as they were set.
class Floor final : public Workload {
 public:
  WorkloadTraits traits() const override { return {"floor", {}, settle_ms, false}; }
  Result<View> read(std::span<const std::string> imported) override {
    View view;
    for (const std::string& name : imported) {
      int32_t used = 0;
      for (const WorkUnit& unit : units) used += unit.slots_on(name);
      view.loads.push_back({name, true, true, used, used});
    }
    view.caps = caps;
    return view;
  }
  Status enforce(std::span<const HostCap> changes) override {
    for (const HostCap& cap : changes) {
      std::erase_if(caps, [&](const HostCap& known) { return known.host == cap.host; });
      if (!cap.parts.empty()) caps.push_back(cap);
    }
    return {};
  }
  Status fence_resources(std::span<const wire::ConfiguredResource>) override { return {}; }
  Result<WorkList> work_units() override {
    if (ends_before_list) end(*std::exchange(ends_before_list, std::nullopt));
    return WorkList{{1'000}, units};
  }
  Status interrupt(const WorkUnit& job, const std::string& signal, int64_t) override {
    interrupted.push_back(job.id);
    signals.push_back(signal);
    return {};
  }
  Status end_and_requeue(const WorkUnit& job) override {
    ended.push_back(job.id);
    end(job.id);
    return {};
  }
  Result<JobEnd> end_of(const WorkUnit&) override { return fate; }
  int64_t next_change_in_ms() override { return INT64_MAX; }

  void end(const std::string& job) {
    std::erase_if(units, [&](const WorkUnit& unit) { return unit.id == job; });
  }
  int32_t cap(const std::string& host) const {
    for (const HostCap& cap : caps)
      if (cap.host == host) return cap.slots;
    return -1;
  }

  std::vector<WorkUnit> units;
  std::vector<HostCap> caps;
  int64_t settle_ms = 0;
  std::optional<std::string> ends_before_list;
  JobEnd fate;
  Ids interrupted;
  Ids signals;  // by which they were told
  Ids ended;
};

wire::ConfiguredGroup group_of(uint64_t generation, const char* peer,
                               const std::vector<const char*>& hosts) {
  wire::ConfiguredGroup made;
  made.generation = generation;
  made.role = wire::Role::consumer;
  made.lease = "compute:/A";
  made.peer = peer;
  for (const char* host : hosts) made.hosts.push_back({host, 4, false});
  return made;
}

/// An agent whose broker the test plays, without a socket between them.
class Stage {
 public:
  explicit Stage(std::vector<WorkUnit> units, bool selective = true, const char* signal = "none")
      : selective_(selective), signal_(signal) {
    floor.units = std::move(units);
    start();
    greet();
    tell(order(1, {{0, 4}, {1, 4}}, {{0, 4}}));
  }

  void greet() {
    tell(wire::Welcome{77, "test", "0"});
    session_ = last<wire::Hello>().session;
    wire::Configuration configuration;
    configuration.session = session_;
    configuration.number = 1;
    configuration.groups = {group_of(kFirst, "west", {"h1", "h2"}),
                            group_of(kSecond, "north", {"h3"})};
    tell(configuration);
  }
  /// To the last heartbeat: so much of what has ended is recorded.
  void answer(uint64_t ended) {
    wire::HeartbeatAnswer made{session_, last<wire::Heartbeat>().number, false};
    made.ended = ended;
    tell(made);
  }

  void start() {
    agent_.reset();
    auto state = StateFile::open(scratch_.file("agent.db"));
    REQUIRE(state);
    auto saved = state->load();
    REQUIRE(saved);
    AgentSettings settings;
    settings.cluster = "east";
    settings.scheduling.selective_reclaim = selective_;
    settings.scheduling.session_types = ranks();
    settings.interrupt_signal = signal_;
    agent_ = std::make_unique<Agent>(
        settings, floor, std::move(*state), std::move(*saved), [](Step) {},
        [this](const wire::Message& message) { said.push_back(message); });
    pass(0);
  }

  /// An order for both groups; a set of all their hosts for `sum` slots, if it is at least 0.
  wire::Order order(uint64_t seq, std::vector<wire::OrderedHost> first,
                    std::vector<wire::OrderedHost> second, int64_t sum = -1,
                    int64_t grace_ms = 0) const {
    wire::Order made;
    made.session = session_;
    made.generation = kFirst;
    made.seq = seq;
    made.hosts = std::move(first);
    if (!second.empty()) made.parts = {{kSecond, std::move(second)}};
    made.configuration = 1;
    if (sum < 0) return made;
    made.sets = {{sum, grace_ms, false, {{kFirst, 0}, {kFirst, 1}}}};
    if (!made.parts.empty()) made.sets[0].hosts.push_back({kSecond, 0});
    return made;
  }
  /// All hosts keep four for themselves; together they come to `sum`.
  wire::Order down_to(uint64_t seq, int64_t sum, int64_t grace_ms = 0) const {
    return order(seq, {{0, 4}, {1, 4}}, {{0, 4}}, sum, grace_ms);
  }

  void tell(const wire::Message& message) {
    agent_->on_message(message, now_ms_);
    pass(0);
  }
  void pass(int64_t ms) {
    now_ms_ += ms;
    for (int i = 0; i < 4; ++i) agent_->on_time(now_ms_);
  }
  /// Past what is asked again a moment later.
  void look() { pass(5'000); }

  template <class T>
  T last() const {
    for (size_t i = said.size(); i-- > 0;)
      if (const auto* found = std::get_if<T>(&said[i])) return *found;
    FAIL("the agent did not say it");
    return {};
  }
  /// As it would state them: h1, h2, h3.
  std::vector<int32_t> limits() const {
    std::vector<int32_t> found;
    for (const LeasedGroup& group : agent_->book().groups())
      for (const HostLimit& host : group.limits.hosts) found.push_back(host.limit);
    return found;
  }
  std::vector<int32_t> caps() const {
    return {floor.cap("h1@west"), floor.cap("h2@west"), floor.cap("h3@north")};
  }

  Floor floor;
  std::vector<wire::Message> said;

 private:
  static std::vector<SessionType> ranks() {
    SessionType high;
    high.match.partition = "high";
    high.preemption_rank = 20;
    SessionType low;
    low.match.partition = "low";
    low.preemption_rank = 10;
    return {high, low};
  }

  const bool selective_;
  const char* const signal_;
  const Scratch scratch_;
  int64_t now_ms_ = 1'000'000;
  uint64_t session_ = 0;
  std::unique_ptr<Agent> agent_;
};

WorkUnit ranked(const std::string& id, const char* host, const char* partition,
                int64_t started_ms = 100, int32_t slots = 4) {
  WorkUnit made = unit(id, "ann", host, started_ms, slots);
  made.partition = partition;
  return made;
}

/// Rank 20 on h1, where the broker would have taken them; rank 10 next door.
std::vector<WorkUnit> neighbours() {
  std::vector<WorkUnit> units;
  for (int i = 0; i < 4; ++i) {
    units.push_back(ranked("a" + std::to_string(i), "h1@west", "high", 100 + i, 1));
    units.push_back(ranked("b" + std::to_string(i), "h2@west", "low", 100 + i, 1));
    units.push_back(ranked("c" + std::to_string(i), "h3@north", "high", 100 + i, 1));
  }
  return units;
}

TEST_CASE("rank-20 work is not ended while rank-10 work runs next door") {
  Stage stage(neighbours());
  CHECK(stage.last<wire::Hello>().chooses);
  stage.tell(stage.down_to(2, 10));
  CHECK(stage.floor.ended == Ids{"b3", "b2"});
  stage.look();
  CHECK(stage.limits() == std::vector<int32_t>{4, 2, 4});
  CHECK(stage.last<wire::State>().state.groups[0].seq == 2);
  CHECK(stage.floor.ended.size() == 2);
}

TEST_CASE("an agent that does not select says so") {
  Stage stage(neighbours(), false);
  CHECK_FALSE(stage.last<wire::Hello>().chooses);
  CHECK(stage.last<wire::Hello>().scheduling.policy == "proportional");
}

TEST_CASE("a set covers all groups: the least important work may run on another provider's host") {
  std::vector<WorkUnit> units = neighbours();
  for (WorkUnit& unit : units) unit.partition = unit.hosts[0].host == "h3@north" ? "low" : "high";
  Stage stage(units);
  stage.tell(stage.down_to(2, 11));
  CHECK(stage.floor.ended == Ids{"c3"});
  stage.look();
  CHECK(stage.limits() == std::vector<int32_t>{4, 4, 3});
}

TEST_CASE("an order for a set that is repeated, late or doubled takes nothing twice") {
  Stage stage(neighbours());
  stage.tell(stage.down_to(2, 10));
  stage.look();
  for (const uint64_t seq : {2U, 2U, 1U}) stage.tell(stage.down_to(seq, 10));
  CHECK(stage.floor.ended.size() == 2);
  stage.tell(stage.order(3, {{0, 4}, {1, 2}}, {{0, 4}}, 10));  // the same with a new number
  stage.look();
  stage.tell(stage.down_to(2, 8));  // overtaken
  stage.look();
  CHECK(stage.floor.ended.size() == 2);
  CHECK(stage.limits() == std::vector<int32_t>{4, 2, 4});
  CHECK(stage.caps() == std::vector<int32_t>{4, 2, 4});
}

TEST_CASE("idle slots of a set come first, and nobody is interrupted for them") {
  Stage stage({ranked("a", "h1@west", "high"), ranked("b", "h2@west", "low")});
  stage.tell(stage.down_to(2, 8, 60'000));
  stage.look();
  CHECK(stage.limits() == std::vector<int32_t>{4, 4, 0});
  CHECK(stage.floor.interrupted.empty());
}

TEST_CASE("what comes free on any host of a set counts, and is not refilled") {
  Stage stage(neighbours());
  stage.tell(stage.down_to(2, 11, 60'000));
  CHECK(stage.floor.interrupted == Ids{"b3"});
  CHECK(stage.caps() == std::vector<int32_t>{3, 3, 3});
  stage.floor.end("a1");
  stage.look();
  CHECK(stage.limits() == std::vector<int32_t>{3, 4, 4});
  CHECK(stage.caps() == std::vector<int32_t>{3, 4, 4});
  stage.pass(60'000);
  CHECK(stage.floor.ended.empty());  // b3 need not go any more
}

TEST_CASE("work is told by the signal that it asks for, whatever the agent's file says") {
  for (const char* configured : {"none", "USR1", "URG"}) {
    std::vector<WorkUnit> units = neighbours();
    for (WorkUnit& unit : units)
      if (unit.id == "b3") unit.comment = "leasehold:signal=USR2";
    Stage stage(units, true, configured);
    stage.tell(stage.down_to(2, 10, 60'000));
    CHECK(stage.floor.interrupted == Ids{"b3", "b2"});
    CHECK(stage.floor.signals == Ids{"USR2", std::string(configured) == "URG" ? configured : ""});
  }
}

TEST_CASE("what became of work is told with heartbeats until the broker has recorded it") {
  std::vector<WorkUnit> units = neighbours();
  for (WorkUnit& unit : units) unit.user = "bob";
  Stage stage(units, true, "none");
  const auto said = [&] {
    stage.pass(5'000);
    return stage.last<wire::Heartbeat>().ended.value_or(std::vector<wire::EndedWork>{});
  };
  wire::Order order = stage.down_to(2, 11, 60'000);
  order.reason = Reason::reclaim_owned;
  stage.tell(order);
  REQUIRE(stage.floor.interrupted == Ids{"b3"});
  CHECK(said().empty());
  stage.floor.end("b3");
  stage.floor.fate = JobEnd{JobEnd::How::well, 0};
  CHECK(said().empty());  // this broker has not said that it records any
  stage.answer(0);
  REQUIRE(said().size() == 1);
  const wire::EndedWork told = said().front();
  CHECK(told.number == 1);
  CHECK(told.job == "b3");
  CHECK(told.fate == wire::Fate::ended_well);
  CHECK(told.generation == kFirst);
  CHECK(told.reason == Reason::reclaim_owned);
  CHECK(told.exit_code == 0);
  CHECK(told.user.empty());  // its site does not tell
  stage.start();             // nothing of it is lost
  stage.greet();
  CHECK(said().empty());
  stage.answer(0);
  CHECK(said() == std::vector<wire::EndedWork>{told});
  stage.answer(1);
  CHECK(said().empty());
}

TEST_CASE("a second reclaim during the first takes what is missing beside it") {
  Stage stage(neighbours());
  stage.tell(stage.down_to(2, 11, 60'000));
  stage.tell(stage.down_to(3, 10, 60'000));
  CHECK(stage.floor.interrupted == Ids{"b3", "b2"});
  stage.pass(60'000);
  stage.look();
  CHECK(stage.floor.ended == Ids{"b2", "b3"});
  CHECK(stage.limits() == std::vector<int32_t>{4, 2, 4});
}

TEST_CASE("an order without a set ends it: nothing more goes") {
  Stage stage(neighbours());
  stage.tell(stage.down_to(2, 10, 60'000));
  stage.tell(stage.order(3, {{0, 4}}, {}));  // to one of the groups is enough
  CHECK(stage.caps() == std::vector<int32_t>{4, 4, 4});
  stage.pass(200'000);
  CHECK(stage.floor.ended.empty());
  CHECK(stage.limits() == std::vector<int32_t>{4, 4, 4});
}

TEST_CASE("a host with a limit of its own in a set gives that besides, once") {
  Stage stage(neighbours());
  const wire::Lowering reclaim = wire::Lowering::reclaim;
  stage.tell(stage.order(2, {{0, 3, reclaim}, {1, 4}}, {{0, 4}}, 10));
  stage.look();
  CHECK(stage.floor.ended == Ids{"a3", "b3"});
  CHECK(stage.limits() == std::vector<int32_t>{3, 3, 4});
}

TEST_CASE("an agent that starts again goes on with its sets, and tells nobody else") {
  Stage stage(neighbours());
  stage.tell(stage.down_to(2, 10, 60'000));
  REQUIRE(stage.floor.interrupted == Ids{"b3", "b2"});
  stage.pass(30'000);
  stage.start();
  stage.look();
  CHECK(stage.floor.interrupted.size() == 2);
  stage.pass(25'000);
  stage.look();
  CHECK(stage.floor.ended == Ids{"b2", "b3"});
  CHECK(stage.limits() == std::vector<int32_t>{4, 2, 4});
}

TEST_CASE("use on the hosts of a set counts once their fences have settled") {
  Stage stage({ranked("a", "h1@west", "high"), ranked("b", "h2@west", "low")});
  stage.floor.settle_ms = 2'000;
  stage.tell(stage.down_to(2, 9));
  stage.pass(1'999);
  CHECK(stage.limits() == std::vector<int32_t>{4, 4, 4});
  stage.pass(1);
  CHECK(stage.limits() == std::vector<int32_t>{4, 4, 1});
}

TEST_CASE("a set that cannot be is refused with all of its order") {
  Stage stage(neighbours());
  wire::Order twice = stage.down_to(2, 8);
  twice.sets.push_back({2, 0, false, {{kSecond, 0}}});
  wire::Order unnamed = stage.down_to(2, 8);
  unnamed.sets[0].hosts.push_back({kSecond, 1});
  wire::Order stranger = stage.down_to(2, 8);
  stranger.sets[0].hosts.push_back({9, 0});
  for (const wire::Order& wrong : {twice, unnamed, stranger, stage.down_to(2, -2)}) {
    if (!wrong.sets.empty()) stage.tell(wrong);
    stage.look();
  }
  wire::Order below = stage.down_to(2, 8);
  below.sets[0].sum = -1;
  stage.tell(below);
  stage.look();
  CHECK(stage.floor.ended.empty());
  CHECK(stage.last<wire::State>().state.groups[0].seq == 1);
}

/// Two users on h1 and one on each of the others; h1 has the least and the most important work.
TEST_CASE("a host that must be given whole ranks as its most important session") {
  std::vector<WorkUnit> units{ranked("a0", "h1@west", "other", 100, 2),
                              ranked("a1", "h1@west", "high", 100, 2),
                              ranked("b", "h2@west", "low"), ranked("c", "h3@north", "high")};
  Stage stage(units);
  wire::Order order = stage.down_to(2, 8, 60'000);
  order.sets[0].whole_hosts = true;
  stage.tell(order);
  CHECK(stage.floor.interrupted == Ids{"b"});
  CHECK(stage.caps() == std::vector<int32_t>{4, 0, 4});
  stage.pass(60'000);
  stage.look();
  CHECK(stage.floor.ended == Ids{"b"});
  CHECK(stage.limits() == std::vector<int32_t>{4, 0, 4});
}

TEST_CASE("a whole host is given up when the last of its work has ended, an idle one at once") {
  std::vector<WorkUnit> units{ranked("a", "h1@west", "high"), ranked("b0", "h2@west", "low", 1, 2),
                              ranked("b1", "h2@west", "low", 2, 2)};
  Stage stage(units);
  wire::Order order = stage.down_to(2, 4, 60'000);
  order.sets[0].whole_hosts = true;
  stage.tell(order);
  stage.look();
  CHECK(stage.limits() == std::vector<int32_t>{4, 4, 0});
  stage.floor.end("b0");
  stage.look();
  CHECK(stage.limits() == std::vector<int32_t>{4, 4, 0});
  stage.start();  // the choice is durable
  stage.floor.end("b1");
  stage.look();
  CHECK(stage.limits() == std::vector<int32_t>{4, 0, 0});
}

TEST_CASE("a job that ends by itself between two looks costs no other an interrupt") {
  Stage stage(neighbours());
  stage.floor.ends_before_list = "b0";  // after the look that said what is needed
  stage.tell(stage.order(2, {{1, 3, wire::Lowering::reclaim}}, {}, -1));
  CHECK(stage.floor.interrupted.empty());
  CHECK(stage.limits() == std::vector<int32_t>{4, 3, 4});
}

}  // namespace
}  // namespace leasehold::agent
