// An agent does nothing with numbers that no broker can rightly send (agent/core/bounds.hpp).
#include "tests/unit/agent/io/played_site.hpp"

namespace leasehold::agent {
namespace {

constexpr int32_t kMost = 1'000'000'000;

TEST_CASE("an agent does nothing of what a broker sends with numbers out of bounds") {
  PlayedSite stage;
  stage.shake();
  stage.configure({group(5, wire::Role::consumer)});
  stage.order(1, 2);
  REQUIRE(stage.next<wire::State>().state.hosts[0].limit == 2);
  wire::ConfiguredGroup huge = group(5, wire::Role::consumer);
  huge.hosts[0].slots = INT32_MAX;
  stage.configure({huge, group(6, wire::Role::provider)});
  stage.order(2, INT32_MAX);
  stage.order(3, INT32_MIN);
  stage.order(uint64_t{1} << 63U, 0);
  stage.order(4, 0, wire::Lowering::reclaim, INT64_MAX);
  stage.order(5, kMost + 1);
  CHECK(stage.ask("select slots from cap where host = 'far@west'") == 2);
  CHECK(stage.ask("select count(*) from cap") == 1);
  // The right ones that come next are done as if nothing had been: number 2 is not taken.
  stage.order(2, 3);
  const wire::State state = stage.next<wire::State>();
  CHECK(state.state.groups[0].seq == 2);
  CHECK(state.state.hosts[0].limit == 3);
}

TEST_CASE("limits of several groups on one host overflow what its fence counts") {
  PlayedSite stage(12);
  stage.shake();
  stage.configure({group(5, wire::Role::consumer), group(6, wire::Role::consumer),
                   group(7, wire::Role::consumer)});
  for (const uint64_t generation : {5U, 6U, 7U}) {
    stage.tell(wire::Order{stage.session(), generation, 1, 0, {{0, kMost, {}}}});
  }
  CHECK(stage.next<wire::State>().state.hosts[0].limit == kMost);
  CHECK(stage.ask("select slots from cap where host = 'far@west'") == kMost);
}

}  // namespace
}  // namespace leasehold::agent
