// The bytes of agents' reports on their work.
#include <catch2/catch.hpp>

#include "broker/record/event_codec.hpp"

using namespace leasehold;

TEST_CASE("a bucket without what was added to it is the bytes that it was before") {
  StateReported said{"east", 5, 7, false, {}, 9};
  said.demand = wire::Demand{{1, 1, wire::TimeClass::hour_1, 0, 1, 1, {"x"}}};
  std::string before;
  encode_event(said, before);
  said.demand->front().whole = true;
  std::string whole;
  encode_event(said, whole);
  REQUIRE(whole.size() == before.size() + 1);
  const Result<Event> read = decode_event(whole);
  REQUIRE(read.has_value());
  CHECK(std::get<StateReported>(*read).demand == said.demand);
  // The row has seven values, as programs wrote it before there was an eighth.
  const size_t row = before.find("\xa1x") - 7;
  CHECK(static_cast<uint8_t>(before[row - 1]) == 0x97);
  CHECK(static_cast<uint8_t>(whole[row - 1]) == 0x98);
}

TEST_CASE("a report with a class of time that nobody knows cannot be read") {
  std::string bytes;
  StateReported said{"east", 5, 7, false, {}, 9};
  encode_event(said, bytes);
  CHECK(decode_event(bytes).has_value());
  said.demand = wire::Demand{{1, 1, static_cast<wire::TimeClass>(8), 0, 1, 1, {}}};
  bytes.clear();
  encode_event(said, bytes);
  CHECK_FALSE(decode_event(bytes).has_value());
}
