// Small parts of Agent alone: when it reports, which failures make it degraded, and whose messages
// it takes.
#include <catch2/catch.hpp>

#include "agent/io/agent/known/other_leaders.hpp"
#include "agent/io/agent/known/workload_failures.hpp"
#include "agent/io/agent/reports.hpp"

namespace leasehold::agent {

TEST_CASE("after a failed look that the agent is degraded is reported once, and nothing else") {
  Reports reports(5'000);
  CHECK(reports.begin(true, false, 1'000));
  CHECK(reports.next_ms() == 6'000);
  CHECK_FALSE(reports.begin(false, false, 6'000));
  CHECK(reports.begin(false, true, 11'000));
  CHECK_FALSE(reports.begin(false, true, 16'000));
  CHECK(reports.begin(true, false, 21'000));
  CHECK(reports.begin(false, true, 26'000));
}

TEST_CASE("the use of own hosts is reported by position in the inventory, of others' hosts none") {
  Reports reports(5'000);
  std::vector<wire::HostFacts> hosts(2);
  hosts[0].name = "e1";
  hosts[1].name = "e2";
  reports.take_inventory(hosts);
  std::vector<HostLoad> loads(3);
  loads[0].host = "e2";
  loads[0].used = 3;
  loads[1].host = "e1";
  loads[1].imported = true;
  loads[2].host = "new";
  const std::vector<wire::HostUse> use = reports.use_of(loads);
  REQUIRE(use.size() == 1);
  CHECK(use[0].host == 1);
  CHECK(use[0].used == 3);
}

TEST_CASE("the agent is degraded after as many failures in a row as are configured") {
  WorkloadFailures failures(2);
  const Error error{ErrorCode::unreachable, "no answer", "", 0, 0};
  failures.count("read", error);
  CHECK_FALSE(failures.degraded());
  failures.count("read", error);
  CHECK(failures.degraded());
  failures.end_row();
  CHECK_FALSE(failures.degraded());
  CHECK(failures.in_a_row() == 0);
}

TEST_CASE("messages of a leadership that was not greeted are counted and not taken") {
  Session session{SessionTimes{}};
  session.on_welcome(leadership_of(4, 77), 0);
  OtherLeaders others;
  CHECK(others.check(session, "order", 4, 77));
  CHECK_FALSE(others.check(session, "order", 4, 78));
  CHECK_FALSE(others.check(session, "order", 5, 77));
  CHECK(others.messages() == 2);
}

}  // namespace leasehold::agent
