#include "broker/rules/plan/hosts/place.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/rules/plan/fixture.hpp"

using namespace leasehold;

namespace {

std::vector<PlanHost> hosts_of(const std::vector<std::pair<const char*, int64_t>>& types) {
  std::vector<PlanHost> hosts;
  for (const auto& [type, slots] : types) {
    PlanHost host;
    host.facts.name = "H" + std::to_string(hosts.size() + 1);
    host.facts.type = type;
    host.slots = slots;
    hosts.push_back(host);
  }
  return hosts;
}

std::string moves_text(const PlanFixture& scene, const PlacedMoves& placed) {
  const auto name = [&](uint32_t consumer, const char* nobody) {
    return consumer == kNoIndex ? nobody : scene.plan.consumers[consumer].path;
  };
  std::string text;
  for (const PlacedMove& move : placed.moves) {
    text += (text.empty() ? "" : ", ") + name(move.from, "idle") + ">" + name(move.to, "nobody") +
            " H" + std::to_string(move.host + 1) + ":" + std::to_string(move.slots);
  }
  for (const HostHolding& one : placed.missing) {
    text += ", missing " + name(one.consumer, "") + " " + std::to_string(one.slots);
  }
  return text;
}

std::string place(PlanFixture& scene, std::vector<PlanHost> hosts, Placement placement,
                  const std::vector<Selection>& select = {}) {
  scene.plan.placement = placement;
  return moves_text(scene, place_moves(scene.plan, *compile(scene.plan), scene.answer(),
                                       std::move(hosts), select));
}

Selection wants(const char* text) {
  return Selection::parse(text).value();
}

}  // namespace

TEST_CASE("three hosts of 8, A asks 5, then B 6") {
  PlanFixture scene("hybrid slots=24", {"/A owned=12 demand=5", "/B owned=12 demand=6"});
  const auto hosts = hosts_of({{"L", 8}, {"L", 8}, {"L", 8}});
  CHECK(place(scene, hosts, Placement::stacked) == "idle>/A H1:5, idle>/B H1:3, idle>/B H2:3");
  CHECK(place(scene, hosts, Placement::balanced) ==
        "idle>/A H1:2, idle>/A H2:2, idle>/A H3:1, idle>/B H3:2, idle>/B H1:2, idle>/B H2:2");
}

TEST_CASE("only slots that match the claimant's requirement count") {
  // "If the lending consumer needs a Windows slot, the system looks first for an analogous one."
  PlanFixture scene("hybrid slots=24",
                    {"/W owned=8 demand=6 allocated=2", "/A owned=8 demand=8 allocated=11",
                     "/B owned=8 demand=8 allocated=11"});
  auto hosts = hosts_of({{"LINUX", 8}, {"NT", 8}, {"LINUX", 8}});
  const uint32_t w = scene.find("/W");
  const uint32_t a = scene.find("/A");
  const uint32_t b = scene.find("/B");
  hosts[0].held = {{b, 8}};
  hosts[1].held = {{w, 2}, {a, 6}};
  hosts[2].held = {{a, 5}, {b, 3}};
  // By order B would lose; it holds nothing that matches: A loses instead, at most what it is above
  // its quota.
  CHECK(scene.moves() == "/B>/W 3, /A>/W 1");
  CHECK(place(scene, hosts, Placement::stacked, {wants("type==NT")}) == "/A>/W H2:3, missing /W 1");
  CHECK(place(scene, hosts, Placement::stacked) == "/B>/W H1:3, /A>/W H2:1");
  CHECK(place(scene, hosts, Placement::balanced) == "/B>/W H1:3, /A>/W H2:1");
  // Idle slots that do not match do not count either.
  PlanFixture idle("hybrid slots=16", {"/W owned=8 demand=6", "/B owned=8"});
  CHECK(place(idle, hosts_of({{"LINUX", 8}, {"NT", 8}}), Placement::stacked, {wants("type==NT")}) ==
        "idle>/W H2:6");
}

TEST_CASE("reclaim_before_borrow takes its own hosts back, not as many others") {
  PlanFixture scene("ownership slots=8 reclaim_before_borrow",
                    {"/A owned=4 lend_limit=4 demand=4",
                     "/B rank=0 demand=4 allocated=4 borrow_from=* loan=/A:4"});
  auto hosts = hosts_of({{"NT", 4}, {"LINUX", 4}});
  hosts[0].held = {{1, 4}};
  // Any slots will do: the borrower keeps those that it has, as shared ones.
  CHECK(scene.moves() == "idle>/A 4");
  CHECK(place(scene, hosts, Placement::stacked) == "idle>/A H2:4");
  // "owned resources are specially selected to run certain workload units"
  scene.plan.consumers[0].select = "type==NT";
  CHECK(scene.moves() == "idle>/B 4, /B>/A 4");
  CHECK(scene.row("/B").change == 0);
  CHECK(scene.row("/B").quota == 4);
  CHECK(place(scene, hosts, Placement::stacked, {wants("type==NT")}) == "/B>/A H1:4, idle>/B H2:4");
  // Idle slots that match are as good: then the borrower loses none, and gains none.
  hosts.front().slots = 8;
  CHECK(place(scene, hosts, Placement::stacked, {wants("type==NT")}) == "idle>/A H1:4");
  // By default borrowing and sharing come first.
  scene.plan.reclaim_before_borrow = false;
  CHECK(scene.moves() == "idle>/A 4");
}

