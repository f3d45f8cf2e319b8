// A configuration with more hosts or other groups than the one before.
#include <catch2/catch.hpp>

#include "agent/io/agent/known/durable_limits.hpp"
#include "tests/unit/agent/core/limits/made_groups.hpp"
#include "tests/unit/agent/io/played_agent.hpp"

namespace leasehold::agent {
namespace {

TEST_CASE("a state with fewer limits than the configuration has hosts was written, and refused") {
  const Scratch folder;
  const std::string path = folder.file("agent.db");
  auto state = StateFile::open(path);
  REQUIRE(state);
  wire::Configuration configuration;
  configuration.number = 1;
  configuration.groups = {group(4, wire::Role::provider, "big1", 4)};
  REQUIRE(state->save(configuration, {saved(4, wire::Role::provider, 4, 4, 1)}, {}));
  const Result<SavedState> before = state->load();
  REQUIRE(before);
  DurableLimits limits(HostNames{}, *state, *before);
  View found = view({facts("big1", 4), facts("big2", 4)}, {});
  found.caps = {{"big2", false, 2, 4, 0, 0, {{4, 1, 2, 4}, {5, 0, 0, 0}}}};
  limits.restore(*before, found);
  configuration.number = 2;
  configuration.groups[0].hosts.push_back({"big2", 4, false});
  configuration.groups.push_back(group(5, wire::Role::provider, "big2", 0));
  REQUIRE(limits.adopt(configuration, found.hosts));
  const Result<SavedState> after = state->load();
  REQUIRE(after);
  REQUIRE(after->limits.size() == 2);
  CHECK(after->limits[0].hosts.size() == 2);
  CHECK(after->limits[1].hosts.size() == 1);
}

TEST_CASE("a repeated order was answered with the use of another group after a configuration") {
  PlayedAgent site({ranked("a", "h1@west", "high")});
  site.look();
  site.tell(site.order(2, {{0, 4}, {1, 4}}, {}));
  REQUIRE(site.last<wire::State>().state.hosts.at(0).used == 4);
  site.floor.answers = false;
  site.configure(2, false,
                 {group_of(kSecond, "north", {"h3"}), group_of(kFirst, "west", {"h1", "h2"})});
  site.said.clear();
  wire::Order again = site.order(2, {{0, 4}, {1, 4}}, {});
  again.configuration = 2;
  site.tell(again);
  const wire::StateBlock stated = site.last<wire::State>().state;
  REQUIRE(stated.hosts.size() == 2);
  CHECK(stated.hosts[0].used == 4);
}

}  // namespace
}  // namespace leasehold::agent
