// An agent says where it runs.
#include "agent/io/broker/identity.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/unit/agent/scratch.hpp"

namespace leasehold::agent {
namespace {

class OtherBoot : public TimeSource {
 public:
  std::string boot_id() const override { return "another"; }
};

TEST_CASE("a copy of a state file has another identity, a restart of its agent the same place") {
  const Scratch scratch;
  const std::string state = scratch.file("agent.db");
  std::ofstream(state) << "state";
  const wire::Identity first = identity_of(state);
  CHECK(first.machine.size() == 16);
  CHECK(first.boot.size() == 16);
  CHECK(first.file != 0);
  const wire::Identity again = identity_of(state);
  CHECK(again.machine == first.machine);
  CHECK(again.boot == first.boot);
  CHECK(again.file == first.file);
  CHECK(again.process != first.process);
  std::filesystem::copy_file(state, scratch.file("copy.db"));
  CHECK(identity_of(scratch.file("copy.db")).file != first.file);
  CHECK(identity_of(state, OtherBoot()).boot != first.boot);
}

}  // namespace
}  // namespace leasehold::agent
