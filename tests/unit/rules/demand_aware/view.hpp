// Leases as the rule demand-aware is asked of them, in short words.
#pragma once

#include <utility>
#include <vector>

#include "broker/rules/demand_aware/decide.hpp"

namespace leasehold::demand_aware::test {

inline constexpr Instant kNoon{43'200'000};

inline Waiting jobs(int32_t slots_per_host, int32_t hosts, int64_t slots, int64_t count = 1) {
  Waiting waiting;
  waiting.shape = {slots_per_host, hosts, slots};
  waiting.jobs = count;
  return waiting;
}
/// Slots wherever they are.
inline Waiting loose(int64_t slots, int64_t count = 1) {
  return jobs(1, 1, slots, count);
}

/// One host a pair: idle slots of the provider and of the consumer; 16 slots each are exported.
inline View view(std::vector<std::pair<int32_t, int32_t>> idle, std::vector<Waiting> provider,
                 std::vector<Waiting> consumer) {
  View made;
  made.now = kNoon;
  for (const auto& [east, west] : idle) made.rows.push_back({{east, west}});
  made.exported.assign(made.rows.size(), 16);
  made.slots = static_cast<int64_t>(16 * made.rows.size());
  made.sides[kProvider].waiting = std::move(provider);
  made.sides[kConsumer].waiting = std::move(consumer);
  return made;
}

}  // namespace leasehold::demand_aware::test
