#include "broker/simulate/broker.hpp"

#include <algorithm>

#include "broker/config/windows.hpp"
#include "broker/core/lease/evaluate.hpp"
#include "broker/core/model/deadlines.hpp"
#include "broker/core/step.hpp"
#include "common/check.hpp"

namespace leasehold {

void VirtualBroker::feed(const Event& event, Instant now) {
  effects_.clear();
  now = now + core_ahead_ms_;
  if (now != fed_at_) commit();
  fed_at_ = now;
  const bool recorded = step(state_, event, now, effects_);
  if (store_ != nullptr && recorded) {
    store_->append(event, now, effects_.records, state_);
    kept_at_ = now;
  }
  count(now);
  for (const SendOrder& order : effects_.orders) {
    if (order.generation == 0) continue;  // a later order of the same step replaced it
    const auto hosts = effects_.hosts_of(order);
    orders_.push_back(
        {order.cluster, order.generation, order.seq, {hosts.begin(), hosts.end()}, order.grace_ms});
  }
}

void VirtualBroker::count_flip(const Record& row) {
  ++flips_;
  flipped_at_ = fed_at_;
  slots_moved_ += row.slots;
  slots_in_transfer_ += row.slots;
  if (row.reason == Reason::grant_unused) slots_unused_ += row.slots;
}

/// Counts a reclaim of a lease; its slots come one by one, and are not a flip's. `alone`: the
/// evaluation that asked for them released nothing else.
void VirtualBroker::count_reclaim(const Record& row, bool alone) {
  const int64_t id = row.numbers.front();
  if (row.kind == RecordKind::transfer_started) {
    const Transfer* open = state_.slot_groups[row.group].transfers.find(static_cast<uint64_t>(id));
    if (open == nullptr || open->lowering != wire::Lowering::reclaim) return;
    reclaims_.insert(id);
    flips_ += alone ? 1 : 0;
  } else if (row.kind == RecordKind::transfer_released && reclaims_.contains(id)) {
    slots_moved_ += row.slots;
    slots_in_transfer_ += row.slots;
  } else if (row.kind == RecordKind::transfer_done) {
    reclaims_.erase(id);
  }
}

/// Under a plan an evaluation that gives or takes is a flip; slots count as moved when they are
/// granted.
void VirtualBroker::count(Instant now) {
  bool moved = false;
  const Record* before = nullptr;
  for (const Record& row : effects_.records) {
    const bool alone = before == nullptr || before->kind != RecordKind::transfer_started ||
                       before->group != row.group;
    before = &row;
    if (row.group != kNoIndex && state_.slot_groups[row.group].resource_group == kNoIndex) {
      count_reclaim(row, alone);
    }
    if (row.kind == RecordKind::flip) {
      count_flip(row);
    } else if (row.kind == RecordKind::consumer) {
      moved = moved || row.slots != 0;
    } else if (row.kind == RecordKind::transfer_granted &&
               state_.slot_groups[row.group].resource_group != kNoIndex) {
      slots_moved_ += row.slots;
    } else if (row.kind == RecordKind::transfer_released && begun_ &&
               state_.slot_groups[row.group].resource_group != kNoIndex) {
      slots_in_transfer_ += row.slots;
    }
  }
  flips_ += moved ? 1 : 0;
  if (rule_.planned) meter_.recorded(effects_.records, now);
}

/// Applies calm_comparison by not calling the core, which finds the evaluation due the next time.
bool VirtualBroker::puts_off(Instant now) const {
  if (!rule_.damped || state_.slot_groups.empty()) return false;
  const Instant at = now + core_ahead_ms_;
  const bool held = flipped_at_.ms != INT64_MIN && at - flipped_at_ < scenario_.damping.min_hold_ms;
  return held || decide(state_, 0).slots <= scenario_.damping.dead_zone;
}

bool VirtualBroker::evaluate(Instant now) {
  if (puts_off(now)) return false;
  resolve_ahead(now);
  feed(Tick{}, now);
  return carry_out_orders(now);
}

void VirtualBroker::resolve_ahead(Instant now) {
  const Instant at = now + core_ahead_ms_;
  if (!are_windows_due(state_.config, state_.windows.until, at)) return;
  feed(WindowsResolved{resolve_windows(state_.config, at)}, now);
}

Instant VirtualBroker::next_evaluation() const {
  const Instant next = next_deadline(state_);
  return next == kNever ? kNever : next + -core_ahead_ms_;
}

int64_t VirtualBroker::settle(Side& side, Instant now) {
  int64_t ended = 0;
  for (SideHost& host : side.hosts) {
    ended += host.planned->settle(scenario_.transfer_time_ms, now);
  }
  return ended;
}

bool VirtualBroker::by_host(const SlotGroup& group) const {
  if (group.resource_group != kNoIndex) return true;
  const bool by_demand = rule_.by_demand();
  return by_demand && scenario_.policies[policy_of(group)].provider_first;
}

bool VirtualBroker::ends_work() const {
  if (rule_.planned) return true;
  const auto first = [](const ScenarioPolicy& policy) { return policy.provider_first; };
  const auto& all = scenario_.policies;
  return rule_.by_demand() && std::any_of(all.begin(), all.end(), first);
}

int64_t VirtualBroker::slot_ms_lost() const {
  int64_t lost = 0;
  for (const Side& side : sides_) {
    if (!side.by_host) continue;
    for (const SideHost& host : side.hosts) lost += host.planned->slot_ms_lost();
  }
  return lost;
}

void VirtualBroker::settle(Instant now) {
  for (uint32_t g = 0; g < sides_of_.size(); ++g) {
    const SlotGroup& group = state_.slot_groups[g];
    if (!by_host(group)) continue;
    std::vector<int64_t> usable(group.hosts.size(), 0);
    for (size_t m = 0; m < sides_of_[g].size(); ++m) {
      Side& side = sides_[sides_of_[g][m]];
      const int64_t ended = settle(side, now);
      jobs_requeued_ += ended;
      const bool leaf = group.resource_group != kNoIndex;
      if (ended > 0 && leaf) {
        meter_.ended(group.resource_group, group.members[m].plan_consumer, ended);
      }
      for (size_t row = 0; row < side.hosts.size(); ++row) {
        usable[row] += models_[side.cluster].cap(side.hosts[row].host);
      }
    }
    for (size_t row = 0; row < usable.size(); ++row) {
      LEASEHOLD_CHECK(usable[row] <= group.hosts[row].exported, "simulated slots have two users");
    }
  }
}

Instant VirtualBroker::next_delivery() const {
  Instant soonest = kNever;
  for (const Side& side : sides_) {
    soonest = std::min(soonest, side.answer_at);
    if (!side.by_host) continue;
    for (const SideHost& host : side.hosts) {
      soonest = std::min({soonest, host.planned->next_delivery(), host.planned->next_grace_end()});
    }
  }
  return soonest;
}

bool VirtualBroker::deliver_by_host(Side& side, Instant now) {
  bool arrived = false;
  for (SideHost& host : side.hosts) arrived = host.planned->deliver(now) || arrived;
  return arrived;
}

bool VirtualBroker::deliver(Instant now) {
  bool opened = false;
  for (uint32_t i = 0; i < sides_.size(); ++i) {
    const bool arrived = sides_[i].by_host && deliver_by_host(sides_[i], now);
    const bool owes = sides_[i].answer_at != kNever;
    if (owes ? sides_[i].answer_at > now : !arrived) continue;
    sides_[i].answer_at = kNever;
    answer(i, now);
    if (carry_out_orders(now)) opened = true;
  }
  return opened;
}

std::vector<ConsumerOutcome> VirtualBroker::consumers(Instant now) const {
  return meter_.rows(state_, now + core_ahead_ms_);
}

/// Commits once for each instant: the past is read as of the end of a commit.
void VirtualBroker::commit() {
  if (store_ != nullptr && failed_) failed_ = store_->commit(state_);
}

/// Returns the first error of keeping the history, at the end; the measured figures do not depend
/// on it.
Status VirtualBroker::finish(Instant end) {
  // This input changes nothing but is recorded, so that the last state lasts until then.
  if (kept_at_ < end + core_ahead_ms_) feed(WindowsResolved{state_.windows}, end);
  commit();
  return failed_;
}

}  // namespace leasehold
