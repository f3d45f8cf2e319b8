#include "broker/views/clusters/whose_clock.hpp"

#include <algorithm>

namespace leasehold {

namespace {

/// Time servers keep machines far closer to each other; waiting messages are seldom delayed for
/// longer.
constexpr int64_t kAheadMostMs = 120'000;

/// Returns 1 if surely ahead, -1 if surely behind, 0 otherwise.
int side_of(const std::optional<ClockDifference>& ahead, int64_t least_ms) {
  if (!ahead) return 0;
  const int64_t surely_ms = ahead->surely_ms();
  if (surely_ms > least_ms) return 1;
  return surely_ms < -least_ms ? -1 : 0;
}

int64_t middle_of(std::vector<int64_t> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

WhoseClock whose_clock(const BrokerClock& ahead, int64_t least_ms) {
  const int of_server = side_of(ahead.of_server, least_ms);
  const int of_agents = side_of(ahead.of_agents, least_ms);
  if (of_server == 0) return of_agents == 0 ? WhoseClock::nobodys : WhoseClock::agents;
  const bool alike = !ahead.of_agents || of_agents == of_server;
  return alike ? WhoseClock::brokers : WhoseClock::servers;
}

bool may_date_events(const BrokerClock& ahead) {
  return whose_clock(ahead, kAheadMostMs) != WhoseClock::brokers ||
         ahead.of_server->surely_ms() < 0;
}

std::optional<ClockDifference> median(const std::vector<ClockDifference>& differences) {
  if (differences.empty()) return std::nullopt;
  std::vector<int64_t> lows, highs;
  for (const ClockDifference& each : differences) {
    lows.push_back(each.low_ms);
    highs.push_back(each.high_ms);
  }
  return ClockDifference{middle_of(std::move(lows)), middle_of(std::move(highs))};
}

}  // namespace leasehold
