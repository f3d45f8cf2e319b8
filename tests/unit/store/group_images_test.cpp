// Images of a plan's large group contain only the rows that changed, and lead to the same state.
#include <catch2/catch.hpp>
#include <functional>
#include <nlohmann/json.hpp>

#include "broker/core/model/turn/restart.hpp"
#include "broker/record/images/images.hpp"
#include "broker/record/state_bytes.hpp"
#include "tests/unit/core/plan/site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

using Json = nlohmann::json;

constexpr size_t kGroups = 8;  // parts of an image (broker/record/images/images.cpp)
constexpr size_t kGroupRows = 9;
enum Part : size_t { own, members, hosts, holdings, gone, transfers };

State large_site() {
  PlanSite site(plan_of({{"/a", "west", 300}, {"/b", "north", 300}, {"/c", "south", 300}}), 300, 3);
  return site.state;
}

struct Written {
  explicit Written(const State& from) : state(from), follower(from) {
    clear_marks(state);
    clear_marks(follower);
    images.begin(state);
  }
  /// Writes group 0, which is marked, and lets the follower apply it.
  Json write(GroupsAs as = GroupsAs::rows) {
    state.slot_groups[0].dirty = true;
    state.dirty_groups = {0};
    bytes.clear();
    images.write(state, bytes, as);
    clear_marks(state);
    REQUIRE(groups_as(bytes) ==
            (Json::from_msgpack(bytes).size() > kGroupRows ? GroupsAs::rows : GroupsAs::whole));
    REQUIRE(apply_images(bytes, follower).has_value());
    REQUIRE(all_of(follower) == all_of(state));
    return Json::from_msgpack(bytes);
  }
  static std::string all_of(const State& state) {
    std::string all;
    encode_state(state, all);
    return all;
  }
  SlotGroup& group() { return state.slot_groups[0]; }
  State state;
  State follower;
  ImageWriter images;
  std::string bytes;
};

Transfer numbered(uint64_t id, uint16_t from) {
  Transfer transfer;
  transfer.id = id;
  transfer.from = from;
  transfer.wanted = {{1, 1}};
  return transfer;
}

}  // namespace

TEST_CASE("of a large group the rows that changed are imaged") {
  Written written(large_site());
  REQUIRE(written.group().holdings.size() == 1200);
  const Json nothing = written.write();
  CHECK(nothing[kGroups].empty());
  for (const size_t part : {members, hosts, holdings, gone, transfers}) {
    CHECK(nothing[kGroupRows][0][1][part].empty());
  }
  const bool kept = GENERATE(true, false);
  if (kept) holding_index(written.group());
  written.write();
  written.group().at(7, 2).used = 3;
  written.group().at(7, 2).up = !written.group().at(7, 2).up;
  written.group().members[3].seq += 1;
  written.group().hosts[9].target = 1;
  written.group().epoch += 1;
  const Json one = written.write()[kGroupRows][0][1];
  REQUIRE(one[holdings].size() == 1);
  CHECK(one[holdings][0][0] == 7 * 4 + 2);
  CHECK(one[members][0][0] == 3);
  CHECK(one[hosts][0][0] == 9);
  CHECK(written.bytes.size() < 400);
}

TEST_CASE("of a large group's transfers those that are new, otherwise or gone are imaged") {
  Written written(large_site());
  for (const uint64_t id : {1, 4, 6}) written.group().transfers.push_back(numbered(id, 1));
  CHECK(written.write()[kGroupRows][0][1][transfers].size() == 3);
  written.group().transfers.erase(1);
  written.group().transfers.find(4)->slots_released = 1;
  written.group().transfers.push_back(numbered(8, 2));
  Json now = written.write()[kGroupRows][0][1];
  CHECK(now[gone] == Json::array({1}));
  CHECK(now[transfers].size() == 2);
  written.group().transfers.erase(8);
  now = written.write()[kGroupRows][0][1];
  CHECK(now[gone] == Json::array({8}));
}

TEST_CASE("after a start, with other hosts, and for who knows no rows a large group is whole") {
  Written written(large_site());
  SECTION("a start forgets members everywhere") {
    written.state.incarnation += 1;
    forget_process(written.state, false);
    forget_process(written.follower, false);
    CHECK(written.write()[kGroups].size() == 1);
  }
  SECTION("hosts that are new") {
    SlotGroup& group = written.group();
    group.hosts.push_back(group.hosts.back());
    group.holdings.resize(group.hosts.size() * group.members.size());
    group.holding_index.reset();
    CHECK(written.write()[kGroups].size() == 1);
  }
  SECTION("as programs wrote them before") {
    CHECK(written.write(GroupsAs::whole)[kGroups].size() == 1);
  }
  CHECK(written.write()[kGroups].empty());
}

TEST_CASE("that nobody waits for a lost cluster's report is said by its own image") {
  Written written(large_site());
  SlotGroup& group = written.group();
  REQUIRE(group.members[1].reported);
  Cluster& cluster = written.state.clusters[group.members[1].cluster];
  cluster.contact = Contact::lost;
  cluster.dirty = written.state.dirty_clusters = true;
  group.members[1].reported = false;
  CHECK(written.write()[kGroupRows][0][1][members].empty());
}

TEST_CASE("rows of a group that are none of it are refused") {
  Written written(large_site());
  written.group().transfers.push_back(numbered(5, 1));
  written.group().at(7, 2).used += 1;
  const State before = written.follower;
  const Json sound = written.write();
  const auto refused = [&](const std::function<void(Json&)>& change) {
    Json images = sound;
    change(images[kGroupRows]);
    const std::vector<uint8_t> packed = Json::to_msgpack(images);
    State state = before;
    return !apply_images(std::string(packed.begin(), packed.end()), state).has_value();
  };
  CHECK_FALSE(refused([](Json&) {}));
  CHECK(refused([](Json& rows) { rows = 7; }));
  CHECK(refused([](Json& rows) { rows[0] = 7; }));
  CHECK(refused([](Json& rows) { rows[0][0] = 1; }));  // no such group
  CHECK(refused([](Json& rows) { rows[0][1].erase(0); }));
  CHECK(refused([](Json& rows) { rows[0][1][own] = 7; }));
  CHECK(refused([](Json& rows) { rows[0][1][holdings] = 7; }));
  CHECK(refused([](Json& rows) { rows[0][1][holdings][0] = 7; }));
  CHECK(refused([](Json& rows) { rows[0][1][holdings][0][0] = 1200; }));
  CHECK(refused([](Json& rows) { rows[0][1][holdings][0][1] = 7; }));
  CHECK(refused([](Json& rows) { rows[0][1][gone] = 7; }));
  CHECK(refused([](Json& rows) { rows[0][1][transfers] = 7; }));
  CHECK(refused([](Json& rows) { rows[0][1][transfers].push_back(rows[0][1][transfers][0]); }) ==
        false);  // the same again
  CHECK(refused([](Json& rows) {
    rows[0][1][transfers].push_back(rows[0][1][transfers][0]);
    rows[0][1][transfers][1][1] = 2;  // from another member
  }));
  CHECK(refused([](Json& rows) {
    rows[0][1][transfers].push_back(rows[0][1][transfers][0]);
    rows[0][1][transfers][1][0] = 4;  // ids increase
  }));
}
