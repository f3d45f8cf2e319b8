// When the core wants to be woken, and in which order deadlines are taken.
#include "broker/core/model/turn/deadlines.hpp"

#include <catch2/catch.hpp>

#include "broker/core/model/turn/derive.hpp"
#include "tests/unit/core/fixtures.hpp"

using namespace leasehold;
using namespace leasehold::test;

namespace {

void open_transfer(State& state, uint32_t group, uint64_t id, Instant deadline) {
  Transfer transfer;
  transfer.id = id;
  set_deadline(state, group, transfer, deadline);
  state.slot_groups[group].transfers.push_back(transfer);
}

}  // namespace

TEST_CASE("what is due is taken soonest first, then by group, then by transfer") {
  State state;
  state.slot_groups.resize(3);
  open_transfer(state, 2, 1, Instant{40});
  open_transfer(state, 2, 4, Instant{50});
  open_transfer(state, 1, 3, Instant{50});
  open_transfer(state, 1, 9, Instant{50});
  open_transfer(state, 0, 2, Instant{60});
  std::vector<uint64_t> taken;
  while (const auto deadline = take_deadline(state, Instant{59})) {
    taken.push_back(deadline->transfer);
  }
  CHECK(taken == std::vector<uint64_t>{1, 3, 9, 4});
  CHECK(next_deadline(state) == Instant{60});
}

TEST_CASE("a deadline that was moved, or whose transfer is over, is not due") {
  State state;
  state.slot_groups.resize(1);
  open_transfer(state, 0, 1, Instant{50});
  open_transfer(state, 0, 2, Instant{50});
  set_deadline(state, 0, state.slot_groups[0].transfers[0], Instant{80});
  state.slot_groups[0].transfers.pop_back();
  CHECK_FALSE(take_deadline(state, Instant{79}));
  CHECK(take_deadline(state, Instant{80})->transfer == 1);
  CHECK_FALSE(take_deadline(state, Instant{1'000}));
}

TEST_CASE("deadlines are found again in the transfers themselves") {
  Site site = made(8);
  wait(site, kDelayMs);
  REQUIRE(site.phase(kPool) == "inactive");
  derive(site.state);
  CHECK(next_deadline(site.state) == site.now + kTimeoutMs);
  REQUIRE(site.take_one("east"));
  REQUIRE(site.take_one("west"));
  REQUIRE(site.phase(kPool) == "active");
  derive(site.state);
  CHECK(site.state.deadlines.empty());
}

TEST_CASE("a grid's next instant is the first after now, its anchor when that is still to come") {
  Grid grid;
  grid.delay_ms = 100;
  grid.anchor = Instant{1'000};
  CHECK(next_on_grid(grid, Instant{900}) == Instant{1'000});
  CHECK(next_on_grid(grid, Instant{1'000}) == Instant{1'100});
  CHECK(next_on_grid(grid, Instant{1'099}) == Instant{1'100});
  CHECK(next_on_grid(grid, Instant{1'100}) == Instant{1'200});
  CHECK(next_on_grid(grid, Instant{1'555}) == Instant{1'600});  // missed ones are one
}

TEST_CASE("the next window is the soonest end or begin of any policy") {
  ResolvedWindows windows;
  windows.policies = {{"night", {{Instant{10}, Instant{20}}, {Instant{30}, Instant{40}}}},
                      {"noon", {{Instant{15}, Instant{35}}}}};
  const std::pair<int64_t, int64_t> rows[] = {{0, 10},  {10, 15}, {15, 20},
                                              {20, 30}, {34, 35}, {35, 40}};
  for (const auto& [now, next] : rows) {
    INFO("at " << now);
    CHECK(next_window(windows, Instant{now}) == Instant{next});
  }
  CHECK(next_window(windows, Instant{40}) == kNever);
  CHECK_FALSE(open_at(windows, "noon", Instant{14}));
  CHECK(open_at(windows, "noon", Instant{15}));
  CHECK(open_at(windows, "night", Instant{19}));
  CHECK_FALSE(open_at(windows, "night", Instant{20}));
  CHECK(open_at(windows, "always", Instant{20}));
}

TEST_CASE("windows resolved further ahead keep what is open, and count from then on") {
  Site site = connected(one_pool(1, 4), 1, 4);
  REQUIRE(site.held(kPool, kConsumer) == 1);
  ResolvedWindows windows;
  windows.until = site.now + 1'000'000;
  windows.policies = {{"pool", {{site.now, site.now + 5'000}}}};
  CHECK(site.step(WindowsResolved{windows}));
  site.run_until_idle();
  CHECK(site.phase(kPool) == "offered");
  CHECK(next_deadline(site.state) == site.now + 5'000);
  site.pass(5'000);
  CHECK(find_lease(site.state, kPool) == kNoIndex);
}