TEST_CASE("what nobody takes comes from the last hosts") {
  PlanFixture scene("hybrid slots=24", {"/A owned=8 limit=5 demand=9 allocated=9"});
  auto hosts = hosts_of({{"L", 8}, {"L", 8}, {"L", 8}});
  hosts[0].held = {{0, 7}};
  hosts[2].held = {{0, 2}};
  CHECK(place(scene, hosts, Placement::stacked) == "/A>nobody H3:2, /A>nobody H1:2");
  hosts[1].held = {{0, 8}};
  CHECK(place(scene, hosts, Placement::stacked) == "/A>nobody H3:2, /A>nobody H2:2");
  hosts[1].held = {};
  hosts[0].held = {{0, 1}};  // less than the state says
  CHECK(place(scene, hosts, Placement::stacked) == "/A>nobody H3:2, /A>nobody H1:1");
  hosts[0].held = {{0, 7}};
  const PlacedMoves placed =
      place_moves(scene.plan, *compile(scene.plan), scene.answer(), hosts, {});
  CHECK(placed.hosts[0].held == std::vector<HostHolding>{{0, 5}});
}

TEST_CASE("work whose shapes are known gets slots of the hosts that it starts on, and no others") {
  PlanFixture scene("hybrid slots=8", {"/A owned=4 demand=4", "/B owned=4 demand=8 allocated=8"});
  auto hosts = hosts_of({{"L", 4}, {"L", 4}});
  for (PlanHost& host : hosts) host.held = {{scene.find("/B"), 4, 4}};
  CHECK(place(scene, hosts, Placement::stacked) == "/B>/A H1:4");
  hosts[1].wanted = {{scene.find("/A"), scene.find("/B"), 4}};
  CHECK(place(scene, hosts, Placement::stacked) == "/B>/A H2:4");
  CHECK(place(scene, hosts, Placement::balanced) == "/B>/A H2:4");

  PlanFixture idle("hybrid slots=8", {"/A owned=4 demand=4", "/B owned=4 demand=2 allocated=2"});
  hosts = hosts_of({{"L", 4}, {"L", 4}});
  hosts[1].held = {{idle.find("/B"), 2, 2}};
  hosts[1].wanted = {{idle.find("/A"), kNoIndex, 4}};
  CHECK(place(idle, hosts, Placement::stacked) == "idle>/A H2:2, missing /A 2");
}

TEST_CASE("a reserve is given beside what work starts on") {
  PlanFixture scene("hybrid slots=8", {"/A owned=4 reserved=4 demand=2", "/B owned=4"});
  auto hosts = hosts_of({{"L", 4}, {"L", 4}});
  hosts[1].wanted = {{scene.find("/A"), kNoIndex, 2}};
  CHECK(place(scene, hosts, Placement::stacked) == "idle>/A H2:2, idle>/A H1:2");
}

TEST_CASE(
    "hosts on which others' work is to start are left to these, where others will do as well") {
  // Symptom: a leaf of higher priority took two slots of the first host, the one that starts a job
  // of four was given the two others, and kept them idle.
  PlanFixture scene("hybrid slots=8", {"/B owned=4 demand=2", "/A owned=4 demand=4"});
  auto hosts = hosts_of({{"L", 4}, {"L", 4}});
  hosts[0].wanted = {{scene.find("/A"), kNoIndex, 4}};
  CHECK(place(scene, hosts, Placement::stacked) == "idle>/B H2:2, idle>/A H1:4");
  CHECK(place(scene, hosts, Placement::balanced) == "idle>/B H2:2, idle>/A H1:4");
  hosts[1].slots = 1;
  CHECK(place(scene, hosts, Placement::stacked) ==
        "idle>/B H2:1, idle>/B H1:1, idle>/A H1:3, missing /A 1");
}

TEST_CASE("idle slots on which their holder's work would start go last") {
  PlanFixture scene("hybrid slots=4", {"/A owned=2 demand=2", "/X owned=2 demand=2 allocated=4"});
  auto hosts = hosts_of({{"L", 2}, {"L", 2}});
  for (PlanHost& host : hosts) host.held = {{scene.find("/X"), 2}};
  CHECK(place(scene, hosts, Placement::stacked) == "/X>/A H1:2");
  hosts[0].held[0].needed = 2;
  CHECK(place(scene, hosts, Placement::stacked) == "/X>/A H2:2");
  CHECK(place(scene, hosts, Placement::balanced) == "/X>/A H2:2");
}

TEST_CASE("such slots go before those on which the work of a claimant to come starts") {
  PlanFixture scene("hybrid slots=4", {"/A owned=2 demand=2", "/B owned=2 demand=2",
                                       "/X owned=0 demand=4 allocated=4"});
  auto hosts = hosts_of({{"L", 2}, {"L", 2}});
  for (PlanHost& host : hosts) host.held = {{scene.find("/X"), 2}};
  hosts[0].wanted = {{scene.find("/B"), scene.find("/X"), 2}};
  hosts[1].held[0].needed = 2;
  CHECK(place(scene, hosts, Placement::stacked) == "/X>/A H2:2, /X>/B H1:2");
}
