#include "broker/simulate/broker.hpp"

#include <algorithm>

#include "broker/config/windows.hpp"
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
    if (order.generation == 0) continue;  // a later one of the same step replaced it
    const auto hosts = effects_.hosts_of(order);
    orders_.push_back(
        {order.cluster, order.generation, order.seq, {hosts.begin(), hosts.end()}, order.grace_ms});
  }
}

/// Under a plan an evaluation that gives or takes is a flip; slots have moved when granted.
void VirtualBroker::count(Instant now) {
  bool moved = false;
  for (const Record& row : effects_.records) {
    if (row.kind == RecordKind::flip) {
      ++flips_;
      slots_moved_ += row.slots;
      slots_in_transfer_ += row.slots;
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
  if (rule_ == SimulationRule::plan) meter_.recorded(effects_.records, now);
}

bool VirtualBroker::evaluate(Instant now) {
  resolve_ahead(now);
  feed(Tick{}, now);
  return carry_out_orders(now);
}

/// As the daemon does: in good time before what is resolved comes to its end.
void VirtualBroker::resolve_ahead(Instant now) {
  constexpr int64_t kGoodTimeMs = kWindowHorizonMs / 2;
  if (!has_windows(state_.config)) return;
  const Instant at = now + core_ahead_ms_;
  if (state_.windows.until - at > kGoodTimeMs) return;
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

void VirtualBroker::settle(Instant now) {
  for (uint32_t g = 0; g < sides_of_.size(); ++g) {
    const SlotGroup& group = state_.slot_groups[g];
    if (group.resource_group == kNoIndex) continue;
    std::vector<int64_t> usable(group.hosts.size(), 0);
    for (size_t m = 0; m < sides_of_[g].size(); ++m) {
      Side& side = sides_[sides_of_[g][m]];
      const int64_t ended = settle(side, now);
      if (ended > 0) meter_.ended(group.resource_group, group.members[m].plan_consumer, ended);
      for (size_t row = 0; row < side.hosts.size(); ++row) {
        usable[row] += models_[side.cluster].cap(side.hosts[row].host);
      }
    }
    for (size_t row = 0; row < usable.size(); ++row) {
      LEASEHOLD_CHECK(usable[row] <= group.hosts[row].exported,
                      "slots of a simulated plan have two users");
    }
  }
}

Instant VirtualBroker::next_delivery() const {
  Instant soonest = kNever;
  for (const Side& side : sides_) {
    soonest = std::min(soonest, side.answer_at);
    if (!side.by_plan) continue;
    for (const SideHost& host : side.hosts) {
      soonest = std::min({soonest, host.planned->next_delivery(), host.planned->next_grace_end()});
    }
  }
  return soonest;
}

bool VirtualBroker::deliver_planned(Side& side, Instant now) {
  bool arrived = false;
  for (SideHost& host : side.hosts) arrived = host.planned->deliver(now) || arrived;
  return arrived;
}

bool VirtualBroker::deliver(Instant now) {
  bool opened = false;
  for (uint32_t i = 0; i < sides_.size(); ++i) {
    const bool arrived = sides_[i].by_plan && deliver_planned(sides_[i], now);
    if (!arrived && sides_[i].answer_at > now) continue;
    sides_[i].answer_at = kNever;
    answer(i, now);
    if (carry_out_orders(now)) opened = true;
  }
  return opened;
}

std::vector<ConsumerOutcome> VirtualBroker::consumers(Instant now) const {
  return meter_.rows(state_, now + core_ahead_ms_);
}

/// One commit an instant: the past is read as of the end of a commit.
void VirtualBroker::commit() {
  if (store_ != nullptr && failed_) failed_ = store_->commit(state_);
}

/// A history that cannot be kept is said at the end, once; what was measured does not depend on it.
Status VirtualBroker::finish(Instant end) {
  // An input that changes nothing but is kept: until then the last state lasted.
  if (kept_at_ < end + core_ahead_ms_) feed(WindowsResolved{state_.windows}, end);
  commit();
  return failed_;
}

}  // namespace leasehold
