#include "broker/lab/what_if/meter.hpp"

#include <algorithm>

namespace leasehold {

SiteMeter::SiteMeter(Instant from, Instant to, size_t stretches)
    : from_(from),
      to_(to),
      now_(from),
      stretch_ms_(std::max<int64_t>(
          1, (to - from + static_cast<int64_t>(stretches) - 1) / static_cast<int64_t>(stretches))) {
  total_.course.resize(stretches);
}

/// Adds up all quantities as they were, until `at`.
void SiteMeter::pass(Instant at) {
  at = std::min(at, to_);
  while (now_ < at) {
    const auto stretch = static_cast<size_t>((now_ - from_) / stretch_ms_);
    const Instant end = std::min(at, from_ + static_cast<int64_t>(stretch + 1) * stretch_ms_);
    for (size_t q = 0; q < kQuantities; ++q) {
      const SlotMs sum = SlotMs{slots_[q]} * (end - now_);
      total_.sums[q] += sum;
      total_.course[stretch][q] += sum;
    }
    now_ = end;
  }
}

void SiteMeter::count(Group& group) {
  if (group.counted_to >= now_) return;
  LeaseOutcome& outcome = outcomes_[group.name];
  for (size_t q = 0; q < kQuantities; ++q) {
    outcome.sums[q] += SlotMs{group.slots[q]} * (now_ - group.counted_to);
  }
  group.counted_to = now_;
}

SiteMeter::Group& SiteMeter::at(const State& state, uint32_t index) {
  while (groups_.size() <= index) groups_.push_back({kNoIndex, false, now_, {}, {}});
  Group& known = groups_[index];
  if (known.name != kNoIndex) return known;
  const SlotGroup& group = state.slot_groups[index];
  known.planned = group.resource_group != kNoIndex;
  known.name = place_of(known.planned ? state.resource_groups[group.resource_group].name
                                      : lease_id(state, group));
  return known;
}

uint32_t SiteMeter::place_of(const std::string& name) {
  const auto [place, added] = name_at_.emplace(name, static_cast<uint32_t>(names_.size()));
  if (added) {
    names_.push_back(name);
    outcomes_.emplace_back();
  }
  return place->second;
}

/// Returns the waiting slots of all members of a plan's group that have a leaf.
int64_t SiteMeter::waiting(const SlotGroup& group) const {
  int64_t slots = 0;
  for (const Member& member : group.members) {
    if (member.plan_consumer == kNoIndex) continue;
    if (member.cluster < waiting_.size()) slots += waiting_[member.cluster];
  }
  return slots;
}

void SiteMeter::look_at_waiting(const State& state, Group& known, uint32_t index) {
  const SlotGroup& group = state.slot_groups[index];
  int64_t slots = 0;
  if (known.planned) {
    slots = std::min(known.idle[0], waiting(group));
  } else {
    for (size_t m = 0; m < 2; ++m) {
      const uint32_t other = group.members[1 - m].cluster;
      slots += std::min(known.idle[m], other < waiting_.size() ? waiting_[other] : 0);
    }
  }
  constexpr auto kAt = static_cast<size_t>(Quantity::idle_while_waited);
  slots_[kAt] += slots - known.slots[kAt];
  known.slots[kAt] = slots;
}

namespace {

/// Returns the slots between two holders: closed for the one, or not yet open for the other.
int64_t slots_on_their_way(const SlotGroup& group) {
  if (group.phase == Phase::closed) return 0;
  int64_t slots = 0;
  for (const Transfer& open : group.transfers) {
    if (!open.inactive) continue;
    slots += open.step == TransferStep::releasing ? open.slots_wanted : open.slots_released;
  }
  return std::max<int64_t>(slots, in_transfer(group));
}

}  // namespace

void SiteMeter::look_at(const State& state, uint32_t index) {
  const SlotGroup& group = state.slot_groups[index];
  Group& known = at(state, index);
  count(known);
  for (size_t q = 0; q < kQuantities; ++q) slots_[q] -= known.slots[q];
  known.slots = {};
  known.idle = {};
  known.slots[static_cast<size_t>(Quantity::inactive)] = slots_on_their_way(group);
  if (group.phase != Phase::closed) {
    for (size_t row = 0; row < group.hosts.size(); ++row) {
      const bool owner_up = group.at(row, kProvider).up;
      for (size_t m = 0; m < group.members.size(); ++m) {
        const Holding& holding = group.at(row, m);
        const int32_t used = std::min(holding.used, holding.held);
        if (holding.up && owner_up) known.idle[known.planned ? 0 : m] += holding.held - used;
        if (m == kProvider) continue;
        known.slots[static_cast<size_t>(Quantity::lent)] += holding.held;
        known.slots[static_cast<size_t>(Quantity::lent_used)] += used;
      }
      if (known.planned && owner_up) known.idle[0] += group.hosts[row].unallocated;
    }
  }
  for (size_t q = 0; q < kQuantities; ++q) slots_[q] += known.slots[q];
  if (group.phase != Phase::closed) look_at_waiting(state, known, index);
}

void SiteMeter::began(State& state) {
  for (const uint32_t index : state.dirty_groups) state.slot_groups[index].dirty = false;
  state.dirty_groups.clear();
  for (uint32_t index = 0; index < state.slot_groups.size(); ++index) look_at(state, index);
}

void SiteMeter::changed(State& state, Instant at) {
  if (state.dirty_groups.empty()) return;
  pass(at);
  for (const uint32_t index : state.dirty_groups) {
    state.slot_groups[index].dirty = false;
    look_at(state, index);
  }
  state.dirty_groups.clear();
}

void SiteMeter::waits(const State& state, uint32_t cluster, int64_t slots, Instant at) {
  if (waiting_.size() <= cluster) {
    waiting_.resize(cluster + 1);
    unmet_.resize(cluster + 1);
    waited_to_.resize(cluster + 1, from_);
  }
  if (waiting_[cluster] == slots) return;
  pass(at);
  unmet_[cluster] += SlotMs{waiting_[cluster]} * (now_ - waited_to_[cluster]);
  waited_to_[cluster] = now_;
  slots_[static_cast<size_t>(Quantity::unmet)] += slots - waiting_[cluster];
  waiting_[cluster] = slots;
  for (const uint32_t index : state.clusters[cluster].slot_groups) {
    if (index >= groups_.size() || groups_[index].name == kNoIndex) continue;
    count(groups_[index]);
    look_at_waiting(state, groups_[index], index);
  }
}

void SiteMeter::moved(const State& state, uint32_t group, int64_t slots, bool flip, Instant when) {
  if (!counts(when)) return;
  const Group& known = at(state, group);
  if (flip == known.planned) return;
  LeaseOutcome& outcome = outcomes_[known.name];
  outcome.flips += flip ? 1 : 0;
  outcome.slots_moved += slots;
  total_.flips += flip ? 1 : 0;
  total_.slots_moved += slots;
}

void SiteMeter::plan_flip(const State& state, uint32_t plan, Instant when) {
  if (!counts(when)) return;
  ++outcomes_[place_of(state.resource_groups[plan].name)].flips;
  ++total_.flips;
}

SiteOutcome SiteMeter::outcome(const State& state) {
  pass(to_);
  for (Group& group : groups_) {
    if (group.name != kNoIndex) count(group);
  }
  for (uint32_t c = 0; c < waiting_.size(); ++c) {
    unmet_[c] += SlotMs{waiting_[c]} * (now_ - waited_to_[c]);
    waited_to_[c] = now_;
    total_.unmet[state.clusters[c].name] = unmet_[c];
  }
  for (size_t i = 0; i < names_.size(); ++i) total_.leases[names_[i]] = outcomes_[i];
  return total_;
}

}  // namespace leasehold
