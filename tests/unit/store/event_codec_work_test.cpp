// The bytes of what agents say of their work: of older brokers without.
#include <catch2/catch.hpp>

#include "broker/record/event_codec.hpp"

using namespace leasehold;

TEST_CASE("a report that an earlier broker recorded says nothing of shapes, and is read") {
  std::string bytes;
  StateReported said{"east", 5, 7, false, {}, 9};
  encode_event(said, bytes);
  REQUIRE(bytes[3] == '\x98');
  REQUIRE(bytes.substr(bytes.size() - 2) == "\xc0\xc0");  // neither
  bytes[3] = '\x96';
  bytes.resize(bytes.size() - 2);
  const Result<Event> read = decode_event(bytes);
  REQUIRE(read.has_value());
  const auto& older = std::get<StateReported>(*read);
  CHECK(older.pending == 7);
  CHECK(older.lease_ms == 9);
  CHECK_FALSE((older.demand || older.ending));
  // A class of time that this program does not know is no demand.
  said.demand = wire::Demand{{1, 1, static_cast<wire::TimeClass>(8), 0, 1, 1, {}}};
  bytes.clear();
  encode_event(said, bytes);
  CHECK_FALSE(decode_event(bytes).has_value());
}
