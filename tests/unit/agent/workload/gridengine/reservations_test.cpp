// Advance reservations: whose slots they take and when, and what becomes of fences there.
#include "agent/workload/gridengine/reservations.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/agent/workload/gridengine/recorded.hpp"
#include "tests/unit/agent/workload/gridengine/site.hpp"

namespace leasehold::agent {

namespace {

using test::changed;
using test::Played;
using test::PlayedReservation;
using test::recorded;

constexpr const char* kFrom = "2026-12-12T09:00:00";
constexpr const char* kUntil = "2026-12-12T17:00:00";

HostCap own_cap(const std::string& host, int32_t slots) {
  return {host, false, slots, 2, 0, 0, {{7, 0, slots - 2, 6}}, 0};
}

PlayedReservation reserved(const std::string& id, const std::string& name,
                           std::map<std::string, int> slots) {
  return {id, name, kFrom, kUntil, std::move(slots)};
}

GridEngineInstance instance(const std::string& queue, const std::string& host) {
  return {queue, host, 0, 0, 8, true};
}

int32_t used(const View& view, const std::string& host) {
  for (const HostLoad& one : view.loads) {
    if (one.host == host) return one.used;
  }
  return -1;
}

}  // namespace

TEST_CASE("Grid Engine printed: advance reservations in every state, and their slots") {
  const struct {
    const char* id;
    const char* name;
    const char* state;
    int64_t hours;
    std::vector<std::pair<std::string, int32_t>> slots;
  } rows[] = {{"16", "course", "w", 4, {{"all.q@big1", 8}}},
              {"17", "spread", "W", 48, {{"all.q@big2", 8}, {"all.q@big3", 4}}},
              {"18", "now", "E", 6, {{"all.q@big3", 4}}},
              {"19", "runs", "r", 6, {{"all.q@big2", 2}}},
              {"20", "gone", "d", 6, {{"all.q@big2", 1}}},
              {"22", "other", "w", 1, {{"long.q@big1", 3}}},
              {"23", "", "w", 1, {{"all.q@big1", 1}}}};
  const auto listed = parse_qrstat(recorded("qrstat.xml"));
  const auto details = parse_qrstat(recorded("qrstat_ar.xml"));
  REQUIRE(listed.has_value());
  REQUIRE(details.has_value());
  REQUIRE(listed->made.size() == std::size(rows));
  REQUIRE(details->made.size() == std::size(rows));
  for (size_t i = 0; i < std::size(rows); ++i) {
    INFO(rows[i].id);
    for (const GridEngineReservation& one : {listed->made[i], details->made[i]}) {
      CHECK(one.id == rows[i].id);
      CHECK(one.name == rows[i].name);
      CHECK(one.state == rows[i].state);
      CHECK(one.ends - one.begins == rows[i].hours * 3'600'000);
    }
    CHECK(listed->made[i].slots.empty());
    CHECK(details->made[i].slots == rows[i].slots);
  }
  CHECK(listed->made[0].begins == Instant{1'796'043'751'000});
  CHECK(details->unknown.empty());
}

TEST_CASE("Grid Engine: what is not understood of a reservation is said, or refused as a whole") {
  const std::string good = recorded("qrstat_ar.xml");
  const struct {
    std::string text;
    const char* said;
  } unknown[] = {{changed(good, "<state>W</state>", "<state>Q</state>"), "unknown state 'Q'"},
                 {changed(good, "2026-12-21T11:02:32", "soon"), "'soon' is not a time"},
                 {changed(good, "</qrstat>", "<ar_cloud/></qrstat>"), "<ar_cloud>"}};
  for (const auto& row : unknown) {
    INFO(row.said);
    const auto found = parse_qrstat(row.text);
    REQUIRE(found.has_value());
    CHECK(found->made.size() == 7);
    REQUIRE(found->unknown.size() == 1);
    CHECK(found->unknown[0].find(row.said) != std::string::npos);
  }
  for (const std::string& bad :
       {std::string(), good.substr(0, good.size() / 2),
        changed(good, "slots=\"8\"", "slots=\"-8\""), changed(good, "all.q@big1", "all.q"),
        changed(good, "<id>16</id>", "<id>x</id>")}) {
    INFO(bad.substr(0, 200));
    CHECK_FALSE(parse_qrstat(bad).has_value());
  }
  // Names are printed as they are.
  CHECK(parse_qrstat(changed(good, "<name>course<", "<name>a<b&c<"))->made[0].name == "a<b&c");
  const auto gone = parse_qrstat("<qrstat><ar_unknown><id>99</id></ar_unknown></qrstat>");
  REQUIRE(gone.has_value());
  CHECK(gone->made.empty());
  CHECK(gone->unknown.empty());
}

TEST_CASE("Grid Engine: a host has a horizon where reservations take all of its slots at once") {
  Played played;
  played.cell.before = [](const std::string& command) -> std::optional<CallAnswer> {
    if (command.rfind("qrstat -ar ", 0) == 0) return CallAnswer{0, recorded("qrstat_ar.xml"), ""};
    if (command.rfind("qrstat ", 0) == 0) return CallAnswer{0, recorded("qrstat.xml"), ""};
    return std::nullopt;
  };
  const GridEngineCell cell(played.settings, 1'000, played.cell.caller());
  ReservedSlots slots(cell);
  slots.refresh();
  CHECK(slots.on(instance("all.q", "big1")) == 8);
  CHECK(slots.on(instance("all.q", "big2")) == 8);
  CHECK(slots.on(instance("all.q", "big3")) == 4);
  CHECK(slots.on(instance("long.q", "big1")) == 3);
  CHECK(slots.on(instance("long.q", "big2")) == 0);
  const auto course = slots.horizon(instance("all.q", "big1"), 8);
  REQUIRE(course.has_value());
  CHECK(*course == wire::Horizon{"16 course", 1'796'043'751'000, 1'796'058'151'000});
  CHECK(slots.horizon(instance("all.q", "big2"), 8)->name == "17 spread");
  CHECK_FALSE(slots.horizon(instance("all.q", "big3"), 8).has_value());
  CHECK(slots.horizon(instance("all.q", "big3"), 4)->name == "18 now");
  std::vector<std::string> cautions;
  slots.add_to(cautions);
  REQUIRE(cautions.size() == 6);  // the one in another queue is no matter of this agent
  CHECK(cautions[1] ==
        "advance reservation 17 spread begins 2026-12-21T11:02:32.000Z and ends "
        "2026-12-23T11:02:32.000Z: until then its slots of big2 and 1 more count as used, because "
        "Grid Engine refuses to close them; qrdel 17 gives them back");
}

TEST_CASE("Grid Engine: reservations that overlap are added up, others are not") {
  Played played;
  auto& made = played.cell.reservations;
  made = {reserved("1", "a", {{"all.q@big1", 5}}), reserved("2", "b", {{"all.q@big1", 3}}),
          reserved("3", "c", {{"all.q@big1", 3}})};
  made[1].begins = "2026-12-12T16:00:00";
  made[1].ends = "2026-12-12T18:00:00";
  made[2].begins = kUntil;  // begins as the first one ends
  made[2].ends = "2026-12-12T20:00:00";
  const GridEngineCell cell(played.settings, 1'000, played.cell.caller());
  ReservedSlots slots(cell);
  slots.refresh();
  CHECK(slots.on(instance("all.q", "big1")) == 8);
  CHECK(slots.horizon(instance("all.q", "big1"), 8)->name == "2 b");
  made.erase(made.begin() + 1);
  slots.refresh();
  CHECK(slots.on(instance("all.q", "big1")) == 5);
  CHECK_FALSE(slots.horizon(instance("all.q", "big1"), 8).has_value());
}

TEST_CASE("Grid Engine: a reservation of a part takes its slots, and fences stand beside it") {
  // Symptom: Grid Engine refused the lowering, and with it those of all other hosts, at each look;
  // the cluster was degraded.
  Played played;
  played.cell.reservations = {reserved("4", "course", {{"all.q@big1", 5}, {"long.q@big2", 8}})};
  Workload& workload = played.open();
  const View before = played.look();
  CHECK(used(before, "big1") == 5);
  CHECK(used(before, "big2") == 0);  // another queue's
  CHECK(before.running == 0);
  CHECK_FALSE(before.hosts[0].horizon.has_value());
  const std::vector<HostCap> caps{own_cap("big1", 2), own_cap("big2", 2)};
  REQUIRE(workload.enforce(caps).has_value());
  CHECK(played.cell.entries.at("big1") == 5);
  CHECK(played.cell.entries.at("big2") == 2);
  CHECK(played.look().caps == caps);  // nobody starts beyond them but what counts as used
  played.cell.reservations.clear();
  const View after = played.look();
  CHECK(used(after, "big1") == 0);
  CHECK(after.caps[0].slots == 5);
  REQUIRE(workload.enforce(std::vector<HostCap>{own_cap("big1", 2)}).has_value());
  CHECK(played.cell.entries.at("big1") == 2);
}

TEST_CASE("Grid Engine: a reservation of a whole host is its horizon, and is said") {
  Played played;
  played.cell.reservations = {reserved("4", "course", {{"all.q@big1", 8}})};
  played.open();
  const View view = played.look();
  CHECK(view.loads[0].up);
  CHECK(used(view, "big1") == 8);
  REQUIRE(view.hosts[0].horizon.has_value());
  CHECK(view.hosts[0].horizon->name == "4 course");
  CHECK(format_utc({view.hosts[0].horizon->from_ms}) == std::string(kFrom) + ".000Z");
  CHECK(format_utc({view.hosts[0].horizon->until_ms}) == std::string(kUntil) + ".000Z");
  CHECK_FALSE(view.hosts[1].horizon.has_value());
  REQUIRE(played.workload->cautions()->size() == 1);
  CHECK(played.workload->cautions()->front().find("reservation 4 course begins") !=
        std::string::npos);
}

TEST_CASE("Grid Engine: borrowed slots that somebody reserved stay open and count as used") {
  Played played;
  played.adapter.names.map = {{"far@west", "imp-far"}};
  played.cell.entries["imp-far"] = 8;
  played.cell.reservations = {reserved("4", "own", {{"all.q@imp-far", 3}})};
  Workload& workload = played.open();
  CHECK(played.cell.entries.at("imp-far") == 3);
  CHECK(used(played.look(), "imp-far") == 3);
  CHECK(workload.leave()->front().find("imp-far has 3 slots") != std::string::npos);
  played.cell.reservations.clear();
  REQUIRE(played.look().caps.size() == 1);  // it is to be closed
  const HostCap closed{"imp-far", true, 0, 0, 0, 0, {}, 0};
  REQUIRE(workload.enforce(std::span(&closed, 1)).has_value());
  CHECK(played.cell.entries.at("imp-far") == 0);
}

TEST_CASE("Grid Engine: jobs that may run still count beside a reservation to come") {
  Played played;
  played.cell.jobs = {{"7", "big1", 3}};
  played.cell.reservations = {reserved("4", "a", {{"all.q@big1", 5}})};
  played.open();
  CHECK(used(played.look(), "big1") == 8);
  played.cell.reservations.clear();
  CHECK(used(played.look(), "big1") == 3);
}

TEST_CASE("Grid Engine: one reserved slot kept all work of a host from being ended") {
  Played played;
  played.cell.jobs = {{"1", "big1", 1}, {"2", "big1", 7}};
  played.cell.reservations = {reserved("4", "a", {{"all.q@big1", 1}})};
  Workload& workload = played.open();
  const HostCap all_lent{"big1", false, 0, 0, 0, 0, {{7, 0, 0, 8}}, 0};
  REQUIRE(workload.enforce(std::span(&all_lent, 1)).has_value());
  REQUIRE(workload.end_and_requeue({"1"}).has_value());
  CHECK(played.cell.entries.at("big1") == 1);
  REQUIRE(played.cell.requeued.size() == 1);
  CHECK(played.cell.requeued[0].id == "1");
}

TEST_CASE("Grid Engine: a host whose reservations nobody tells keeps no other from being fenced") {
  Played played;
  played.cell.reservations = {reserved("4", "a", {{"all.q@big1", 5}})};
  played.cell.before = [](const std::string& command) -> std::optional<CallAnswer> {
    if (command.rfind("qrstat ", 0) != 0) return std::nullopt;
    return CallAnswer{1, "", "error: unknown program"};
  };
  Workload& workload = played.open();
  const std::vector<HostCap> caps{own_cap("big1", 2), own_cap("big2", 2)};
  CHECK_FALSE(workload.enforce(caps).has_value());
  CHECK(played.cell.slots_of("big1") == 8);
  CHECK(played.cell.slots_of("big2") == 2);
}

TEST_CASE("Grid Engine: reservations take one call a look, and one more where one is new") {
  Played played;
  played.cell.reservations = {reserved("4", "a", {{"all.q@big1", 5}})};
  played.open();
  auto& asked = played.cell.reservations_asked;
  CHECK(asked == std::vector<std::string>{"qrstat -u * -xml", "qrstat -ar 4 -xml"});
  asked.clear();
  played.look();
  CHECK(asked == std::vector<std::string>{"qrstat -u * -xml"});
  asked.clear();
  played.cell.reservations.push_back(reserved("5", "b", {{"all.q@big2", 4}}));
  CHECK(used(played.look(), "big2") == 4);
  CHECK(asked == std::vector<std::string>{"qrstat -u * -xml", "qrstat -ar 5 -xml"});
  played.cell.reservations[0].ends = "2026-12-13T17:00:00";  // altered
  played.cell.reservations[0].slots = {{"all.q@big1", 6}};
  CHECK(used(played.look(), "big1") == 6);
}

TEST_CASE("Grid Engine: a cell that does not tell its reservations is seen all the same") {
  Played played;
  played.cell.reservations = {reserved("4", "a", {{"all.q@big1", 5}})};
  played.open();
  bool broken = true;
  int calls = 0;
  played.cell.before = [&](const std::string& command) -> std::optional<CallAnswer> {
    if (command.rfind("qrstat ", 0) != 0 || !broken) return std::nullopt;
    ++calls;
    return CallAnswer{1, "", "error: unknown program"};
  };
  for (int i = 0; i < 10; ++i) CHECK(used(played.look(), "big1") == 5);  // as last known
  CHECK(calls == 1);
  REQUIRE(played.workload->cautions()->size() == 2);
  CHECK(played.workload->cautions()->back().find("reservations are as last known") !=
        std::string::npos);
  broken = false;
  played.cell.reservations.clear();
  CHECK(used(played.look(), "big1") == 0);
  CHECK(played.workload->cautions()->empty());
}

}  // namespace leasehold::agent
