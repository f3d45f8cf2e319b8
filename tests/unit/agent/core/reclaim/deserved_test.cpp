// These tests show what a session deserves (agent/core/README.md, "What a session deserves").
#include "agent/core/work/deserved.hpp"

#include <catch2/catch.hpp>

namespace leasehold::agent {
namespace {

struct Wants {
  int32_t priority;
  int64_t has;
  int64_t wants;  // more
  int32_t min_slots = 0;
  int64_t started_ms = 0;
};

using Numbers = std::vector<int64_t>;

Numbers deserved(const std::vector<Wants>& wants, SchedulingPolicy policy, int64_t slots) {
  std::vector<WorkSession> sessions;
  for (const Wants& want : wants) {
    WorkSession& session = sessions.emplace_back();
    session.key = std::string(1, static_cast<char>('a' + sessions.size()));
    session.priority = want.priority;
    session.allocated = want.has;
    session.pending = want.wants;
    session.min_slots = want.min_slots;
    session.started = {want.started_ms};
    session.deserved = 77;  // of an earlier look
  }
  give_deserved(sessions, policy, slots);
  Numbers given;
  for (const WorkSession& session : sessions) given.push_back(session.deserved);
  return given;
}

struct DeservedRow {
  const char* says;
  std::vector<Wants> wants;
  int64_t slots;
  Numbers deserved;
};

void check_deserved(SchedulingPolicy policy, const std::vector<DeservedRow>& rows) {
  for (const DeservedRow& row : rows) {
    INFO(row.says);
    CHECK(deserved(row.wants, policy, row.slots) == row.deserved);
  }
}

TEST_CASE("proportional: the slots are Filled by priority, caps demand") {
  check_deserved(SchedulingPolicy::proportional,
                 {
                     {"in proportion to priority", {{1, 0, 99}, {3, 0, 99}}, 12, {3, 9}},
                     {"what runs counts as demand", {{1, 99, 0}, {3, 9, 90}}, 12, {3, 9}},
                     {"nobody above its cap, the rest goes to the others in proportion again",
                      {{1, 0, 99}, {1, 0, 99}, {4, 1, 1}},
                      12,
                      {5, 5, 2}},
                     {"again and again", {{1, 0, 1}, {1, 0, 3}, {1, 0, 99}}, 10, {1, 3, 6}},
                     {"until all are at their caps", {{1, 2, 0}, {9, 0, 3}}, 12, {2, 3}},
                     {"everyone gets the floor, what remains one each to the higher priority",
                      {{1, 0, 99}, {2, 0, 99}},
                      10,
                      {3, 7}},
                     {"among equals to the older session",
                      {{1, 0, 99, 0, 20}, {1, 0, 99, 0, 10}, {1, 0, 99, 0, 30}},
                      11,
                      {4, 4, 3}},
                     {"then by key", {{1, 0, 99}, {1, 0, 99}}, 5, {3, 2}},
                     {"only to those whose share was not whole",
                      {{2, 0, 99}, {1, 0, 99}, {1, 0, 99}},
                      2,
                      {1, 1, 0}},
                     {"min_slots means nothing here", {{1, 0, 99, 9}, {1, 0, 99}}, 4, {2, 2}},
                     {"no sessions", {}, 4, {}},
                     {"no slots", {{1, 3, 9}}, 0, {0}},
                     {"fewer than none, when hosts were lost", {{1, 3, 9}}, -2, {0}},
                     {"no demand", {{1, 0, 0}, {1, 0, 9}}, 4, {0, 4}},
                 });
}

TEST_CASE("minimum services: min_slots first, then in proportion") {
  check_deserved(
      SchedulingPolicy::minimum_services,
      {
          {"min_slots, then by priority", {{1, 0, 99, 6}, {3, 0, 99, 2}}, 16, {8, 8}},
          {"never more than demand", {{1, 0, 2, 6}, {1, 0, 99}}, 10, {2, 8}},
          {"too few: higher priority first", {{1, 0, 99, 4}, {2, 0, 99, 4}}, 5, {1, 4}},
          {"too few: then the older session", {{1, 0, 99, 4, 20}, {1, 0, 99, 4, 10}}, 5, {1, 4}},
      });
}

TEST_CASE("priority: all it can use, highest priority first, older sessions first") {
  check_deserved(SchedulingPolicy::priority,
                 {
                     {"highest first", {{1, 5, 5}, {10, 0, 7}, {100, 0, 1}}, 9, {1, 7, 1}},
                     {"the earlier session of equal priority",
                      {{5, 0, 6, 0, 200}, {5, 0, 6, 0, 100}},
                      9,
                      {3, 6}},
                     {"all is there", {{1, 1, 1}, {2, 2, 2}}, 99, {2, 4}},
                 });
}

TEST_CASE("Priority sessions: one slot follows the demand of the highest") {
  const std::vector<Wants> all{{1, 1, 99, 0, 1}, {10, 0, 10, 0, 2}, {100, 0, 1, 0, 3}};
  CHECK(deserved({all[0]}, SchedulingPolicy::priority, 1) == Numbers{1});
  CHECK(deserved({all[0], all[1]}, SchedulingPolicy::priority, 1) == Numbers{0, 1});
  CHECK(deserved(all, SchedulingPolicy::priority, 1) == Numbers{0, 0, 1});
}

}  // namespace
}  // namespace leasehold::agent
