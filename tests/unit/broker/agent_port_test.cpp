// AgentPort against frames of many peers: whose words count for which cluster.
#include "broker/io/agent_port.hpp"

#include <catch2/catch.hpp>
#include <deque>

#include "broker/core/step.hpp"

namespace leasehold {

namespace {

constexpr uint64_t kIncarnation = 7;
const std::string kEast(40, 'e');
const std::string kEastNext(40, 'f');
const std::string kWest(40, 'w');

/// Frames that a test puts in, and what was answered to whom.
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

BrokerConfig config_with(const std::string& east_keys) {
  BrokerConfig config;
  for (const auto& [name, key] : {std::pair{"east", east_keys}, std::pair{"west", kWest}}) {
    ClusterConfig cluster;
    cluster.name = name;
    cluster.public_key = key;
    config.clusters.push_back(cluster);
  }
  return config;
}

/// A port with a core behind it.
class Place {
 public:
  explicit Place(const std::string& east_keys = kEast) {
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

  /// Reads what was put; what was answered.
  std::vector<std::pair<std::string, wire::Message>> read() {
    const AgentPort::Sink sink = [this](const Event& event) { feed(event); };
    port_.read(state_, now_, 10'000, sink);
    port_.find_lost(state_, now_, sink);
    now_.ms += 1;
    return std::exchange(wire_.out, {});
  }

  /// "welcome", a refusal's reason, or "taken".
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
  Instant now() const { return now_; }

 private:
  void feed(const Event& event) {
    Effects effects;
    step(state_, event, now_, effects);
    port_.send(state_, now_, effects);
  }

  Wire wire_;
  State state_;
  Instant now_{1'000'000'000'000};
  AgentPort port_{std::make_unique<TestExchange>(wire_)};
};

wire::Hello hello(const std::string& cluster, uint64_t session, uint64_t boot = 1) {
  wire::Hello said;
  said.cluster = cluster;
  said.incarnation = kIncarnation;
  said.state_id = 5;
  said.boot = boot;
  said.session = session;
  said.has_state = false;
  return said;
}

wire::Heartbeat beat(uint64_t session) {
  wire::Heartbeat said;
  said.session = session;
  said.number = 1;
  return said;
}

}  // namespace

TEST_CASE("a hello is taken for the cluster of its connection's key alone") {
  struct Row {
    const char* cluster;
    std::string key;
    const char* answer;
  };
  const Row rows[] = {
      {"east", kEast, "taken"},
      {"east", kEastNext, "taken"},
      {"west", kWest, "taken"},
      {"east", kWest, "wrong-key"},
      {"west", kEast, "wrong-key"},
      {"west", kEastNext, "wrong-key"},
      {"east", "", "taken"},
      {"south", kEast, "unknown-cluster"},
      {"east", std::string(40, 'x'), "wrong-key"},
  };
  for (const Row& row : rows) {
    Place place(kEast + " " + kEastNext);
    INFO(row.cluster << " with " << row.key);
    CHECK(place.say("r", row.key, hello(row.cluster, 11)) == row.answer);
    const bool known = std::string(row.cluster) != "south";
    if (known)
      CHECK((place.contact(row.cluster) == Contact::ok) == (std::string(row.answer) == "taken"));
  }
}

TEST_CASE("a wrong key hears nothing else of the cluster's state") {
  Place place;
  REQUIRE(place.say("r", kEast, hello("east", 11)) == "taken");
  // Neither that another agent is there, nor that its welcome is old.
  CHECK(place.say("s", kWest, hello("east", 12)) == "wrong-key");
  wire::Hello stale = hello("east", 13);
  stale.incarnation = kIncarnation + 1;
  CHECK(place.say("s", kWest, stale) == "wrong-key");
  CHECK(place.say("r", kEast, beat(11)) == "taken");
}

TEST_CASE("a session belongs to its route and its key together") {
  Place place;
  REQUIRE(place.say("r", kEast, hello("east", 11)) == "taken");
  CHECK(place.say("s", kWest, beat(11)) == "welcome");    // another route, which has no session
  CHECK(place.say("r", kWest, beat(11)) == "wrong-key");  // the route's name taken over
  CHECK(place.say("r", kEast, beat(11)) == "taken");
}

TEST_CASE("a session ends with its key, and its agent is lost at once") {
  Place place(kEast + " " + kEastNext);
  REQUIRE(place.say("r", kEast, hello("east", 11)) == "taken");
  place.load(kEast);
  place.read();
  CHECK(place.contact("east") == Contact::ok);
  place.load(kEastNext);
  place.read();
  place.read();
  CHECK(place.contact("east") == Contact::lost);
  CHECK(place.say("r", kEast, beat(11)) == "welcome");
  CHECK(place.say("r", kEast, hello("east", 12, 2)) == "wrong-key");
  CHECK(place.say("s", kEastNext, hello("east", 13, 3)) == "taken");
  CHECK(place.contact("east") == Contact::ok);
}

TEST_CASE("an agent whose last word is that it is stopped is lost at once, not at agent_timeout") {
  Place place;
  REQUIRE(place.say("r", kEast, hello("east", 11)) == "taken");
  wire::Heartbeat last = beat(11);
  last.stopping = true;
  place.put("r", kEast, beat(11));  // answered in the same turn: the next one knows by when
  place.put("r", kEast, last);
  const auto answers = place.read();
  CHECK(answers.size() == 1);  // the last word is not answered: nothing is renewed by it
  CHECK(place.contact("east") == Contact::ok);
  CHECK(place.port().next_loss(place.state()) <= place.now());
  place.read();
  CHECK(place.contact("east") == Contact::lost);
  CHECK(place.state().clusters[find_cluster(place.state(), "east")].stopped);
  CHECK(place.say("s", kEast, hello("east", 12, 2)) == "taken");
  CHECK_FALSE(place.state().clusters[find_cluster(place.state(), "east")].stopped);
  CHECK(place.port().next_loss(place.state()) > place.now());
}

TEST_CASE("who sends too much loses it, hears so once, and holds nobody up") {
  Place place;
  place.port().limit_rate(100);
  REQUIRE(place.say("r", kEast, hello("east", 11)) == "taken");
  for (int i = 0; i < 5'000; ++i) place.put("s" + std::to_string(i % 7), kWest, beat(99));
  place.put("r", kEast, beat(11));
  int refused = 0;
  int welcomed = 0;
  int answered = 0;
  for (const auto& [to, answer] : place.read()) {
    const auto* refusal = std::get_if<wire::Refusal>(&answer);
    refused += refusal != nullptr && refusal->reason == Reason::over_rate ? 1 : 0;
    welcomed += std::holds_alternative<wire::Welcome>(answer) ? 1 : 0;
    answered += std::holds_alternative<wire::HeartbeatAnswer>(answer) && to == "r" ? 1 : 0;
  }
  CHECK(refused == 1);  // one key, however many connections
  CHECK(welcomed == PeerRates::kSavedLeast);
  CHECK(answered == 1);
  CHECK(place.port().over_rate() == 5'000 - static_cast<uint64_t>(PeerRates::kSavedLeast));
  CHECK(place.port().liveness().clusters["west"].dropped == 0);  // nobody has said that it is west
  for (int i = 0; i < 5'000; ++i) place.put("r", kEast, beat(11));
  place.read();
  CHECK(place.port().liveness().clusters["east"].dropped > 3'900);
}

}  // namespace leasehold
