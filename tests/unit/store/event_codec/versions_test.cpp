// Events as older programs wrote them, and those of an unknown version.
#include <catch2/catch.hpp>

#include "broker/record/event_codec.hpp"

using namespace leasehold;

TEST_CASE("a start that is not warm is written as it was before there were any, and read so") {
  std::string bytes;
  encode_event(BrokerStarted{5, true}, bytes);
  CHECK(bytes == std::string("\x93\x01\x00\x92\x05\xc3", 6));
  const Result<Event> read = decode_event(bytes);
  REQUIRE(read.has_value());
  CHECK_FALSE(std::get<BrokerStarted>(*read).warm);
}

TEST_CASE("an order that begins at once is written as before any began later, and read so") {
  OperatorCommand freeze;
  std::string bytes;
  encode_event(freeze, bytes);
  CHECK(bytes[3] == '\x9c');  // a list of twelve: neither a successor nor a begin
  CHECK_FALSE(std::get<OperatorCommand>(*decode_event(bytes)).from);
  freeze.from = Instant{77};
  bytes.clear();
  encode_event(freeze, bytes);
  CHECK(bytes[3] == '\x9e');
  CHECK(std::get<OperatorCommand>(*decode_event(bytes)).from == Instant{77});
}

TEST_CASE("an event of another version is refused with both numbers") {
  std::string later;
  encode_event(BrokerStarted{5, true}, later);
  REQUIRE(later[1] == kEventVersion);  // the first of the three in the outer array
  later[1] = 9;
  const Result<Event> read = decode_event(later);
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().message.find("event version 1, found 9") != std::string::npos);
}
