// Finds what needs a person in the clocks of a broker and of its database's server. It says which
// of them is wrong, so that no agent is blamed for it.
#include <cstdlib>

#include "broker/views/attention/needs.hpp"
#include "broker/views/clusters/whose_clock.hpp"

namespace leasehold::attention {

namespace {

constexpr const char* kFollow = "let that machine follow a time server";

/// A leader compares with the clocks of its agents, a standby with those of agents that connect to
/// it.
std::optional<ClockDifference> ahead_of_agents(const Liveness& liveness) {
  const LeaderView& leader_view = liveness.leader_view;
  if (leader_view.role == BrokerRole::standby) return leader_view.ahead_of_visiting_agents;
  std::vector<ClockDifference> agents;
  for (const auto& [cluster, known] : liveness.clusters) {
    if (known.clock_off) agents.push_back(*known.clock_off);
  }
  const std::optional<ClockDifference> off = median(agents);
  if (!off) return std::nullopt;
  return off->reversed().plus({-leader_view.dates_ahead_ms, -leader_view.dates_ahead_ms});
}

std::string by_how_much(int64_t surely_ms) {
  return "at least " + format_duration(std::abs(surely_ms) / 1'000 * 1'000) +
         (surely_ms > 0 ? " ahead of" : " behind");
}

void of_machines(Found& found) {
  const LeaderView& leader_view = found.liveness.leader_view;
  const BrokerClock ahead{leader_view.ahead_of_server, ahead_of_agents(found.liveness)};
  const WhoseClock whose = whose_clock(ahead, kClockDiffersMs);
  if (whose != WhoseClock::brokers && whose != WhoseClock::servers) return;
  const int64_t surely_ms = leader_view.ahead_of_server->surely_ms();
  const bool own = whose == WhoseClock::brokers;
  const std::string others = ahead.of_agents ? " and its agents'" : "";
  found.needs.push_back({Kind::clock_differs, leader_view.name,
                         own ? "the clock of this broker's machine is " + by_how_much(surely_ms) +
                                   " the database server's" + others
                             : "the clock of the database's server is " + by_how_much(-surely_ms) +
                                   " this broker's, with which the agents' clocks agree",
                         kFollow});
}

/// Dates in a log never go back, so events stay ahead of a clock that was corrected.
void of_dates(Found& found) {
  const LeaderView& leader_view = found.liveness.leader_view;
  if (leader_view.dates_ahead_ms < kClockDiffersMs) return;
  found.needs.push_back({Kind::clock_differs, leader_view.name,
                         "events are dated " + by_how_much(leader_view.dates_ahead_ms) +
                             " this broker's clock, because a broker with a wrong clock led "
                             "before; so time windows open that much too early",
                         "where this machine's clock is right: stop all brokers, and start one "
                         "with --accept-clock"});
}

}  // namespace

void find_in_clocks(Found& found) {
  of_machines(found);
  of_dates(found);
}

}  // namespace leasehold::attention
