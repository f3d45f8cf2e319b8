// The part of Oracle that follows the slots that demand-aware leases move to a consumer and that it
// never uses. It reads who holds and uses slots, not what the rule remembers.
#include <algorithm>
#include <utility>

#include "broker/core/model/queries/hosts.hpp"
#include "tests/simulation/oracle/oracle.hpp"

namespace leasehold::simulation {

namespace {

/// Returns the slots that the consumer holds and is not known to use.
int32_t not_used(const SlotGroup& group) {
  int32_t slots = 0;
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    const Holding& holding = group.at(row, kConsumer);
    slots += holding.up ? std::max(0, holding.held - holding.used) : holding.held;
  }
  return slots;
}

/// True if an idle host could be moved. A lease of whole hosts moves one that is no larger than
/// what has to go back.
bool could_go_back(const State& state, const SlotGroup& group, int32_t slots) {
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    const int32_t idle = idle_there(state, group, kConsumer, row);
    if (common_up(group, row) && idle > 0 && (!moves_whole(state, group, row) || idle <= slots)) {
      return true;
    }
  }
  return false;
}

int32_t sum_of(const auto& unused) {
  int32_t slots = 0;
  for (const auto& one : unused) slots += one.slots;
  return slots;
}

/// Removes that many slots, which went back or were used, the oldest first.
void take(auto& unused, int32_t slots) {
  for (auto& one : unused) {
    const int32_t some = std::clamp(slots, 0, one.slots);
    one.slots -= some;
    slots -= some;
  }
  std::erase_if(unused, [](const auto& one) { return one.slots == 0; });
}

}  // namespace

void Oracle::note_moved(const State& state, const SlotGroup& group) {
  Moved& moved = moved_[group.generation];
  const int32_t held_before = std::exchange(moved.held, held_by(group, kConsumer));
  const ExportPolicy& policy = state.policies[group.policy].config;
  bool coming = false;
  for (const Transfer& transfer : group.transfers) {
    if (transfer.reason != Reason::consumer_waits) continue;
    coming = true;
    if (transfer.step != TransferStep::granting || transfer.id <= moved.last_transfer) continue;
    moved.last_transfer = transfer.id;
    moved.unused.push_back({transfer.slots_released, state.now.ms +
                                                         policy.use_by_ms.value_or(kDemandUseByMs) +
                                                         state.config.transfer_timeout_ms});
  }
  if (group.quarantined || coming) return;
  take(moved.unused, held_before - moved.held);
  take(moved.unused, sum_of(moved.unused) - not_used(group));
}

/// Returns the slots that should have gone back by now, and could.
int32_t Oracle::kept_in_vain(const State& state, const SlotGroup& group) const {
  const auto known = moved_.find(group.generation);
  if (known == moved_.end()) return 0;
  int32_t slots = 0;
  for (const Moved::Slots& one : known->second.unused) {
    if (one.use_by_ms <= state.now.ms) slots += one.slots;
  }
  return could_go_back(state, group, slots) ? slots : 0;
}

}  // namespace leasehold::simulation
