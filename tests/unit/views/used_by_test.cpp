// The use of borrowed slots is added up from what agents reported.
#include "broker/views/clusters/used_by.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/catalogue.hpp"
#include "broker/views/request/request_json.hpp"

using namespace leasehold;

namespace {

constexpr int64_t kHour = 3'600'000;

/// Returns an hour of ann's work of two accounts, and of bob's; the state of the agent is 5.
SlotsUsed hour(uint64_t number, int64_t since_ms, uint64_t state_id = 5) {
  return {"west",
          state_id,
          {{number,
            9,
            since_ms,
            since_ms + kHour,
            {{"user ann", "ann", "physics", 4 * kHour},
             {"user ann", "ann", "biology", 2 * kHour},
             {"user bob", "bob", "", kHour}},
            500,
            0}}};
}

UsedByMeter meter_of(Whose whose, int64_t since_ms = 0, int64_t until_ms = 100 * kHour) {
  return {whose, Instant{since_ms}, Instant{until_ms}};
}

/// Returns the slot-seconds of that row; -1: there is none.
int64_t slot_s(const Json& rows, const Json& name, const std::string& counted = "named") {
  for (const Json& row : rows) {
    if (row["name"] == name && row["counted"] == counted) return row["used_slot_s"];
  }
  return -1;
}

}  // namespace

TEST_CASE("use is added up by user, account, session, user and account; others stand apart") {
  UsedByMeter by_user = meter_of(Whose::user);
  by_user.take(hour(1, kHour));
  by_user.take(hour(2, 2 * kHour));
  CHECK(by_user.rows().size() == 3);
  CHECK(slot_s(by_user.rows(), "ann") == 12 * 3'600);
  CHECK(slot_s(by_user.rows(), "bob") == 2 * 3'600);
  CHECK(slot_s(by_user.rows(), nullptr, "others") == 1);
  CHECK(by_user.rows()[0]["counted_until"] == "1970-01-01T03:00:00.000Z");
  UsedByMeter by_account = meter_of(Whose::account);
  by_account.take(hour(1, kHour));
  CHECK(slot_s(by_account.rows(), "physics") == 4 * 3'600);
  CHECK(slot_s(by_account.rows(), nullptr) == 3'600);
  UsedByMeter by_session = meter_of(Whose::session);
  by_session.take(hour(1, kHour));
  CHECK(slot_s(by_session.rows(), "user ann") == 6 * 3'600);
  UsedByMeter by_both = meter_of(Whose::user_account);
  by_both.take(hour(1, kHour));
  CHECK(by_both.rows().size() == 4);
  CHECK(slot_s(by_both.rows(), "ann, physics") == 4 * 3'600);
  CHECK(slot_s(by_both.rows(), "ann, biology") == 2 * 3'600);
  CHECK(slot_s(by_both.rows(), "bob") == 3'600);
}

TEST_CASE("what was recorded twice counts once; another state of the agent counts anew") {
  UsedByMeter meter = meter_of(Whose::user);
  for (int i = 0; i < 3; ++i) meter.take(hour(1, kHour));
  CHECK(slot_s(meter.rows(), "bob") == 3'600);
  meter.take(hour(1, 2 * kHour, 6));
  CHECK(slot_s(meter.rows(), "bob") == 7'200);
}

TEST_CASE("of an hour that lies in two periods each has its part, and no more") {
  int64_t sum = 0;
  for (const auto& [since_ms, until_ms] : {std::pair{int64_t{0}, kHour + 7'000},
                                           {kHour + 7'000, kHour + 1'000'000},
                                           {kHour + 1'000'000, 3 * kHour}}) {
    UsedByMeter meter = meter_of(Whose::user, since_ms, until_ms);
    meter.take(hour(1, kHour));
    sum += slot_s(meter.rows(), "ann");
  }
  CHECK(sum == 6 * 3'600);
  UsedByMeter later = meter_of(Whose::user, 2 * kHour, 3 * kHour);
  later.take(hour(1, kHour));
  CHECK(later.rows().empty());
}

TEST_CASE("work without a user has one row, and people read why") {
  UsedByMeter meter = meter_of(Whose::user);
  meter.take(hour(1, kHour));
  meter.take({"east", 1, {{1, 9, kHour, 2 * kHour, {}, 0, 9 * kHour}}});
  const Json rows = meter.rows();
  CHECK(slot_s(rows, nullptr, "unnamed") == 9 * 3'600);
  const std::string table = table_of("usage", rows, {});
  CHECK_THAT(table, Catch::Contains("(not named)") && Catch::Contains("9.00") &&
                        Catch::Contains("east reports work without a user") &&
                        Catch::Contains("(others)"));
  CHECK_THAT(table, !Catch::Contains("west reports work"));
}

TEST_CASE("a stretch without length, and the most that numbers can be, are added up") {
  UsedByMeter meter = meter_of(Whose::user, INT64_MIN, INT64_MAX);
  meter.take({"west",
              1,
              {{1, 9, 5, 5, {{"", "ann", "", wire::kSlotMsMost}}, 0, 0},
               {2, 9, 5, 6, {{"", "ann", "", wire::kSlotMsMost}}, 0, 0}}});
  CHECK(slot_s(meter.rows(), "ann") == wire::kSlotMsMost / 500);
}

TEST_CASE("usage by whose work it was is a question of its own rows") {
  const Request plain = read_request({{"command", "usage"}}, Instant{0}).request;
  const Request by = read_request({{"command", "usage"}, {"whose", "user"}}, Instant{0}).request;
  CHECK(plain.row->answered_by == AnsweredBy::usage);
  CHECK(by.row->answered_by == AnsweredBy::used_by);
  CHECK(request_json(by)["whose"] == "user");
}
