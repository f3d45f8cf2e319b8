// A host that is down at a consumer alone gives its idle slots back, and why is recorded.
#include <catch2/catch.hpp>

#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

TEST_CASE("a host that is down at a consumer only gives its idle slots back and gets none") {
  Site site = borrowed();
  row_of(site, "west").up = false;
  site.run_until_idle();
  CHECK(borrowed_row(site).held == 3);
  CHECK(site.held(kPool, kProvider) == 5);
  const bool recorded =
      std::any_of(site.history.begin(), site.history.end(), [](const Record& row) {
        return row.kind == RecordKind::transfer_started && row.reason == Reason::host_down;
      });
  CHECK(recorded);
  site.pass(3 * kDelayMs);
  CHECK(borrowed_row(site).held == 3);
  row_of(site, "west").up = true;
  site.run_until_idle();
  site.pass(kDelayMs);
  CHECK(borrowed_row(site).held == 8);
}

TEST_CASE("what is in use on a host that a consumer calls up again stays, and nobody ordered it") {
  Site site = borrowed();
  row_of(site, "west").up = false;
  site.run_until_idle();
  REQUIRE(site.group(kPool).transfers.front().wanted == Wanted{{0, 3}});
  row_of(site, "west").up = true;
  site.run_until_idle();
  CHECK(site.group(kPool).transfers.empty());
  CHECK(called_off(site) == std::vector{Reason::at_quota});
  CHECK(borrowed_row(site).held == 3);
}

TEST_CASE("a host that is up again, and closed meanwhile, gives its slots back for that alone") {
  Site site = borrowed();
  row_of(site, "west").up = false;
  site.run_until_idle();
  site.step(ordered(Command::close, "east", "h0"));
  site.run_until_idle();
  CHECK(site.group(kPool).transfers.front().reason == Reason::host_down);  // it still is
  CHECK(called_off(site).empty());
  row_of(site, "west").up = true;
  site.run_until_idle();
  REQUIRE(site.group(kPool).transfers.size() == 1);
  CHECK(site.group(kPool).transfers.front().reason == Reason::operator_order);
  CHECK(site.group(kPool).transfers.front().wanted == Wanted{{0, 3}});
  CHECK(called_off(site) == std::vector{Reason::operator_order});
  site.report("west");
  CHECK(called_off(site).size() == 1);
  site.step(ordered(Command::open, "east", "h0"));
  site.run_until_idle();
  CHECK(site.group(kPool).transfers.empty());
  CHECK(called_off(site) == std::vector{Reason::operator_order, Reason::operator_order});
}

// A hello forgets since when a host is down: the return was begun again as an operator's.
TEST_CASE("a return from a host that is down goes on over a new hello, closed or not") {
  for (const bool closed : {false, true}) {
    Site site = borrowed();
    row_of(site, "west").up = false;
    site.run_until_idle();
    if (closed) site.step(ordered(Command::close, "east", "h0"));
    site.lose("west");
    site.hello("west");
    site.report("west");
    site.run_until_idle();
    for (const Reason reason : called_off(site)) CHECK(reason == Reason::host_down);
    CHECK((called_off(site).empty() || !closed));
    CHECK(borrowed_row(site).held == 3);
  }
}

TEST_CASE("a host that a consumer does not know keeps its slots") {
  Site site = borrowed();
  row_of(site, "west").up = false;
  row_of(site, "west").used = 8;  // so an agent states what it cannot see
  site.run_until_idle();
  CHECK(borrowed_row(site).held == 8);
}
