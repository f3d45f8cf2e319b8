// A whole agent whose work and whose broker a test plays, without a socket between them.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <deque>
#include <functional>

#include "agent/io/agent/agent.hpp"
#include "tests/unit/agent/core/reclaim/made_work.hpp"
#include "tests/unit/agent/scratch.hpp"

namespace leasehold::agent {

inline constexpr uint64_t kFirst = 5;   // group with the hosts h1 and h2 of west
inline constexpr uint64_t kSecond = 6;  // group with the host h3 of north

/// Work that runs until a test, or the agent, ends it, and caps that are as they were set.
class PlayedWork final : public Workload {
 public:
  WorkloadTraits traits() const override {
    return {"played", {}, settle_ms, false, fences_by_slot};
  }
  Result<View> read(std::span<const std::string> imported) override {
    ++looks;
    if (on_look) on_look();
    if (!answers) return fail(ErrorCode::io, "the controller does not answer");
    View view;
    for (const std::string& name : imported) {
      int32_t used = 0;
      for (const WorkUnit& unit : units) used += unit.slots_on(name);
      view.loads.push_back({name, true, true, used, used});
    }
    view.hosts = own;
    for (const wire::HostFacts& host : own) view.loads.push_back({host.name, false, host.up, 0, 0});
    view.caps = caps;
    for (HostCap& cap : view.caps) {
      if (const auto busy = held_open.find(cap.host); busy != held_open.end()) {
        cap.slots = std::max(cap.slots, busy->second);
      }
    }
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
    if (!lists) return fail(ErrorCode::io, "the controller lists no jobs");
    if (ends_before_list) end(*std::exchange(ends_before_list, std::nullopt));
    return WorkList{{clock_ms == nullptr ? 1'000 : *clock_ms}, units};
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
  Result<std::vector<std::string>> cautions() override { return warns; }
  Status wake(const std::string& host) override {
    if (host == refuses_to_wake) return fail(ErrorCode::io, "Access/permission denied");
    woken.push_back(host);
    return {};
  }
  void nobody_else_uses(const std::vector<std::string>& hosts) override { unused = hosts; }
  int64_t next_change_in_ms() override { return change_in_ms; }

  void end(const std::string& job) {
    std::erase_if(units, [&](const WorkUnit& unit) { return unit.id == job; });
  }
  int32_t cap(const std::string& host) const {
    for (const HostCap& cap : caps) {
      if (cap.host == host) return cap.slots;
    }
    return -1;
  }

  std::vector<WorkUnit> units;
  std::vector<HostCap> caps;
  int looks = 0;
  std::function<void()> on_look;
  int64_t change_in_ms = INT64_MAX;
  int64_t settle_ms = 0;
  bool fences_by_slot = false;
  bool answers = true;
  bool lists = true;
  const int64_t* clock_ms = nullptr;         // of the workload manager; nullptr: it stands still
  std::map<std::string, int32_t> held_open;  // by work that nobody may end: no cap is lower yet
  std::optional<std::string> ends_before_list;
  JobEnd fate;
  Ids interrupted;
  Ids signals;  // the signals that they got
  Ids ended;
  std::vector<wire::HostFacts> own;  // hosts of its cluster
  std::string refuses_to_wake;
  Ids woken;
  Ids unused;
  Ids warns;
};

inline wire::ConfiguredGroup group_of(uint64_t generation, const char* peer,
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
/// True for what is reported in place of a name where a site's secret keys hashes.
inline bool is_hash(const std::string& text) {
  return text.size() == 16 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

class PlayedAgent {
 public:
  explicit PlayedAgent(std::vector<WorkUnit> units, bool selective = true,
                       const char* signal = "none")
      : selective_(selective), signal_(signal) {
    floor.units = std::move(units);
    start();
    greet();
    tell(order(1, {{0, 4}, {1, 4}}, {{0, 4}}));
  }

  void greet() {
    tell(wire::Welcome{77, "test", "0"});
    session_ = last<wire::Hello>().session;
    configure(1, false);
  }
  /// From now on the broker only observes.
  void observe() { configure(2, true); }
  void configure(uint64_t number, bool observes) {
    configure(number, observes,
              {group_of(kFirst, "west", {"h1", "h2"}), group_of(kSecond, "north", {"h3"})});
  }
  void configure(uint64_t number, bool observes, std::vector<wire::ConfiguredGroup> groups) {
    wire::Configuration configuration;
    configuration.session = session_;
    configuration.number = number;
    configuration.observe = observes;
    configuration.groups = std::move(groups);
    tell(configuration);
  }
  /// To the last heartbeat: so much of what has ended is recorded.
  void answer(uint64_t ended) {
    wire::HeartbeatAnswer made{session_, last<wire::Heartbeat>().number, false};
    made.ended = ended;
    tell(made);
  }

  /// Likewise of who used borrowed slots.
  void answer_used(uint64_t used) {
    wire::HeartbeatAnswer made{session_, last<wire::Heartbeat>().number, false};
    made.used = used;
    tell(made);
  }

  void answer_of_hosts(const Ids& wake, const Ids& unused, uint64_t number = 0) {
    if (number == 0) number = last<wire::Heartbeat>().number;
    wire::HeartbeatAnswer made{session_, number, false};
    made.wake = wake;
    made.unused = unused;
    tell(made);
  }

  /// From now on the site tells whose work it was, and its workload manager has the time.
  void tell_users(bool tells = true, const std::string& secret = {}) {
    tells_users_ = tells;
    user_secret_ = secret;
    floor.clock_ms = &now_ms_;
    start();
    greet();
  }
  void start() {
    agent_.reset();
    auto state = StateFile::open(scratch_.file("agent.db"));
    REQUIRE(state);
    auto saved = state->load();
    REQUIRE(saved);
    AgentSettings settings;
    settings.cluster = "east";
    settings.clocks = &time_;
    settings.scheduling.selective_reclaim = selective_;
    settings.scheduling.session_types = ranks();
    settings.interrupt_signal = signal_;
    settings.report_users = tells_users_;
    settings.user_secret = user_secret_;
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
  /// Each look takes so long, by the agent's own clock.
  void slow_looks(int64_t ms) {
    floor.on_look = [this, ms] { time_.looked_ms += ms; };
  }
  /// Past what is asked again a moment later.
  void look() { pass(5'000); }

  template <class T>
  T last() const {
    for (size_t i = said.size(); i-- > 0;) {
      if (const auto* found = std::get_if<T>(&said[i])) return *found;
    }
    FAIL("the agent did not say it");
    return {};
  }
  /// The limits that the agent would state, in this order: h1, h2, h3.
  std::vector<int32_t> limits() const {
    std::vector<int32_t> found;
    for (const LeasedGroup& group : agent_->book().groups()) {
      for (const HostLimit& host : group.limits.hosts) found.push_back(host.limit);
    }
    return found;
  }
  /// The limit that the agent would find if it were started again now.
  int32_t limit_on_disk(uint64_t generation, int32_t host) const {
    SQLite::Database state(scratch_.file("agent.db"));
    SQLite::Statement limit(state,
                            "select slots_limit from host_limit where generation = ? and host = ?");
    limit.bind(1, static_cast<int64_t>(generation));
    limit.bind(2, host);
    return limit.executeStep() ? limit.getColumn(0).getInt() : -1;
  }
  std::vector<int32_t> caps() const {
    return {floor.cap("h1@west"), floor.cap("h2@west"), floor.cap("h3@north")};
  }

  PlayedWork floor;
  std::vector<wire::Message> said;

 private:
  static std::vector<SessionType> ranks() {
    SessionType high;
    high.match.partition = "high";
    high.preemption_rank = 20;
    SessionType low;
    low.match.partition = "low";
    low.preemption_rank = 10;
    SessionType urgent;
    urgent.match.partition = "urgent";
    urgent.preemption_rank = 30;
    urgent.preemptive = true;
    return {high, low, urgent};
  }

  const bool selective_;
  const char* const signal_;
  const Scratch scratch_;
  struct Time final : TimeSource {
    explicit Time(const int64_t& of) : now_ms(of) {}
    int64_t boottime_ms() const override { return now_ms + looked_ms; }
    Instant wall_time() const override { return {1'800'000'000'000 + now_ms}; }
    const int64_t& now_ms;
    int64_t looked_ms = 0;
  };

  int64_t now_ms_ = 1'000'000;
  Time time_{now_ms_};
  uint64_t session_ = 0;
  bool tells_users_ = false;
  std::string user_secret_;
  std::unique_ptr<Agent> agent_;
};

inline WorkUnit ranked(const std::string& id, const char* host, const char* partition,
                       int64_t started_ms = 100, int32_t slots = 4) {
  WorkUnit made = unit(id, "ann", host, started_ms, slots);
  made.partition = partition;
  return made;
}

/// Rank 20 on h1, where the broker would have taken them; rank 10 on h2.
inline std::vector<WorkUnit> neighbours() {
  std::vector<WorkUnit> units;
  for (int i = 0; i < 4; ++i) {
    units.push_back(ranked("a" + std::to_string(i), "h1@west", "high", 100 + i, 1));
    units.push_back(ranked("b" + std::to_string(i), "h2@west", "low", 100 + i, 1));
    units.push_back(ranked("c" + std::to_string(i), "h3@north", "high", 100 + i, 1));
  }
  return units;
}

}  // namespace leasehold::agent
