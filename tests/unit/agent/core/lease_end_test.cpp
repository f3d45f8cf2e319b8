// LeaseEnd alone: in which order leased slots are closed, fenced and given up, and when what failed
// is tried again. What the agent does with it: tests/unit/agent/io/lease_end_test.cpp.
#include "agent/core/lease_end.hpp"

#include <catch2/catch.hpp>

namespace leasehold::agent {

TEST_CASE("leased slots are closed once for each end of leases") {
  LeaseEnd end;
  CHECK_FALSE(end.begins(false));
  CHECK(end.begins(true));
  CHECK_FALSE(end.begins(true));
  CHECK_FALSE(end.begins(false));  // a renewal
  CHECK(end.begins(true));
}

TEST_CASE("where no slot was leased the end of leases has no further step") {
  LeaseEnd end;
  CHECK(end.next_ms(500) == 500);
  end.begins(true);
  CHECK_FALSE(end.try_fence(500));
  CHECK_FALSE(end.try_give_up(500));
  CHECK(end.next_ms(500) == INT64_MAX);
}

TEST_CASE("limits fall when the fences of closed slots have settled, not sooner") {
  LeaseEnd end;
  end.begins(true);
  end.closed();
  CHECK_FALSE(end.try_give_up(1'000));
  REQUIRE(end.try_fence(1'000));
  end.fenced(1'000, 200);
  CHECK(end.next_ms(0) == 1'200);
  CHECK_FALSE(end.try_fence(1'200));
  CHECK_FALSE(end.try_give_up(1'199));
  REQUIRE(end.try_give_up(1'200));
  end.gave_up();
  CHECK_FALSE(end.try_give_up(9'000));
  CHECK(end.next_ms(0) == INT64_MAX);
}

TEST_CASE("a step of the end that failed is tried again a second later") {
  LeaseEnd end;
  end.begins(true);
  end.closed();
  REQUIRE(end.try_fence(1'000));
  CHECK_FALSE(end.try_fence(1'999));
  CHECK(end.next_ms(0) == 2'000);
  REQUIRE(end.try_fence(2'000));
  end.fenced(2'000, 0);
  REQUIRE(end.try_give_up(2'000));
  CHECK_FALSE(end.try_give_up(2'999));
  CHECK(end.try_give_up(3'000));
}

TEST_CASE("after a renewal a step that is due is waited for beside the next end") {
  LeaseEnd end;
  end.begins(true);
  end.closed();
  end.try_fence(1'000);
  end.begins(false);
  CHECK(end.next_ms(1'500) == 1'500);
  CHECK(end.next_ms(5'000) == 2'000);
}

}  // namespace leasehold::agent
