// PlayedSite: an agent on a workload manager that can fail, and a broker that the test plays, over
// a real socket on loopback.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <array>
#include <catch2/catch.hpp>
#include <set>

#include "agent/io/agent/agent.hpp"
#include "agent/workload/simulated/simulated.hpp"
#include "common/channel/channel.hpp"
#include "common/time/clock.hpp"
#include "common/wire/codec.hpp"
#include "tests/support/last_bound.hpp"
#include "tests/unit/agent/scratch.hpp"
#include "tests/unit/agent/shows.hpp"

namespace leasehold::agent {

/// This workload manager fails when a test says so.
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
  Status lease_until(int64_t boottime_ms) override {
    if (broken || unable) return fail(ErrorCode::io, "broken");
    return inner_->lease_until(boottime_ms);
  }
  Status fence_resources(std::span<const wire::ConfiguredResource> resources) override {
    return inner_->fence_resources(resources);
  }
  Result<WorkList> work_units() override { return inner_->work_units(); }
  Status interrupt(const WorkUnit& job, const std::string& signal, int64_t grace_ms) override {
    interrupted.push_back(job.id);
    return inner_->interrupt(job, signal, grace_ms);
  }
  Status end_and_requeue(const WorkUnit& job) override {
    ended.push_back(job.id);
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

inline wire::ConfiguredGroup group(uint64_t generation, wire::Role role) {
  wire::ConfiguredGroup made;
  made.generation = generation;
  made.role = role;
  made.lease = "p:west";
  made.peer = "west";
  made.hosts.push_back({role == wire::Role::provider ? "big1" : "far", 4, false});
  return made;
}

/// Agent and broker with a socket between them, and a clock that only the test moves.
class PlayedSite {
 public:
  explicit PlayedSite(int32_t busy_jobs = 0, int32_t late_jobs = 0)
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
    if (!peer_.empty()) gone_.insert(peer_);  // what it sent may still come in
    seen_.clear();
    sent_ = came_ = 0;
    auto connected = Channel::connect(broker_->endpoint());
    REQUIRE(connected);
    line_.emplace(std::move(*connected));
    auto simulated = open_simulated(
        simulated_settings(), [this] { return now_ms; }, false, time);
    REQUIRE(simulated);
    workload_ = std::make_unique<Flaky>(std::move(*simulated));
    auto state = StateFile::open(scratch.file("agent.db"));
    REQUIRE(state);
    auto saved = state->load();
    REQUIRE(saved);
    AgentSettings settings;
    settings.cluster = "east";
    settings.clocks = clocks ? clocks : &time;
    agent_ = std::make_unique<Agent>(
        settings, *workload_, std::move(*state), std::move(*saved), [](Step) {},
        [this](const wire::Message& message) {
          if (line_->send("", wire::encode(message))) ++sent_;
        });
  }
  void stop() { agent_.reset(); }

  /// The next message of the kind; others that come before are kept out of the way.
  template <class T>
  T next() {
    for (const int64_t until_ms = end_ms(); boottime_ms() < until_ms;) {
      agent_->on_time(now_ms);
      const std::array<Channel*, 1> channels{&*broker_};
      Channel::wait(channels, {}, 20);
      while (auto frame = broker_->receive()) {
        if (gone_.contains(frame->peer)) continue;
        ++came_;
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

  /// Takes in all that the agent has sent by the end of its turn; true if no T is there.
  template <class T>
  bool none() {
    agent_->on_time(now_ms);
    const std::array<Channel*, 1> channels{&*broker_};
    for (const int64_t until_ms = end_ms(); came_ < sent_ && boottime_ms() < until_ms;) {
      Channel::wait(channels, {}, 50);
      while (auto frame = broker_->receive()) {
        if (gone_.contains(frame->peer)) continue;
        ++came_;
        seen_.push_back(*wire::decode(frame->bytes));
      }
    }
    REQUIRE(came_ >= sent_);
    for (const wire::Message& message : seen_) {
      if (std::holds_alternative<T>(message)) return false;
    }
    return true;
  }

  void tell(const wire::Message& message) {
    REQUIRE(broker_->send(peer_, wire::encode(message)));
    const std::array<Channel*, 1> channels{&*line_};
    REQUIRE(Channel::wait(channels, {}, test::kLastBoundMs));
    while (auto frame = line_->receive()) agent_->on_message(*wire::decode(frame->bytes), now_ms);
  }

  wire::Hello shake(uint64_t incarnation = 77) {
    next<wire::Heartbeat>();
    if (leader) incarnation = leader->incarnation;
    wire::Welcome welcome{incarnation, "test", "0"};
    if (leader) welcome.epoch = leader->epoch;
    welcome.sent_ms = welcome_sent_ms;
    tell(welcome);
    const wire::Hello hello = next<wire::Hello>();
    session_ = hello.session;
    return hello;
  }
  void configure(std::vector<wire::ConfiguredGroup> groups, bool observe = false,
                 int64_t lease_ttl_ms = 0) {
    wire::Configuration configuration;
    configuration.session = session_;
    configuration.number = ++configured_;
    configuration.observe = observe;
    configuration.groups = std::move(groups);
    configuration.lease_ttl_ms = lease_ttl_ms;
    if (leader) configuration.leader_ttl_ms = leader_ttl_ms;
    tell(of_leader(configuration));
  }
  void order(uint64_t seq, int32_t limit, wire::Lowering lowering = wire::Lowering::release,
             int64_t grace_ms = 0) {
    tell(of_leader(wire::Order{session_, 5, seq, grace_ms, {{0, limit, lowering}}}));
  }
  /// Makes it a message of the broker that leads.
  template <class M>
  M of_leader(M message) const {
    if (!leader) return message;
    message.epoch = leader->epoch;
    message.incarnation = leader->incarnation;
    return message;
  }
  int64_t ask(const std::string& sql) {
    SQLite::Database db(scratch.file("jobs.db"));
    return db.execAndGet(sql).getInt64();
  }

  Flaky& workload() { return *workload_; }
  Agent& agent() { return *agent_; }

  uint64_t session() const { return session_; }
  uint64_t configured() const { return configured_; }

  int64_t now_ms = 1'000'000;
  std::string boot = "first";
  std::optional<Leadership> leader;  // of several brokers on one database
  int64_t leader_ttl_ms = 5'000;
  std::optional<int64_t> welcome_sent_ms;  // of a broker that says so
  const TimeSource* clocks = nullptr;      // another than the played one
  const Scratch scratch;

 private:
  static int64_t end_ms() { return boottime_ms() + test::kLastBoundMs; }

  struct Time final : TimeSource {
    explicit Time(const PlayedSite& of) : site(of) {}
    int64_t boottime_ms() const override { return site.now_ms; }
    std::string boot_id() const override { return site.boot; }
    const PlayedSite& site;
  };

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
    for (int i = 1; i <= busy_jobs_ + late_jobs_; ++i) {
      std::fprintf(trace, "%d %d 0 %d 1\n", i, i > busy_jobs_ ? 3 : 0, 99 + i);
    }
    std::fclose(trace);
    return made;
  }

  const Time time{*this};
  int32_t busy_jobs_;
  int32_t late_jobs_;
  std::optional<Channel> broker_;
  std::optional<Channel> line_;
  std::unique_ptr<Flaky> workload_;
  std::unique_ptr<Agent> agent_;
  std::string peer_;
  std::set<std::string> gone_;
  int sent_ = 0;  // by this life of the agent
  int came_ = 0;
  std::vector<wire::Message> seen_;
  uint64_t session_ = 0;
  uint64_t configured_ = 0;
};

}  // namespace leasehold::agent
