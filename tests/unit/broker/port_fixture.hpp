// PortFixture is an AgentPort with a core behind it, and peers whose frames a test puts in.
#pragma once

#include <catch2/catch.hpp>
#include <deque>

#include "broker/core/step.hpp"
#include "broker/ports/agents/port.hpp"
#include "broker/store/coming_row.hpp"

namespace leasehold::port_fixture {

inline constexpr uint64_t kIncarnation = 7;
inline const std::string kEast(40, 'e');
inline const std::string kEastNext(40, 'f');
inline const std::string kWest(40, 'w');

/// Frames that a test puts in, and the answers with their peers.
struct Wire {
  std::deque<Frame> in;
  std::vector<std::pair<std::string, wire::Message>> out;
};

class TestExchange : public Exchange {
 public:
  explicit TestExchange(Wire& wire) : wire_(wire) {}
  bool receive_into(Frame& frame) override {
    if (wire_.in.empty()) return false;
    frame = wire_.in.front();
    wire_.in.pop_front();
    return true;
  }
  bool send(const std::string& peer, std::span<const uint8_t> bytes) override {
    wire_.out.emplace_back(peer, wire::decode(bytes).value());
    return true;
  }

 private:
  Wire& wire_;
};

inline BrokerConfig config_with(const std::string& east_keys) {
  BrokerConfig config;
  for (const auto& [name, key] : {std::pair{"east", east_keys}, std::pair{"west", kWest}}) {
    ClusterConfig cluster;
    cluster.name = name;
    cluster.public_key = key;
    config.clusters.push_back(cluster);
  }
  return config;
}

/// A port with a core behind it, which commits after each read().
class PortFixture {
 public:
  explicit PortFixture(const std::string& east_keys = kEast) {
    feed(BrokerStarted{kIncarnation, false});
    load(east_keys);
  }

  void load(const std::string& east_keys) {
    feed(ConfigLoaded{config_with(east_keys), {}, "start"});
    port_.check_keys(state_);
  }

  void put(const std::string& peer, const std::string& key, const wire::Message& message) {
    wire_.in.push_back({peer, wire::encode(message), key});
  }

  /// Reads the frames that were put in, and returns the answers.
  std::vector<std::pair<std::string, wire::Message>> read() {
    const AgentPort::Sink sink = [this](const Event& event) { return feed(event); };
    port_.read(state_, now_, 10'000, sink);
    port_.find_lost(state_, now_, sink);
    commit();
    now_.ms += 1;
    return std::exchange(wire_.out, {});
  }

  /// Does the same for a broker that stands by.
  std::vector<std::pair<std::string, wire::Message>> redirect(const std::string& elsewhere) {
    port_.redirect(now_, boottime_ms_, elsewhere, 10'000);
    return std::exchange(wire_.out, {});
  }

  /// Returns "welcome", a refusal's reason, or "taken".
  std::string say(const std::string& peer, const std::string& key, const wire::Message& message) {
    put(peer, key, message);
    for (const auto& [to, answer] : read()) {
      CHECK(to == peer);
      if (std::holds_alternative<wire::Welcome>(answer)) return "welcome";
      if (const auto* refusal = std::get_if<wire::Refusal>(&answer)) {
        return std::string(token(refusal->reason));
      }
    }
    return "taken";
  }

  Contact contact(const std::string& cluster) const {
    return state_.clusters[find_cluster(state_, cluster)].contact;
  }
  AgentPort& port() { return port_; }
  const State& state() const { return state_; }
  void pass(int64_t duration_ms) {
    now_.ms += duration_ms;
    boottime_ms_ += duration_ms;
  }
  void set_clock(int64_t by_ms) { now_.ms += by_ms; }
  Instant now() const { return now_; }
  int64_t boottime_ms() const { return boottime_ms_; }
  std::vector<std::string> hosts(const std::string& cluster) const {
    std::vector<std::string> names;
    for (const Host& host : state_.clusters[find_cluster(state_, cluster)].hosts) {
      if (host.present) names.push_back(host.facts.name);
    }
    return names;
  }
  int64_t pending(const std::string& cluster) const {
    return state_.clusters[find_cluster(state_, cluster)].pending;
  }
  int alarms = 0;
  int stepped = 0;     // events
  int64_t logged = 0;  // bytes

 private:
  /// Returns how many bytes the log has of the event, as a store does.
  int64_t feed(const Event& event) {
    Effects effects;
    ++stepped;
    const bool changed = step(state_, event, now_, effects);
    for (const Record& row : effects.records) alarms += row.kind == RecordKind::alarm ? 1 : 0;
    const int64_t before = coming_.bytes();
    if (changed) coming_.add(event, now_, effects.records, state_);
    port_.send(state_, now_, effects);
    return coming_.bytes() - before;
  }
  void commit() {
    const int64_t events = coming_.bytes();
    if (!coming_.is_empty()) coming_.make(state_, 0, end_);
    clear_marks(state_);
    port_.recorded(events, events > 0 ? coming_.row_bytes() : 0);
    logged += events > 0 ? coming_.row_bytes() : 0;
  }

  Wire wire_;
  State state_;
  ComingRow coming_;
  LogEnd end_;
  Instant now_{1'000'000'000'000};
  int64_t boottime_ms_ = 90'000;
  AgentPort port_{std::make_unique<TestExchange>(wire_)};
};

inline wire::Hello hello(const std::string& cluster, uint64_t session, uint64_t boot = 1) {
  wire::Hello said;
  said.cluster = cluster;
  said.incarnation = kIncarnation;
  said.state_id = 5;
  said.boot = boot;
  said.session = session;
  said.has_state = false;
  return said;
}

inline wire::Heartbeat beat(uint64_t session) {
  wire::Heartbeat said;
  said.session = session;
  said.number = 1;
  return said;
}

inline wire::Report report(uint64_t session, uint64_t number, int64_t pending) {
  wire::Report said;
  said.session = session;
  said.number = number;
  said.full = true;
  said.configuration = 1;
  said.pending = pending;
  return said;
}

}  // namespace leasehold::port_fixture
