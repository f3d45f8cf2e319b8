// The bytes of what agents say of their work.
#include <catch2/catch.hpp>

#include "broker/record/event_codec.hpp"

using namespace leasehold;

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
