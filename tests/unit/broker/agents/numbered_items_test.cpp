// NumberedItems alone: what of it is new, and when it counts as recorded.
#include "broker/ports/agents/statements/numbered_items.hpp"

#include <catch2/catch.hpp>

namespace leasehold {

namespace {

/// East's agent, whose ended work is stepped into a list.
struct East {
  East() {
    state.clusters.emplace_back().name = "east";
    state.cluster_index.emplace("east", 0);
    peer.cluster = "east";
    peer.state_id = 5;
  }
  void say(std::initializer_list<uint64_t> numbers) {
    std::vector<wire::EndedWork> list;
    for (const uint64_t number : numbers) list.emplace_back().number = number;
    ended.note(peer, list);
  }
  std::vector<uint64_t> step() {
    std::vector<uint64_t> stepped;
    ended.step(state, [&](const Event& event) {
      if (const auto* work = std::get_if<WorkEnded>(&event)) {
        for (const wire::EndedWork& each : work->work) stepped.push_back(each.number);
      }
      return 100;
    });
    return stepped;
  }

  State state;
  Peer peer;
  PortTurn turn;
  RecordShare record{turn};
  EndedWork ended{record};
};

using Stepped = std::vector<uint64_t>;

}  // namespace

TEST_CASE("ended work that is said again is not recorded again") {
  East east;
  east.say({1, 2});
  east.say({1, 2, 3});
  CHECK(east.step() == Stepped{1, 2, 3});
  east.ended.begin_turn();
  east.say({2, 3, 4});
  CHECK(east.step() == Stepped{4});
}

TEST_CASE("ended work counts as recorded from the turn after that in which it was stepped") {
  East east;
  east.say({1});
  east.step();
  CHECK(east.ended.recorded(east.peer) == 0);
  east.ended.begin_turn();
  CHECK(east.ended.recorded(east.peer) == 1);
  east.peer.state_id = 6;  // another state counts from 1 again
  CHECK(east.ended.recorded(east.peer) == 0);
  east.say({1});
  CHECK(east.step() == Stepped{1});
}

TEST_CASE("ended work of a cluster that may add nothing to the record is taken when it may") {
  East east;
  east.record.limit(3'600);
  east.record.step("east", WorkEnded{"east", {}}, [](const Event&) { return 1'000'000; });
  east.say({1});
  CHECK(east.step().empty());
  east.record.limit(0);
  east.say({1});
  CHECK(east.step() == Stepped{1});
}

TEST_CASE("who used borrowed slots is recorded with the state of the agent that counts") {
  East east;
  UsedSlots used{east.record};
  std::vector<wire::UsedSlots> said(wire::kUsedSlotsMost + 1);
  for (size_t i = 0; i < said.size(); ++i) said[i].number = i + 1;
  used.note(east.peer, said);
  std::vector<SlotsUsed> stepped;
  const auto sink = [&](const Event& event) {
    stepped.push_back(std::get<SlotsUsed>(event));
    return 100;
  };
  used.step(east.state, sink);
  REQUIRE(stepped.size() == 1);
  CHECK(stepped[0].cluster == "east");
  CHECK(stepped[0].state_id == 5);
  CHECK(stepped[0].used.size() == wire::kUsedSlotsMost);
  CHECK(used.recorded(east.peer) == 0);
  used.begin_turn();
  CHECK(used.recorded(east.peer) == wire::kUsedSlotsMost);
}

}  // namespace leasehold
