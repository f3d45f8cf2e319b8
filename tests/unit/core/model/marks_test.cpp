#include "broker/core/model/turn/marks.hpp"

#include <catch2/catch.hpp>

using namespace leasehold;

TEST_CASE("marks: a group that is marked again converges once, by both causes, in its place") {
  Marks marks;
  marks.add(7, Cause::stated);
  marks.add(2, Cause::evaluation);
  marks.add(7, Cause::caps_changed);

  const std::vector<Mark> taken = marks.take();

  REQUIRE(taken.size() == 2);
  CHECK(taken[0].group == 2);
  CHECK(taken[0].has(Cause::evaluation));
  CHECK_FALSE(taken[0].has(Cause::stated));
  CHECK(taken[1].group == 7);
  CHECK(taken[1].has(Cause::stated));
  CHECK(taken[1].has(Cause::caps_changed));
  CHECK(marks.take().empty());
}
