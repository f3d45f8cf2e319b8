// Work gets a signal that it must end (agent/core/work/signals.hpp).
#include "agent/core/work/signals.hpp"

#include <catch2/catch.hpp>

#include "agent/core/work/work_session.hpp"

using namespace leasehold::agent;

namespace {

std::string signal_with(const std::string& comment, const std::string& configured) {
  WorkUnit unit;
  unit.comment = comment;
  return signal_for(unit, configured);
}

}  // namespace

TEST_CASE("a signal that ends what does not catch it is sent only to work that asks for one") {
  for (const char* deadly : {"USR1", "USR2", "TERM", "INT", "HUP", "XCPU", "CONT"}) {
    CHECK(signal_with("", deadly).empty());
    CHECK(signal_with("leasehold:rank=3", deadly).empty());
    CHECK(signal_with(std::string("leasehold:signal=") + deadly, "none") == deadly);
  }
  CHECK(signal_with("", "none").empty());
  CHECK(signal_with("", "URG") == "URG");
  CHECK(signal_with("some words", "WINCH") == "WINCH");
  CHECK(signal_with("mine; leasehold:rank=3,signal=SIGUSR2", "URG") == "USR2");
  CHECK(signal_with("leasehold:signal=KILL", "USR1").empty());
  CHECK(signal_with("leasehold:signal=KILL", "URG") == "URG");
}
