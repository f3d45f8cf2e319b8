// LossWatch alone: when an agent counts as lost, and until when its leases may have been renewed.
#include "broker/ports/agents/loss_watch.hpp"

#include "tests/unit/broker/port_fixture.hpp"

namespace leasehold {

using namespace port_fixture;

namespace {

constexpr int64_t kTimeoutMs = 60'000;

/// A state with one cluster, whose agent has a session since `now`.
struct East {
  East() {
    state.config.agent_timeout_ms = kTimeoutMs;
    Cluster& cluster = state.clusters.emplace_back();
    cluster.name = "east";
    cluster.contact = Contact::ok;
    cluster.session = 11;
    state.cluster_index.emplace("east", 0);
    const Frame frame{"r", {}, ""};
    sessions.open({state, now, frame, sink}, hello("east", 11));
    watch.watch(0, now + kTimeoutMs);
  }
  /// Takes a turn so long after the last one.
  void pass(int64_t duration_ms) {
    now.ms += duration_ms;
    watch.begin_turn(now);
  }
  void find() { watch.find_lost(state, now, sink); }
  Peer& peer() { return *sessions.find("east"); }

  State state;
  Instant now{1'000'000};
  std::vector<AgentLost> lost;
  EventSink sink = [this](const Event& event) {
    if (const auto* found = std::get_if<AgentLost>(&event)) {
      lost.push_back(*found);
      state.clusters[0].contact = Contact::lost;
    }
    return int64_t{0};
  };
  Wire wire;
  TestExchange exchange{wire};
  PortTurn turn;
  Epochs epochs;
  Replies replies{turn, epochs, exchange};
  Sessions sessions{replies};
  RecordShare record{turn};
  LossWatch watch{sessions, record};
};

}  // namespace

TEST_CASE("an agent is lost once it was not heard for agent_timeout, and its session is over") {
  East east;
  east.pass(kTimeoutMs - 1);
  east.find();
  CHECK(east.lost.empty());
  CHECK(east.watch.next() == Instant{1'000'000 + kTimeoutMs});
  east.pass(1);
  east.find();
  REQUIRE(east.lost.size() == 1);
  CHECK_FALSE(east.lost[0].stopped);
  CHECK(east.peer().session == 0);
  east.pass(kTimeoutMs);
  east.find();
  CHECK(east.lost.size() == 1);
}

TEST_CASE("an agent that says that it is being stopped is lost at once") {
  East east;
  east.peer().contact.stopping = true;
  east.watch.watch(0, east.now);
  east.find();
  REQUIRE(east.lost.size() == 1);
  CHECK(east.lost[0].stopped);
}

TEST_CASE("leases may go on by an answer until the turn after that in which it left") {
  East east;
  east.pass(kTimeoutMs);
  east.watch.renew(east.peer());
  east.find();
  CHECK(east.lost.empty());  // the next turn stamps the answer
  east.pass(70);
  east.find();
  REQUIRE(east.lost.size() == 1);
  CHECK(east.lost[0].renewed_at == Instant{1'000'000 + kTimeoutMs + 70});
}

}  // namespace leasehold
