// These tests show what becomes of work that had to end (agent/core/reclaim/fates.hpp).
#include "agent/core/reclaim/fates.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/agent/core/reclaim/made_sets.hpp"

using namespace leasehold;
using namespace leasehold::agent;

namespace {

using How = JobEnd::How;
using Ids = std::vector<std::string>;
using wire::Fate;

WorkUnit running(const std::string& id, int64_t started_ms = 100) {
  WorkUnit unit;
  unit.id = id;
  unit.hosts = {{"h1", 2}};
  unit.slots = 2;
  unit.started = {started_ms};
  unit.user = "ann";
  unit.account = "physics";
  return unit;
}

WorkUnit waiting_unit(const std::string& id) {
  WorkUnit unit;
  unit.id = id;
  unit.slots = 2;
  return unit;
}

/// A moment at which no clock has been set.
FateMoment at(int64_t ms) {
  return {ms, ms};
}

WorkUnit running_on(const std::string& id, const std::string& host) {
  WorkUnit unit = running(id);
  unit.hosts = {{host, 2}};
  return unit;
}

/// One job has been signalled at 1000, for group 7.
Fates asked(bool ordered = false) {
  Fates fates;
  REQUIRE(fates.ask(running("1"), "user ann", 7, Reason::reclaim_owned, ordered, 1'000));
  return fates;
}

}  // namespace

TEST_CASE("of the jobs that run on leased slots those are told that a reclaim ends for good") {
  std::vector<WorkUnit> units{
      running_on("a", "h0@west"),       running_on("requeueable", "h0@west"),
      running_on("ending", "h0@north"), running_on("own", "big1"),
      running_on("b", "big1"),          waiting_unit("waits")};
  units[4].hosts.push_back({"h1@west", 1});
  for (WorkUnit& unit : units) unit.requeueable = unit.id == "requeueable";
  units[2].ending = true;
  Ids ids;
  for (const WorkUnit& unit : final_ones(made_book(), units)) ids.push_back(unit.id);
  CHECK(ids == Ids{"a", "b"});
}

TEST_CASE("a job's slots are wanted back by who reclaims its host, or a set with it") {
  Book book = made_book();
  const WorkUnit on_north = running_on("1", "h0@north");
  const WorkUnit on_west = running_on("2", "h1@west");
  CHECK(wanted_for(book, {}, on_north) == 0);
  auto& lowering = book.find(8)->limits.hosts[0].lowering;
  lowering = OpenLowering{wire::Lowering::shrink, 0};  // it takes what comes free
  CHECK(wanted_for(book, {}, on_north) == 0);
  lowering->kind = wire::Lowering::reclaim;
  CHECK(wanted_for(book, {}, on_north) == 8);
  CHECK(wanted_for(book, {}, on_west) == 0);
  const ReclaimSets sets = taken(order(1, 8));
  CHECK(wanted_for(book, sets, on_west) == 7);
  CHECK(wanted_for(book, sets, running_on("3", "big1")) == 0);
  apply(book, 2);  // a later order came: the set is over
  CHECK(wanted_for(book, sets, on_west) == 0);
}

TEST_CASE("a fence at a position that the configuration does not name was read as a place") {
  Book book = made_book();
  book.adopt_fences({{"big7@west", true, 1, 0, 0, 0, {{7, 70, 1, 0}}, 0}});
  ReclaimSets sets;
  sets.restore({{1, 2, {1, 60'000, false, {{7, 70}}}}});
  CHECK(wanted_for(book, sets, running_on("12", "big7@west")) == 0);
  CHECK(book.groups()[0].place(70).empty());
}

TEST_CASE("a job that waits again, or runs anew, was queued again") {
  for (const bool anew : {false, true}) {
    Fates fates = asked(true);
    CHECK_FALSE(fates.look({running("1")}, {"1"}, at(2'000)));
    REQUIRE(fates.look({anew ? running("1", 900) : waiting_unit("1")}, {}, at(3'000)));
    CHECK_FALSE(fates.any_open());
    CHECK(fates.unreported() ==
          std::vector<wire::EndedWork>{{1, "1", Fate::requeued, 7, Reason::reclaim_owned, 2, 1'000,
                                        3'000, -1, "ann", "user ann", "physics"}});
  }
}

TEST_CASE("what is listed no more is asked after, and has ended as its workload manager says") {
  const struct {
    JobEnd end;
    Fate fate;
    int32_t exit_code;
  } rows[] = {{{How::well, 0}, Fate::ended_well, 0},
              {{How::failed, 3}, Fate::failed, 3},
              {{How::ended, 143}, Fate::ended, 143},
              {{How::queued, {}}, Fate::requeued, -1}};
  for (const auto& row : rows) {
    Fates fates = asked();
    CHECK(fates.gone().empty());
    fates.look({}, {}, at(2'000));
    REQUIRE(fates.gone().size() == 1);
    CHECK(fates.gone()[0].id == "1");
    CHECK_FALSE(fates.note_end("1", {How::goes_on}, at(200'000)));
    REQUIRE(fates.note_end("1", row.end, at(200'000)));
    CHECK(fates.unreported()[0].fate == row.fate);
    CHECK(fates.unreported()[0].exit_code == row.exit_code);
    CHECK_FALSE(fates.any_open());
  }
}

TEST_CASE("a job that its workload manager does not know may be known a little later") {
  Fates fates = asked(true);
  fates.look({}, {}, at(2'000));
  CHECK_FALSE(fates.note_end("1", {}, at(2'000)));
  fates.look({}, {}, at(30'000));
  CHECK_FALSE(fates.note_end("1", {}, at(2'000 + Fates::kAskAfterMs - 1)));
  CHECK(fates.any_open());
  REQUIRE(fates.note_end("1", {}, at(2'000 + Fates::kAskAfterMs)));
  CHECK(fates.unreported()[0].fate == Fate::unknown);
}

TEST_CASE(
    "a wall clock that was set made fates unknown at once, or kept them asked for for hours") {
  for (const int64_t set_to : {int64_t{86'400'000}, int64_t{-86'400'000}}) {
    Fates fates = asked(true);
    fates.look({}, {}, at(2'000));
    const FateMoment soon{set_to, 3'000};
    fates.look({}, {}, soon);
    CHECK_FALSE(fates.note_end("1", {}, soon));
    REQUIRE(fates.any_open());
    REQUIRE(fates.look({}, {}, {set_to, 2'000 + Fates::kAskedForMs}));
    CHECK(fates.unreported()[0].fate == Fate::unknown);
    CHECK(fates.unreported()[0].ended_ms == set_to);
  }
}

TEST_CASE("many that are gone are asked after in turn, a few at a look") {
  Fates fates;
  for (const char* id : {"a", "b", "c", "d", "e", "f"}) {
    fates.ask(running(id), "user ann", 0, Reason::none, true, 1);
  }
  fates.look({}, {}, at(2'000));
  const auto asked_now = [&] {
    Ids ids;
    for (const WorkUnit& unit : fates.gone()) ids.push_back(unit.id);
    return ids;
  };
  CHECK(asked_now() == Ids{"a", "b", "c", "d"});
  for (const char* id : {"a", "b", "c"}) fates.note_end(id, {}, at(2'000));
  REQUIRE(fates.note_end("d", {How::well, 0}, at(2'000)));
  CHECK(asked_now() == Ids{"e", "f", "a", "b"});
}

TEST_CASE("thousands that are gone are not asked after for hours: their fate is unknown then") {
  Fates fates;
  for (int i = 0; i < 500; ++i) {
    fates.ask(running(std::to_string(i)), "user ann", 7, Reason::reclaim_owned, true, 1'000);
  }
  fates.look({}, {}, at(2'000));
  fates.look({}, {}, at(2'000 + Fates::kAskedForMs - 1));
  CHECK(fates.gone().size() == Fates::kAskedALook);
  REQUIRE(fates.look({}, {}, at(2'000 + Fates::kAskedForMs)));
  CHECK_FALSE(fates.any_open());
  CHECK(fates.kept().ended.size() == 500);
  for (const wire::EndedWork& work : fates.unreported()) CHECK(work.fate == Fate::unknown);
}

TEST_CASE("a job that need not go any more is spared, but for one whose end was ordered") {
  Fates spared = asked();
  REQUIRE(spared.look({running("1")}, {}, at(2'000)));
  CHECK_FALSE(spared.any_open());
  CHECK(spared.unreported() ==
        std::vector<wire::EndedWork>{{1, "1", Fate::spared, 7, Reason::reclaim_owned, 2, 1'000,
                                      2'000, -1, "ann", "user ann", "physics"}});
  CHECK_FALSE(spared.look({running("1")}, {}, at(3'000)));
  Fates ordered = asked();
  CHECK(ordered.ask(running("1"), "user ann", 7, Reason::none, true, 5'000));
  CHECK_FALSE(ordered.ask(running("1"), "user ann", 7, Reason::none, true, 6'000));
  CHECK_FALSE(ordered.look({running("1")}, {}, at(7'000)));
  WorkUnit ending = running("1", 8'000);  // some count it as started when it is listed
  ending.ending = true;
  CHECK_FALSE(ordered.look({ending}, {}, at(8'000)));
  CHECK(ordered.any_open());
}

TEST_CASE("a name that a user wrote and that no message can hold is cut") {
  Fates fates;
  WorkUnit unit = running("1");
  unit.account = std::string(100'000, 'x');
  REQUIRE(fates.ask(unit, "account " + unit.account, 7, Reason::none, true, 1'000));
  CHECK(fates.kept().asked[0].account.size() == kNameBytesMost);
  CHECK(fates.kept().asked[0].session.size() == kNameBytesMost);
}

TEST_CASE("another run of a job is asked for itself") {
  Fates fates = asked(true);
  REQUIRE(fates.ask(running("1", 900), "user ann", 7, Reason::none, false, 9'000));
  REQUIRE(fates.kept().asked.size() == 1);
  CHECK(fates.kept().asked[0].told_ms == 9'000);
  CHECK_FALSE(fates.kept().asked[0].ordered);
}

TEST_CASE("what the broker has recorded is forgotten, in order, and numbers go on above it") {
  Fates fates;
  for (int i = 0; i < 40; ++i) {
    fates.ask(running(std::to_string(i)), "user ann", 0, Reason::none, true, 1);
  }
  std::vector<WorkUnit> units;
  for (int i = 0; i < 40; ++i) units.push_back(waiting_unit(std::to_string(i)));
  fates.look(units, {}, at(2));
  CHECK(fates.unreported().size() == wire::kEndedMost);
  CHECK(fates.unreported().front().number == 1);
  CHECK_FALSE(fates.recorded(0));
  REQUIRE(fates.recorded(32));
  CHECK(fates.unreported().size() == 8);
  CHECK(fates.unreported().front().number == 33);
  REQUIRE(fates.recorded(100));  // this state is an older copy
  CHECK(fates.unreported().empty());
  fates.ask(running("x"), "user ann", 0, Reason::none, true, 3);
  fates.look({waiting_unit("x")}, {}, at(4));
  CHECK(fates.unreported().front().number == 101);
}

TEST_CASE("of many that nobody takes the newest are kept") {
  Fates fates;
  for (size_t i = 0; i < Fates::kKeptMost + 5; ++i) {
    fates.ask(running("a"), "user ann", 0, Reason::none, true, 1);
    fates.look({waiting_unit("a")}, {}, at(2));
  }
  CHECK(fates.kept().ended.size() == Fates::kKeptMost);
  CHECK(fates.unreported().front().number == 6);
}
