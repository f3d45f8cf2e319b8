// Which caps take fences away, and which groups are known when the state is or is not. The whole
// of --release runs in tests/integration/release_test.py.
#include "agent/io/by_hand/release.hpp"

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/unit/agent/scratch.hpp"

namespace leasehold::agent {
namespace {

View view_with_fences() {
  View view;
  wire::HostFacts big;
  big.name = "big1";
  big.slots = 8;
  view.hosts.push_back(big);
  view.caps = {{"big1", false, 6, 4, 100, 50, {{7, 0, 2, 4}}, 0},
               {"gone1", false, 2, 0, 0, 0, {{7, 1, 2, 4}}, 0},
               {"imp1", true, 3, 0, 0, 0, {{9, 0, 3, 0}}, 5'000},
               {"imp2", true, 3, 0, 0, 0, {}, 0}};
  return view;
}

TEST_CASE("own hosts become free, imported ones close, one that is not in sight keeps its fence") {
  std::vector<std::string> kept;
  const std::vector<HostCap> caps = removals(view_with_fences(), kept);
  CHECK(caps == std::vector<HostCap>{{"big1", false, 8, 8, 0, 0, {}, 0},
                                     {"imp1", true, 0, 0, 0, 0, {}, 0},
                                     {"imp2", true, 0, 0, 0, 0, {}, 0}});
  CHECK(kept == std::vector<std::string>{"gone1"});
}

TEST_CASE("without a state the fences say which groups there are") {
  const Book book = known_groups(SavedState{}, HostNames{}, view_with_fences());
  REQUIRE(book.groups().size() == 2);
  CHECK(book.groups()[0].limits.generation == 7);
  CHECK(book.groups()[0].limits.hosts[0].limit == 2);
  CHECK(book.groups()[0].limits.hosts[0].exported == 4);
  CHECK(book.imported_hosts() == std::vector<std::string>{"imp1"});
}

TEST_CASE("with a state it says so, whatever the fences are") {
  SavedState saved;
  saved.lost = false;
  wire::ConfiguredGroup group;
  group.generation = 11;
  group.hosts = {{"big1", 4, false}};
  saved.configuration.groups = {group};
  const Book book = known_groups(saved, HostNames{}, view_with_fences());
  REQUIRE(book.groups().size() == 1);
  CHECK(book.groups()[0].limits.generation == 11);
}

TEST_CASE("a release while an agent has the state open is refused with what to do") {
  const Scratch scratch;
  Settings settings;
  settings.state = scratch.file("agent.db");
  const StateFile running = StateFile::open(settings.state).value();
  const Result<Found> found = release(settings, false, true);
  REQUIRE_FALSE(found);
  CHECK(found.error().code == ErrorCode::refused);
  CHECK(found.error().message.find("stop the agent first") != std::string::npos);
}

TEST_CASE("a release whose workload manager fails says so, and makes no state") {
  const Scratch scratch;
  Settings settings;
  settings.state = scratch.file("agent.db");
  const ConfigFile file = ConfigFile::parse("argv = [\"/bin/false\"]", "agent.toml");
  settings.workload.manager = find_manager("command");
  settings.workload.own = settings.workload.manager->read(file.root());
  const Result<Found> found = release(settings, false, true);
  REQUIRE_FALSE(found);
  CHECK(found.error().message.find("/bin/false") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(settings.state));
}

}  // namespace
}  // namespace leasehold::agent
