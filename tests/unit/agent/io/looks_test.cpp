// How often the workload manager is asked while slots are awaited.
#include "tests/unit/agent/io/played_agent.hpp"

using namespace leasehold;
using namespace leasehold::agent;

namespace {

/// Returns how many looks are taken in four seconds, a tenth of a second each turn, while a shrink
/// waits for a job.
int looks_in_four_seconds(int64_t look_ms) {
  PlayedAgent here({unit("1", "ann", "h1@west", 100, 4)});
  here.floor.change_in_ms = 1'000;
  here.slow_looks(look_ms);
  wire::Order shrink = here.order(2, {{0, 0}}, {});
  shrink.hosts[0].lowering = wire::Lowering::shrink;
  here.tell(shrink);
  here.look();
  const int before = here.floor.looks;
  for (int turn = 0; turn < 40; ++turn) here.pass(100);
  return here.floor.looks - before;
}

}  // namespace

TEST_CASE("while slots come free a quick workload manager is asked each second") {
  CHECK(looks_in_four_seconds(20) == 4);
}

// A busy controller that took a second a look was asked without a pause until the slots were free.
TEST_CASE("a slow one is asked after ten times what a look takes, or at the report interval") {
  CHECK(looks_in_four_seconds(200) == 2);
  CHECK(looks_in_four_seconds(1'000) <= 1);
}
