// Checks that a history which a test played is whole: replay decides alike, and its chain is
// unbroken.
#pragma once

#include <catch2/catch.hpp>

#include "broker/replay/verify.hpp"

namespace leasehold::test {

inline void require_whole(Log& log) {
  const auto report = verify(log);
  INFO((report ? "" : describe(report.error())));
  REQUIRE(report.has_value());
  INFO((report->ok() ? "" : describe(*report->difference)));
  REQUIRE(report->ok());
  REQUIRE(report->events > 0);
}

}  // namespace leasehold::test
