#include "broker/views/leases/first_slots.hpp"

#include <algorithm>
#include <vector>

#include "broker/core/model/queries/hosts.hpp"
#include "broker/rules/demand_aware/packing.hpp"

namespace leasehold {

using demand_aware::IdleRow;
using demand_aware::Waiting;

namespace {

int32_t most_of(const State& state, const SlotGroup& group, uint32_t row) {
  return common_up(group, row) ? consumer_cap(state, group, row) : 0;
}

std::vector<IdleRow> offered_rows(const State& state, const SlotGroup& group, int64_t slots) {
  std::vector<IdleRow> offered(group.hosts.size());
  for (uint32_t row = 0; row < group.hosts.size() && slots > 0; ++row) {
    const int32_t most = most_of(state, group, row);
    const bool whole = moves_whole(state, group, row);
    const auto given = whole ? most : static_cast<int32_t>(std::min<int64_t>(slots, most));
    offered[row].idle[kConsumer] = given;
    const int32_t size = host_of(state, group, row).facts.slots;
    if (given >= size) offered[row].size = given;
    slots -= given;
  }
  return offered;
}

}  // namespace

bool starts_on_first_slots(const State& state, const SlotGroup& group, const Waiting& job,
                           int64_t slots) {
  const std::vector<IdleRow> offered = offered_rows(state, group, slots);
  demand_aware::Packing packing(kConsumer, offered, {}, 0);
  return packing.put(job).jobs > 0;
}

std::optional<int64_t> fewest_first_slots(const State& state, const SlotGroup& group,
                                          const Waiting& job) {
  int64_t most = 0;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) most += most_of(state, group, row);
  if (!starts_on_first_slots(state, group, job, most)) return std::nullopt;
  for (int64_t least = 1; least < most;) {
    const int64_t middle = least + (most - least) / 2;
    if (starts_on_first_slots(state, group, job, middle)) {
      most = middle;
    } else {
      least = middle + 1;
    }
  }
  return most;
}

}  // namespace leasehold
