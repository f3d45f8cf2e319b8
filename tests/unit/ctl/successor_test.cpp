// Which broker a leader may hand its lead to, by leasectl's list of brokers.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/ctl/client/list.hpp"

using namespace leasehold;
using namespace leasehold::ctl;

namespace {

Json row(const char* name, const char* role, const Json& lag_ms) {
  return {{"name", name},
          {"endpoint", std::string("tcp://") + name},
          {"role", role},
          {"lag_ms", lag_ms}};
}

}  // namespace

TEST_CASE("a successor stands by, and lacks at most the last second of the log") {
  struct Case {
    const char* what;
    Json rows;
    const char* successor;
    bool good;
  };
  const Json leader = row("hub-a", "leader", 0);
  const Case cases[] = {
      {"one stands by", {leader, row("hub-b", "standby", 1'000)}, "", true},
      {"it is the one that is named", {leader, row("hub-b", "standby", 0)}, "hub-b", true},
      {"another is named", {leader, row("hub-b", "standby", 0)}, "hub-c", false},
      {"it is behind", {leader, row("hub-b", "standby", 1'001)}, "", false},
      {"how far it is is not known", {leader, row("hub-b", "standby", nullptr)}, "", false},
      {"it does not answer", {leader, row("", "unreachable", nullptr)}, "", false},
      {"the list has the leader alone", {leader}, "", false},
      {"the leader is named", {leader, row("hub-b", "standby", 0)}, "hub-a", false},
      {"of three one is near",
       {leader, row("hub-b", "standby", 9'000), row("hub-c", "standby", 3)},
       "",
       true},
      {"a broker without others says itself that it cannot", {row("", "alone", 0)}, "", true},
      {"another has a file of its own", {leader, row("hub-b", "alone", 0)}, "", false},
      {"it is named", {row("hub-b", "alone", 0), leader}, "hub-b", false},
  };
  for (const Case& one : cases) {
    INFO(one.what);
    const Status found = check_successor(one.rows, one.successor);
    CHECK(found.has_value() == one.good);
    if (!found) CHECK_THAT(found.error().message, Catch::Contains("hub-a: leader"));
  }
}
