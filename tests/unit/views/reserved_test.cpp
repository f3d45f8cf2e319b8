// The views show a host that its owner's workload manager reserves, from before until the
// reservation ends.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "broker/views/attention/attention.hpp"
#include "broker/views/catalogue.hpp"
#include "broker/views/views.hpp"
#include "tests/unit/views/site.hpp"

using namespace leasehold;
using site::kHour;
using site::live;

TEST_CASE(
    "a host that is reserved for later, and lent still, is told with the reservation's times") {
  State state = site::state();
  Host& host = state.clusters[0].hosts[0];
  host.facts.horizon =
      wire::Horizon{"maint", (site::kNoon + 2 * kHour).ms, (site::kNoon + 3 * kHour).ms};
  state.clusters[0].has_horizons = true;
  CHECK(view_attention(state, live()).empty());  // it is still open to west
  host.barred = {1};
  const Json all = view_attention(state, live());
  REQUIRE(all.size() == 1);
  const Json& need = all[0];
  CHECK(need["kind"] == "host-reserved");
  CHECK(need["subject"] == "big1@east");
  CHECK(need["at"] == format_utc(site::kNoon + 2 * kHour));
  CHECK(need["detail"].get<std::string>().find("(maint)") != std::string::npos);
  const Json hosts = view_hosts(state, live(), false);
  CHECK(hosts[0]["horizon"]["reservation"] == "maint");
  CHECK(hosts[0]["horizon"]["closed_to"] == Json::array({"west"}));
  CHECK(table_of("hosts", hosts, {}).find("reserved for later: maint") != std::string::npos);
}

TEST_CASE("where borrowed work is asked to end before a reservation, the views say from when") {
  State state = site::state();
  Host& host = state.clusters[0].hosts[0];
  host.facts.horizon =
      wire::Horizon{"maint", (site::kNoon + 2 * kHour).ms, (site::kNoon + 3 * kHour).ms};
  state.clusters[0].has_horizons = true;
  host.barred = {1};
  CHECK(view_hosts(state, live(), false)[0]["horizon"]["work_ends_from"].is_null());
  CHECK_THAT(view_attention(state, live())[0]["detail"].get<std::string>(),
             Catch::EndsWith("what runs is not ended"));
  state.policies[0].config.provider_first = true;  // with a grace of 30 s, and the leeway of 2 min
  const std::string from = format_utc(site::kNoon + (2 * kHour - 150'000));
  const Json hosts = view_hosts(state, live(), false);
  CHECK(hosts[0]["horizon"]["work_ends_from"] == from);
  CHECK_THAT(table_of("hosts", hosts, {}), Catch::Contains("work of others there is asked to end"));
  CHECK_THAT(view_attention(state, live())[0]["detail"].get<std::string>(),
             Catch::EndsWith("what runs is asked to end from " + from));
  const auto said = [&](const Json& answer) { return answer.dump(); };
  CHECK_THAT(said(view_explain(state, {0, kConsumer})["would_change"]),
             Catch::Contains("what runs there is asked to end from " + from));
}

TEST_CASE("explain and hosts say what the end of an export's window keeps from starting") {
  State state = site::state();
  const auto explained = [&state] {
    return view_explain(state, {0, kConsumer})["would_change"].dump();
  };
  CHECK_THAT(explained(), !Catch::Contains("the export ends"));
  const Instant end = site::kNoon + 6 * kHour;
  state.windows.until = end + 24 * kHour;
  state.windows.policies = {{"pool", {{site::kNoon, end}}}};
  CHECK_THAT(explained(), Catch::Contains("the export ends at " + format_utc(end)));
  CHECK_THAT(explained(), Catch::Contains("its agent does not report time limits"));
  state.clusters[1].ending = wire::Ending{{}, -1, wire::kNoTimeLimit};
  CHECK_THAT(explained(),
             Catch::Contains("a shorter time limit at west would have it ended by then"));
  state.clusters[1].ending->longest_limit_ms = 4 * kHour;
  CHECK_THAT(explained(), Catch::Contains("from " + format_utc(site::kNoon + 2 * kHour) + " on"));
  CHECK(view_hosts(state, live(), false)[0]["window_ends"].empty());
  state.slot_groups[0].members[kConsumer].window_ends = true;
  CHECK_THAT(explained(), Catch::Contains("west starts nothing before"));
  const Json hosts = view_hosts(state, live(), false);
  CHECK(hosts[0]["window_ends"][0] == Json{{"cluster", "west"}, {"at", format_utc(end)}});
  CHECK_THAT(table_of("hosts", hosts, {}), Catch::Contains("west starts nothing there before"));
}

TEST_CASE("borrowed work that is still there when a reservation begins is told until that ends") {
  // Symptom: from its first instant on the need was gone, and hosts said "down" without a reason.
  State state = site::state();
  Host& host = state.clusters[0].hosts[0];
  host.facts.horizon = wire::Horizon{"maint", site::kNoon.ms - 1, (site::kNoon + kHour).ms};
  host.facts.up = false;
  host.barred = {1};
  state.clusters[0].has_horizons = true;
  state.now = site::kNoon;
  const Json all = view_attention(state, live());
  const auto need = std::find_if(all.begin(), all.end(),
                                 [](const Json& one) { return one["kind"] == "host-reserved"; });
  REQUIRE(need != all.end());
  CHECK_THAT((*need)["detail"].get<std::string>(), Catch::Contains("which has begun"));
  CHECK((*need)["at"] == format_utc(site::kNoon + kHour));
  const Json hosts = view_hosts(state, live(), false);
  CHECK(hosts[0]["horizon"]["begun"] == true);
  CHECK_THAT(hosts[0]["down"][0]["why"].get<std::string>(),
             Catch::Contains("reservation maint of its owner has it until"));
  CHECK_THAT(table_of("hosts", hosts, {}), Catch::Contains("reserved: maint"));
}
