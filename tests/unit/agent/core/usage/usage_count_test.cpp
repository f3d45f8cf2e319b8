// These tests show whose work is counted on borrowed slots, and that no second of it counts twice.
#include "agent/core/usage/usage_count.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/agent/core/reclaim/made_sets.hpp"
#include "tests/unit/agent/core/reclaim/made_work.hpp"

using namespace leasehold;
using namespace leasehold::agent;

namespace {

constexpr int64_t kMinute = 60'000;
constexpr int64_t kFullHour = 500'000 * UsageCount::kHourMs;

using Units = std::vector<WorkUnit>;
using Used = std::vector<wire::UsedSlots>;

/// Work of the user on h0 of west, of group 7.
WorkUnit work_of(const std::string& user, int32_t slots = 2, int64_t started_ms = kFullHour) {
  WorkUnit made = unit("job of " + user, user, "h0@west", started_ms, slots);
  made.account = "physics";
  return made;
}

struct Counted {
  void pass(int64_t ms) {
    now.wall_ms += ms;
    now.boottime_ms += ms;
  }
  void look(int32_t west, int32_t north = 0) {
    use = used(west, 0, north);
    count.look(book, use, now);
  }
  void list(const Units& units) {
    count.list(book, use, units, note_sessions({}, units, {}), Instant{now.wall_ms}, now);
  }
  void look_and_list(const Units& units) {
    int32_t slots = 0;
    for (const WorkUnit& unit : units) slots += unit.slots;
    look(slots);
    list(units);
  }
  Used closed() {
    if (count.close_due(book, now)) lost += count.close(book, now);
    return count.unreported();
  }
  /// The agent dies; the next one starts so much later, on a machine that has booted.
  void start_again(int64_t later_ms) {
    const SavedUsage saved = count.save(now);
    now = {now.wall_ms + later_ms, 5'000};
    count = UsageCount();
    count.restore(saved, now);
  }

  Book book = made_book();
  std::vector<GroupUse> use;
  UsageCount count;
  size_t lost = 0;
  UsageMoment now{kFullHour, 1'000'000};
};

int64_t sum_of(const wire::UsedSlots& used) {
  int64_t sum = used.others_slot_ms + used.unnamed_slot_ms;
  for (const wire::UsedBy& by : used.by) sum += by.slot_ms;
  return sum;
}

wire::UsedSlots an_hour_of_ann(int64_t slot_ms, int64_t others_slot_ms = 0) {
  return {1,
          7,
          kFullHour,
          kFullHour + UsageCount::kHourMs,
          {{"user ann", "ann", "physics", slot_ms}},
          others_slot_ms,
          0};
}

}  // namespace

TEST_CASE("the slots of each user's work are counted and closed at the full hour") {
  Counted site;
  for (int minute = 0; minute < 60; ++minute) {
    site.look_and_list({work_of("ann")});
    CHECK(site.closed().empty());
    site.pass(kMinute);
  }
  site.look_and_list({work_of("ann")});
  CHECK(site.closed() == Used{an_hour_of_ann(7'200'000)});
  CHECK(site.count.any_open());  // the next hour has begun
}

TEST_CASE("slots in use that no list names are others', and work without a user is nobody's") {
  Counted site;
  site.look(3);
  site.list({work_of("ann")});
  site.pass(UsageCount::kHourMs);
  site.look(3);
  site.list({work_of("ann")});
  CHECK(site.closed() == Used{an_hour_of_ann(7'200'000, 3'600'000)});
  Counted silent;
  silent.look_and_list({work_of("")});
  silent.pass(UsageCount::kHourMs);
  silent.look_and_list({work_of("")});
  REQUIRE(silent.closed().size() == 1);
  CHECK(silent.closed()[0].by.empty());
  CHECK(silent.closed()[0].others_slot_ms == 0);
  CHECK(silent.closed()[0].unnamed_slot_ms == 7'200'000);
}

TEST_CASE("own work and slots that the cluster lends are not counted") {
  Counted site;
  for (const uint64_t generation : {7U, 8U}) {
    site.book.find(generation)->limits.role = wire::Role::provider;
  }
  site.look_and_list({work_of("ann")});
  CHECK_FALSE(site.count.any_open());
}

TEST_CASE("of many users those with the most are named, and nothing of the others is lost") {
  Counted site;
  Units units;
  for (int i = 0; i < 100; ++i) units.push_back(work_of("u" + std::to_string(i), 1 + i));
  site.look_and_list(units);
  site.pass(UsageCount::kHourMs);
  site.look_and_list(units);
  const Used closed = site.closed();
  REQUIRE(closed.size() == 1);
  REQUIRE(closed[0].by.size() == wire::kUsedByMost);
  CHECK(closed[0].by.front().user == "u99");
  CHECK(closed[0].by.back().user == "u36");
  CHECK(sum_of(closed[0]) == 5'050 * UsageCount::kHourMs);
}

TEST_CASE("work on a host of which two groups have slots counts once") {
  Counted site;
  site.book.find(8)->places[0] = "h0@west";
  const auto four = [&] {
    site.look(3, 1);
    site.list({work_of("ann", 3), work_of("bob", 1)});
  };
  four();
  site.pass(UsageCount::kHourMs);
  four();
  const Used closed = site.closed();
  REQUIRE(closed.size() == 2);
  CHECK(sum_of(closed[0]) == 3 * UsageCount::kHourMs);
  CHECK(sum_of(closed[1]) == UsageCount::kHourMs);
  CHECK(closed[0].others_slot_ms + closed[1].others_slot_ms == 0);
}

TEST_CASE("a used name that no message can hold is cut") {
  Counted site;
  WorkUnit unit = work_of("ann");
  unit.account = std::string(100'000, 'x');
  site.look_and_list({unit});
  site.pass(UsageCount::kHourMs);
  site.look_and_list({unit});
  CHECK(site.closed().at(0).by.at(0).account.size() == kNameBytesMost);
}

TEST_CASE("a job counts from its start, and not before the list before") {
  Counted site;
  site.look_and_list({work_of("ann")});
  site.pass(kMinute);
  site.look_and_list({work_of("ann"), work_of("bob", 1, site.now.wall_ms - 1'000)});
  const SavedUsage saved = site.count.save(site.now);
  REQUIRE(saved.open.size() == 1);
  CHECK(saved.open[0].slot_ms.at({"user ann", "ann", "physics"}) == 120'000);
  CHECK(saved.open[0].slot_ms.at({"user bob", "bob", "physics"}) == 1'000);
}

TEST_CASE("work that runs while no agent does is counted once, by the next one's first list") {
  Counted site;
  site.look_and_list({work_of("ann")});
  site.pass(10 * kMinute);
  site.look_and_list({work_of("ann")});
  site.start_again(20 * kMinute);
  site.look_and_list({work_of("ann")});
  site.pass(30 * kMinute);
  site.look_and_list({work_of("ann")});
  CHECK(site.closed() == Used{an_hour_of_ann(7'200'000)});
}

TEST_CASE("of a long time without an agent no more than a day counts") {
  Counted site;
  site.look_and_list({work_of("ann")});
  site.start_again(100 * UsageCount::kGapMostMs);
  site.look_and_list({work_of("ann")});
  REQUIRE(site.closed().size() == 1);
  CHECK(sum_of(site.closed()[0]) == 2 * UsageCount::kGapMostMs);
}

TEST_CASE("what was closed without a list is not counted again by the next list") {
  Counted site;
  site.look_and_list({work_of("ann")});
  site.pass(UsageCount::kHourMs);
  site.look(2);  // the workload manager does not list its work
  Used closed = site.closed();
  REQUIRE(closed.size() == 1);
  CHECK(closed[0].others_slot_ms == 7'200'000);
  site.pass(UsageCount::kHourMs);
  site.look_and_list({work_of("ann")});
  closed = site.closed();
  REQUIRE(closed.size() == 2);
  CHECK(closed[1].since_ms == closed[0].until_ms);
  CHECK(sum_of(closed[1]) == 7'200'000);
  CHECK(closed[1].others_slot_ms == 0);
}

TEST_CASE("a workload manager whose clock goes back, or on, counts no time that was not") {
  for (const int64_t jump_ms : {-UsageCount::kHourMs, UsageCount::kHourMs}) {
    Counted site;
    const Units units{work_of("ann", 2, 0)};
    const WorkSessions sessions = note_sessions({}, units, {});
    site.look(2);
    site.count.list(site.book, site.use, units, sessions, Instant{kFullHour}, site.now);
    site.pass(kMinute);
    site.look(2);
    site.count.list(site.book, site.use, units, sessions, Instant{kFullHour + jump_ms}, site.now);
    const OpenUsage open = site.count.save(site.now).open.at(0);
    CHECK(open.total_slot_ms == 2 * kMinute);
    CHECK((open.slot_ms.empty() ? 0 : open.slot_ms.begin()->second) ==
          (jump_ms < 0 ? 0 : 2 * kMinute));
  }
}

TEST_CASE("what is counted of a group that is over is closed at once") {
  Counted site;
  site.look(2, 1);
  site.pass(kMinute);
  site.look(2, 1);
  site.book = Book{HostNames{}};
  const Used closed = site.closed();
  REQUIRE(closed.size() == 2);
  CHECK(closed[0].generation == 7);
  CHECK(closed[0].others_slot_ms == 2 * kMinute);
  CHECK(closed[1].generation == 8);
  CHECK_FALSE(site.count.any_open());
}

TEST_CASE("what the broker has recorded is said no more, and numbers go on above it") {
  Counted site;
  for (int hour = 0; hour < 6; ++hour) {
    site.look(1);
    site.pass(UsageCount::kHourMs);
    site.look(1);
    site.closed();
  }
  CHECK(site.count.unreported().size() == wire::kUsedSlotsMost);
  CHECK(site.count.unreported().front().number == 1);
  CHECK_FALSE(site.count.recorded(0));
  REQUIRE(site.count.recorded(4));
  CHECK(site.count.unreported().front().number == 5);
  REQUIRE(site.count.recorded(90));  // this state is an older copy
  CHECK(site.count.unreported().empty());
  CHECK_FALSE(site.count.any_open());  // others have recorded these hours
  site.look(1);
  site.pass(UsageCount::kHourMs);
  site.look(1);
  CHECK(site.closed().front().number == 91);
}

TEST_CASE("of many hours that nobody takes the newest are kept") {
  Counted site;
  for (size_t hour = 0; hour < UsageCount::kClosedMost + 3; ++hour) {
    site.look(1);
    site.pass(UsageCount::kHourMs);
    site.look(1);
    site.closed();
  }
  CHECK(site.lost == 3);
  CHECK(site.count.save(site.now).closed.size() == UsageCount::kClosedMost);
  CHECK(site.count.unreported().front().number == 4);
}
