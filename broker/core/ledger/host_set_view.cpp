#include "broker/core/ledger/host_set_view.hpp"

#include <algorithm>

#include "broker/core/ledger/claims.hpp"
#include "broker/core/model/queries/owner_jobs.hpp"
#include "common/check.hpp"

namespace leasehold {

int32_t undue(const State& state, const SlotGroup& group, uint32_t row) {
  const int64_t free = plan_slots(state, group, row) - holding_index(group).due(row);
  return static_cast<int32_t>(std::max<int64_t>(0, free));
}

HostSetView::HostSetView(const State& state, uint32_t resource_group, uint32_t cluster)
    : state_(state), ledger_(state.resource_groups[resource_group]), cluster_(cluster) {
  plan_ = plan_in_force(state, ledger_);
  whole_hosts_ = plan_ != nullptr && decides_in_hosts(state, ledger_, *plan_);
}

/// Returns nullptr if every host will do.
const Selection* HostSetView::requirement(uint32_t consumer) const {
  if (ready_ == nullptr) ready_ = ready_plan(state_, ledger_, *plan_);
  const uint32_t at = ready_->consumer_at[consumer];
  if (at == kNoIndex || plan_->consumers[at].select.empty()) return nullptr;
  return &ready_->select[at];
}

size_t HostSetView::chooser(const SlotGroup& group) const {
  // Only of such a group it is certain that the cluster stands for a leaf in it.
  const bool follows = plan_ != nullptr && group.phase == Phase::active;
  return follows && !group.quarantined ? member_of(group, cluster_) : kNoIndex;
}

namespace {

/// Its own alone, and either all of it is asked for or none.
bool is_whole(const SlotGroup& group, size_t member, uint32_t row, const AskedRow& asked,
              int32_t size) {
  const Holding& holding = group.at(row, member);
  if (holding.held != size) return false;
  if (asked.nominated == size) return holding.due == 0;
  return holding.due == size && holding_index(group).due(row) == size;
}

}  // namespace

bool HostSetView::starts_nothing(const SlotGroup& group, size_t member, uint32_t row) const {
  return row_drains(state_, group, member, row) || starts_nothing_ahead(state_, group, member, row);
}

/// True if as many slots as are asked for can be had there, and in the same way.
bool HostSetView::would_do(const SlotGroup& group, size_t member, uint32_t row,
                           const AskedRow& asked, int32_t size) const {
  const Host& host = host_of(state_, group, row);
  const bool there = group.at(row, kProvider).up && host.present && host.facts.up;
  if (!there || !may_give(group, member, row, asked)) return false;
  return !whole_hosts() || is_whole(group, member, row, asked, size);
}

/// All that is asked of the row there is due to others or to nobody; it may stay where it is.
bool HostSetView::may_give(const SlotGroup& group, size_t member, uint32_t row,
                           const AskedRow& asked) const {
  const Holding& holding = group.at(row, member);
  const bool all_known = holding.due + asked.wanted >= holding.held;
  return holding.up && all_known && !starts_nothing(group, member, row);
}

bool HostSetView::can_use(uint32_t consumer, const SlotGroup& group, uint32_t row) const {
  const Selection* select = requirement(consumer);
  if (select != nullptr && !select->matches(host_of(state_, group, row).facts)) return false;
  const size_t member = member_for(group, consumer);
  return group.at(row, member).up && !starts_nothing(group, member, row);
}

size_t HostSetView::member_for(const SlotGroup& group, uint32_t consumer) {
  const uint32_t member = holding_index(group).member_for(consumer);
  LEASEHOLD_CHECK(member != kNoIndex, "a leaf of the plan is a member of its groups");
  return member;
}

std::vector<Claimant> HostSetView::claimants(const SlotGroup& group, uint32_t row,
                                             int32_t slots) const {
  std::vector<Claimant> found;
  for (const uint32_t m : may_miss(group, row)) {
    if (group.members[m].plan_consumer == kNoIndex || starts_nothing(group, m, row)) continue;
    const int32_t missing = member_cap(state_, group, m, row) - group.at(row, m).held;
    if (missing > 0) found.push_back({group.members[m].plan_consumer, missing});
  }
  std::stable_sort(found.begin(), found.end(), [&](const Claimant& a, const Claimant& b) {
    return ledger_.consumers[a.consumer].priority < ledger_.consumers[b.consumer].priority;
  });
  for (Claimant& claimant : found) {
    claimant.slots = std::min(claimant.slots, slots);
    slots -= claimant.slots;
  }
  std::erase_if(found, [](const Claimant& claimant) { return claimant.slots == 0; });
  return found;
}

bool HostSetView::would_do_for(const std::vector<Claimant>& claimants, const SlotGroup& group,
                               size_t member, uint32_t row, const AskedRow& asked,
                               int32_t size) const {
  if (!would_do(group, member, row, asked, size)) return false;
  return std::all_of(claimants.begin(), claimants.end(), [&](const Claimant& claimant) {
    const size_t gains = member_for(group, claimant.consumer);
    // Its work starts on just the hosts that were nominated.
    if (has_wide_work(state_.clusters[group.members[gains].cluster])) return false;
    return can_use(claimant.consumer, group, row);
  });
}

const HostSetView::BySize& HostSetView::givable() const {
  if (std::exchange(givable_known_, true)) return givable_;
  for (const uint32_t g : ledger_.slot_groups) {
    const SlotGroup& group = state_.slot_groups[g];
    const size_t member = chooser(group);
    if (member == kNoIndex) continue;
    const AskedRows asked(group, member);
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      const int32_t size = whole_hosts() ? group.at(row, member).held : 0;
      if (would_do(group, member, row, asked.at(row), size)) givable_[size].push_back({g, row});
    }
  }
  return givable_;
}

std::vector<RowRef> HostSetView::usable_by_all(const Consumers& consumers, int32_t size) const {
  const auto there = givable().find(size);
  std::vector<RowRef> rows;
  if (there == givable().end()) return rows;
  for (const RowRef& row : there->second) {
    const bool all = std::all_of(consumers.begin(), consumers.end(), [&](uint32_t consumer) {
      return can_use(consumer, state_.slot_groups[row.group], row.row);
    });
    if (all) rows.push_back(row);
  }
  return rows;
}

bool HostSetView::InOrder::operator()(const std::vector<RowRef>& a,
                                      const std::vector<RowRef>& b) const {
  return std::lexicographical_compare(
      a.begin(), a.end(), b.begin(), b.end(), [](const RowRef& one, const RowRef& other) {
        return std::pair(one.group, one.row) < std::pair(other.group, other.row);
      });
}

const std::vector<RowRef>& HostSetView::rows_for(const std::vector<Claimant>& claimants,
                                                 int32_t size) const {
  Consumers consumers;
  for (const Claimant& claimant : claimants) consumers.push_back(claimant.consumer);
  std::sort(consumers.begin(), consumers.end());
  const auto [known, added] =
      rows_.try_emplace({whole_hosts() ? size : 0, std::move(consumers)}, nullptr);
  if (added) {
    const auto& [asked_size, asked_by] = known->first;
    known->second = &*lists_.insert(usable_by_all(asked_by, asked_size)).first;
  }
  return *known->second;
}

}  // namespace leasehold
