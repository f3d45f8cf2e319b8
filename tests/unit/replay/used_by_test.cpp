// `usage --by` from a database: what was recorded of who used borrowed slots.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/replay/lookup.hpp"
#include "broker/views/request/request_json.hpp"
#include "tests/support/recorded_site.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

constexpr int64_t kHour = 3'600'000;

/// A recorded lease whose consumer reported two hours, the first of them twice.
struct Recorded {
  TempDir dir;
  std::string database = dir.file("leasehold.db");

  Recorded() {
    RecordedSite recorded(database);
    recorded.begin();
    for (const uint64_t number : {1U, 1U, 2U}) {
      const auto since_ms = static_cast<int64_t>(number) * kHour;
      const wire::UsedSlots used{
          number, 1, since_ms, since_ms + kHour, {{"user ann", "ann", "p", 2 * kHour}}, 0, 0};
      REQUIRE(recorded.site.step(SlotsUsed{"west", 5, {used}}));
    }
    recorded.commit();
  }
  Result<Json> ask(Json request) const {
    request["command"] = "usage";
    return look_up(database, read_request(request, Instant{100 * kHour}).request);
  }
};

}  // namespace

TEST_CASE("who used borrowed slots is found in the history, once") {
  const Recorded recorded;
  const Result<Json> rows = recorded.ask({{"whose", "user"}});
  INFO((rows ? "" : describe(rows.error())));
  REQUIRE(rows.has_value());
  REQUIRE(rows->size() == 1);
  CHECK((*rows)[0]["cluster"] == "west");
  CHECK((*rows)[0]["by"] == "user");
  CHECK((*rows)[0]["name"] == "ann");
  CHECK((*rows)[0]["used_slot_s"] == 4 * 3'600);
  CHECK(recorded.ask({{"whose", "account"}, {"cluster", "west"}})->size() == 1);
}

TEST_CASE("usage by what nobody tells is refused, and by a period that ends before it begins") {
  const Recorded recorded;
  const Result<Json> rows = recorded.ask({{"whose", "colour"}});
  REQUIRE_FALSE(rows.has_value());
  CHECK(rows.error().code == ErrorCode::usage);
  CHECK_THAT(rows.error().message, Catch::Contains("user, account, session or user-account"));
  CHECK_FALSE(recorded.ask(
      {{"whose", "user"}, {"since", "2026-11-22T00:00:00Z"}, {"until", "2026-11-21T00:00:00Z"}}));
}
