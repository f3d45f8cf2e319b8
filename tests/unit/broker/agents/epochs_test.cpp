// Epochs alone: which leaderships outrank a broker's own. The port's answers: leadership_test.cpp.
#include "broker/ports/agents/epochs.hpp"

#include <catch2/catch.hpp>

namespace leasehold {

TEST_CASE("a leadership that agents have seen outranks this broker's, its own or one below not") {
  Epochs epochs;
  epochs.lead({4, 77, 5'000});
  epochs.note_seen(std::nullopt, std::nullopt);
  epochs.note_seen(3, 1);
  epochs.note_seen(4, 77);
  CHECK(epochs.outranked_by().epoch == 0);
  CHECK_FALSE(epochs.refusal_of(4));
  epochs.note_seen(4, 78);
  CHECK(epochs.outranked_by().epoch == 4);
  CHECK(epochs.refusal_of(4));
  CHECK_FALSE(epochs.refusal_of(3));
  epochs.lead({5, 1, 5'000});
  CHECK(epochs.outranked_by().epoch == 0);
}

TEST_CASE("an epoch above the limit outranks nobody, and who says it is told that it is not true") {
  Epochs epochs;
  epochs.lead({4, 77, 5'000});
  epochs.set_limit(10);
  epochs.note_seen(11, 1);
  CHECK(epochs.outranked_by().epoch == 0);
  const auto refusal = epochs.refusal_of(11);
  REQUIRE(refusal);
  CHECK(refusal->find("too far above this broker's, 4, to be true") != std::string::npos);
  epochs.set_limit(2);
  CHECK_FALSE(epochs.refusal_of(4));  // its own is always believed
}

TEST_CASE("a broker that does not lead refuses no agent for what it has seen") {
  Epochs epochs;
  epochs.note_seen(9, 3);
  CHECK(epochs.outranked_by().epoch == 9);
  CHECK_FALSE(epochs.refusal_of(9));
}

}  // namespace leasehold
