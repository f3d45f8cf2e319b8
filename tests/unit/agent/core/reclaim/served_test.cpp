// For how long nothing ends for work for which others' work was ended before.
#include "agent/core/preemption/served.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/agent/core/reclaim/made_work.hpp"

namespace leasehold::agent {
namespace {

constexpr int64_t kMinuteMs = 60'000;
const ShapeKey kOneSlot{"user tom", 1};
const ShapeKey kFourTogether{"user tom", 4, 4};

Preemption for_shape(const ShapeKey& shape) {
  return {0, shape, {0}};
}

bool look_at(Served& served, const std::vector<WorkUnit>& units, int64_t now_ms) {
  return served.look(units, note_sessions({}, units, {}), now_ms);
}

TEST_CASE("work for which slots were freed in vain waits twice as long each time, up to an hour") {
  Served served;
  int64_t now_ms = 7;
  int64_t expected = kMinuteMs;
  const std::vector<WorkUnit> waits{waiting("t", "tom", 1)};
  for (int time = 0; time < 9; ++time) {
    INFO(time);
    const std::vector<Preemption> chosen{for_shape(kOneSlot), for_shape(kOneSlot)};
    const auto in_vain = served.note(chosen, {1'000}, now_ms);
    CHECK(in_vain.size() == (time == 0 ? 0u : 1u));
    if (time > 0) CHECK(in_vain.at(kOneSlot) == expected);
    now_ms += expected - 1;
    CHECK_FALSE(look_at(served, waits, now_ms));
    CHECK(served.backing_off(now_ms) == std::set<ShapeKey>{kOneSlot});
    CHECK(served.backing_off(++now_ms).empty());
    CHECK_FALSE(look_at(served, waits, now_ms));
    expected = std::min(2 * expected, 64 * kMinuteMs);
  }
}

TEST_CASE("work that started clears what its shape waits, and no other's") {
  WorkUnit started = unit("t2", "tom", "h", 5'500);
  struct Row {
    const char* what;
    WorkUnit runs;
    std::set<ShapeKey> left;
  };
  WorkUnit ending = started;
  ending.ending = true;
  const std::vector<Row> rows{
      {"a task of it", started, {kFourTogether}},
      {"wider work", unit("t2", "tom", "h", 5'500, 4), {}},
      {"about then", unit("t2", "tom", "h", 1), {kFourTogether}},
      {"work that ran before", unit("t2", "tom", "h", 0), {kOneSlot, kFourTogether}},
      {"work that ends", ending, {kOneSlot, kFourTogether}},
      {"work of somebody else", unit("a", "ann", "h", 5'500), {kOneSlot, kFourTogether}},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    Served served;
    const std::vector<Preemption> chosen{for_shape(kOneSlot), for_shape(kFourTogether)};
    served.note(chosen, {5'000}, 0);
    const std::vector<WorkUnit> units{waiting("t", "tom", 1), one_job(waiting("u", "tom", 4), 4),
                                      row.runs};
    CHECK(look_at(served, units, 1'000) == (row.left.size() < 2));
    CHECK(served.backing_off(1'000) == row.left);
  }
}

TEST_CASE("a shape of work is told with all that it asks for beyond single slots") {
  CHECK(describe(kOneSlot) == "1 slot");
  CHECK(describe(kFourTogether) == "4 slots, 4 on each host");
  CHECK(describe({"user tom", 8, 1, 2}) == "8 slots, on 2 hosts");
  CHECK(describe({"user tom", 8, 4, 2, true}) ==
        "8 slots, 4 on each host, on 2 hosts, whole hosts");
}

TEST_CASE("work that waits no more is forgotten once its time is over") {
  Served served;
  const std::vector<Preemption> chosen{for_shape(kOneSlot)};
  served.note(chosen, {5'000}, 0);
  CHECK_FALSE(look_at(served, {}, kMinuteMs - 1));  // sent in again it would still wait
  CHECK(look_at(served, {waiting_on(waiting("t", "tom", 1), {})}, kMinuteMs));
  CHECK(served.note(chosen, {5'000}, kMinuteMs).empty());
}

TEST_CASE("what work waits goes on over a restart of the agent, and of its machine") {
  Served served;
  const std::vector<Preemption> chosen{for_shape(kFourTogether)};
  served.note(chosen, {5'000}, 1'000);
  served.note(chosen, {6'000}, 1'000 + kMinuteMs);
  const std::vector<SavedServed> saved = served.save(2'000 + kMinuteMs);
  CHECK(saved ==
        std::vector<SavedServed>{
            {kFourTogether, {6'000}, 2 * kMinuteMs, 2 * kMinuteMs - 1'000, 2'000 + kMinuteMs}});
  const Served here = Served::restored(saved, true, 3'000 + kMinuteMs);
  CHECK(here == served);
  const Served elsewhere = Served::restored(saved, false, 10);
  CHECK(elsewhere.backing_off(2 * kMinuteMs - 991) == std::set<ShapeKey>{kFourTogether});
  CHECK(elsewhere.backing_off(2 * kMinuteMs - 990).empty());
}

}  // namespace
}  // namespace leasehold::agent
