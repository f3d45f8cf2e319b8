#include "broker/core/model/turn/lease_dues.hpp"

#include <algorithm>
#include <utility>

#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/lease_asked.hpp"

namespace leasehold {

void move_dues(SlotGroup& group, const Transfer& starts) {
  const bool release = starts.lowering == wire::Lowering::release;
  if (group.resource_group != kNoIndex || release || follows_cap(starts.reason)) return;
  for (const auto& [row, slots] : starts.wanted) {
    int32_t& due = group.at(row, kConsumer).due;
    due = std::max(0, starts.from == kProvider ? due + slots : due - slots);
  }
}

namespace {

template <class DueOf>
void set_dues(SlotGroup& group, const DueOf& due_of) {
  if (group.resource_group != kNoIndex) return;
  const LeaseAsked asked(group);
  for (uint32_t row = 0; row < group.hosts.size(); ++row) {
    const int32_t before = std::as_const(group).at(row, kConsumer).due;
    const int32_t due = due_of(asked.due_bounds(row), before);
    if (due != before) group.at(row, kConsumer).due = due;
  }
}

}  // namespace

void bound_dues(SlotGroup& group) {
  set_dues(group, [](const DueBounds& bounds, int32_t due) {
    return std::clamp(due, bounds.least, bounds.most);
  });
}

void renew_dues(SlotGroup& group) {
  set_dues(group, [](const DueBounds& bounds, int32_t) { return bounds.least; });
}

int32_t raise_dues(const State& state, SlotGroup& group, const Transfer& release,
                   const Wanted& came) {
  int32_t over = 0;
  for (const auto& [row, slots] : came) {
    Holding& consumer = group.at(row, kConsumer);
    const int32_t with_it = consumer.held + group.hosts[row].in_transfer;
    const bool whole = moves_whole(state, group, row);
    if (whole && !comes_whole(state, group, row, release.to)) {
      if (release.to == kProvider) consumer.due = with_it;
      continue;
    }
    if (release.to == kConsumer) consumer.due = whole ? with_it : consumer.due + slots;
    over += whole ? group.hosts[row].in_transfer : slots;
  }
  return over;
}

void give_back_dues(SlotGroup& group, const Transfer& release) {
  if (release.to != kProvider) return;  // what a consumer does not take it is due no longer
  for (const auto& [row, slots] : release.wanted) {
    const int32_t back = group.hosts[row].in_transfer;
    if (back > 0) group.at(row, kConsumer).due = group.at(row, kConsumer).held + back;
  }
}

}  // namespace leasehold
