// What a reload would do, found by doing it to a copy of the state: the core itself is asked.
#include <map>

#include "broker/core/step.hpp"
#include "broker/views/rows.hpp"
#include "broker/views/views.hpp"

namespace leasehold {

namespace {

struct Change {
  std::string provider;
  std::string consumer;
  int64_t before = 0;
  int64_t after = 0;
  int64_t used_losing = 0;  // slots that run the consumer's jobs and are to go back
};

using Changes = std::map<std::string, Change>;

/// Slots that the lease is to have in the end.
int64_t slots_due(const Group& group) {
  if (group.phase == Phase::draining || group.phase == Phase::closed) return 0;
  int64_t sum = 0;
  for (const HostLedger& host : group.hosts) sum += host.target;
  return sum;
}

int64_t used_losing(const Group& before, const Group& after) {
  const bool over = after.phase == Phase::draining || after.phase == Phase::closed;
  int64_t sum = 0;
  for (size_t h = 0; h < before.hosts.size(); ++h) {
    const int32_t target = over || h >= after.hosts.size() ? 0 : after.hosts[h].target;
    if (target < before.hosts[h].target) {
      sum += std::max(0, before.at(h, kConsumer).used - target);
    }
  }
  return sum;
}

Change& change_of(Changes& changes, const State& state, const Group& group) {
  Change& change = changes[lease_id(state, group)];
  change.provider = rows::cluster_name(state, group, kProvider);
  change.consumer = rows::cluster_name(state, group, kConsumer);
  return change;
}

Changes compare(const State& before, const State& after) {
  Changes changes;
  for (const Group& group : before.groups) {
    if (group.phase == Phase::closed) continue;
    Change& change = change_of(changes, before, group);
    change.before += slots_due(group);
    const uint32_t later = find_group(after, group.generation);
    if (later != kNoIndex) change.used_losing += used_losing(group, after.groups[later]);
  }
  for (const Group& group : after.groups) {
    if (group.phase == Phase::closed) continue;
    change_of(changes, after, group).after += slots_due(group);
  }
  return changes;
}

}  // namespace

Json view_reload(const State& state, const ConfigLoaded& loaded, Instant now) {
  State after = state;
  Effects effects;
  step(after, loaded, now, effects);
  Json list = Json::array();
  for (const auto& [lease, change] : compare(state, after)) {
    if (change.before == change.after && change.used_losing == 0) continue;
    list.push_back({{"lease", lease},
                    {"provider", change.provider},
                    {"consumer", change.consumer},
                    {"slots_before", change.before},
                    {"slots_after", change.after},
                    {"slots_used_losing", change.used_losing}});
  }
  return list;
}

}  // namespace leasehold
