// A HoldingIndex follows the holdings of its group. This is no holding_index.cpp, because it reads
// state.hpp, which includes the index.
#include <algorithm>

#include "broker/core/model/slots/holding_index.hpp"
#include "broker/core/model/state.hpp"

namespace leasehold {

namespace {

uint32_t found(const std::unordered_map<uint32_t, uint32_t>& members, uint32_t key) {
  const auto known = members.find(key);
  return known == members.end() ? kNoIndex : known->second;
}

}  // namespace

HoldingIndex::HoldingIndex(const SlotGroup& group)
    : members_(group.members.size()),
      counted_(group.holdings.size()),
      due_(group.hosts.size()),
      missing_(group.hosts.size()) {
  for (uint32_t m = 0; m < group.members.size(); ++m) {
    const Member& member = group.members[m];
    member_of_.emplace(member.cluster, m);
    if (member.plan_consumer != kNoIndex) member_for_.emplace(member.plan_consumer, m);
    breach_ += member.breach;
    unchecked_.insert(m);
  }
  for (uint32_t place = 0; place < group.holdings.size(); ++place) count(group, place);
}

bool HoldingIndex::fits(const SlotGroup& group) const {
  return due_.size() == group.hosts.size() && members_ == group.members.size();
}

void HoldingIndex::count(const SlotGroup& group, uint32_t place) {
  const Holding& now = group.holdings[place];
  Counted& before = counted_[place];
  const auto row = static_cast<uint32_t>(place / members_);
  const auto member = static_cast<uint32_t>(place % members_);
  const int32_t above = now.confirmed ? std::max(0, now.stated - now.held) : 0;
  due_[row] += now.due - before.due;
  stated_above_ += above - before.above;
  before = {now.due, above};
  now.due > now.held ? missing_[row].insert(member) : missing_[row].erase(member);
  now.touched = false;
}

void HoldingIndex::follow(const SlotGroup& group) {
  for (const uint32_t place : touched_) {
    count(group, place);
    unchecked_.insert(static_cast<uint32_t>(place % members_));
  }
  if (!all_unwritten) unwritten.insert(unwritten.end(), touched_.begin(), touched_.end());
  touched_.clear();
}

uint32_t HoldingIndex::member_of(uint32_t cluster) const {
  return found(member_of_, cluster);
}

uint32_t HoldingIndex::member_for(uint32_t plan_consumer) const {
  return found(member_for_, plan_consumer);
}

std::vector<uint32_t> HoldingIndex::take_unchecked() {
  std::vector<uint32_t> members = unchecked_.all();
  unchecked_.clear();
  return members;
}

HoldingIndex& holding_index(const SlotGroup& group) {
  if (!group.holding_index || !group.holding_index->fits(group)) group.holding_index.emplace(group);
  group.holding_index->follow(group);
  return *group.holding_index;
}

HoldingIndex* find_holding_index(const SlotGroup& group) {
  return group.resource_group == kNoIndex ? nullptr : &holding_index(group);
}

}  // namespace leasehold
