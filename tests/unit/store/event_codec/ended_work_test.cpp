// The bytes of what agents say became of work.
#include <catch2/catch.hpp>

#include "broker/record/event_codec.hpp"

using namespace leasehold;

TEST_CASE("work that has ended is read as it was written, whatever its fate") {
  WorkEnded event{"east", {}};
  for (const auto& row : kTokensOf<wire::Fate>) {
    event.work.push_back({UINT64_MAX, "42_7", row.value, 7, Reason::overdue, 2, INT64_MIN,
                          INT64_MAX, 143, "ann", "account physics", "physics"});
  }
  std::string bytes;
  encode_event(event, bytes);
  const Result<Event> read = decode_event(bytes);
  REQUIRE(read.has_value());
  CHECK(std::get<WorkEnded>(*read).cluster == "east");
  CHECK(std::get<WorkEnded>(*read).work == event.work);
}

TEST_CASE("work that ended is written without session and account where it has none, and read so") {
  WorkEnded event{"east", {}};
  event.work.push_back({1, "42", wire::Fate::spared, 7, Reason::none, 2, 5, 6, -1, "ann"});
  std::string bytes;
  encode_event(event, bytes);
  CHECK(bytes.substr(9, 2) == std::string("\x91\x9a", 2));  // one of ten fields, as ever
  const Result<Event> read = decode_event(bytes);
  REQUIRE(read.has_value());
  CHECK(std::get<WorkEnded>(*read).work == event.work);
  event.work[0].account = "physics";
  bytes.clear();
  encode_event(event, bytes);
  CHECK(std::get<WorkEnded>(*decode_event(bytes)).work == event.work);
}

TEST_CASE("who used borrowed slots is read as it was written") {
  const SlotsUsed event{"east",
                        UINT64_MAX,
                        {{7, 9, 1, 2, {{"user ann", "ann", "physics", 3}, {"", "", "", 4}}, 5, 0},
                         {8, 0, 1, 2, {}, 0, wire::kSlotMsMost}}};
  std::string bytes;
  encode_event(event, bytes);
  const Result<Event> read = decode_event(bytes);
  REQUIRE(read.has_value());
  const auto& used = std::get<SlotsUsed>(*read);
  CHECK(used.cluster == event.cluster);
  CHECK(used.state_id == event.state_id);
  CHECK(used.used == event.used);
}
