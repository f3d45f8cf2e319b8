// Work gets a signal that it must end (agent/core/work/signals.hpp).
#include "agent/core/work/signals.hpp"

#include <catch2/catch.hpp>

#include "agent/core/work/work_session.hpp"

using namespace leasehold::agent;

namespace {

std::string told(const std::string& comment, const std::string& configured) {
  WorkUnit unit;
  unit.comment = comment;
  return signal_for(unit, configured);
}

}  // namespace

TEST_CASE("a signal that ends what does not catch it is sent only to work that asks for one") {
  for (const char* deadly : {"USR1", "USR2", "TERM", "INT", "HUP", "XCPU", "CONT"}) {
    CHECK(told("", deadly).empty());
    CHECK(told("leasehold:rank=3", deadly).empty());
    CHECK(told(std::string("leasehold:signal=") + deadly, "none") == deadly);
  }
  CHECK(told("", "none").empty());
  CHECK(told("", "URG") == "URG");
  CHECK(told("some words", "WINCH") == "WINCH");
  CHECK(told("mine; leasehold:rank=3,signal=SIGUSR2", "URG") == "USR2");
  CHECK(told("leasehold:signal=KILL", "USR1").empty());
  CHECK(told("leasehold:signal=KILL", "URG") == "URG");
}
