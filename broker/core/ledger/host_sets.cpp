#include "broker/core/ledger/host_sets.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "broker/core/ledger/host_set_view.hpp"

namespace leasehold {

namespace {

/// Reclaims whose slots may come from the same rows.
struct Choice {
  const std::vector<RowRef>* rows = nullptr;  // one list for each choice, owned by HostSetView
  std::vector<RowRef> nominated;              // of these, in their order
  int64_t slots = 0;
  int64_t grace_ms = 0;
};

/// Returns the longest grace that the member's transfers give each row of the group.
std::vector<int64_t> graces_of(const SlotGroup& group, size_t member) {
  std::vector<int64_t> longest(group.hosts.size());
  group.transfers.each_from(member, [&](const Transfer& open) {
    for (const auto& [row, slots] : open.wanted) {
      longest[row] = std::max(longest[row], open.grace_ms);
    }
  });
  return longest;
}

/// The nominations of one cluster's open reclaims, by the rows that would do as well. Each row
/// costs what is asked of it, not what there is: a peer chooses how many are nominated.
class Choices {
 public:
  Choices(const State& state, const HostSetView& view) : state_(state), view_(view) {
    for (const uint32_t g : view.ledger().slot_groups) {
      const SlotGroup& group = state.slot_groups[g];
      const size_t member = view.chooser(group);
      if (member != kNoIndex) see(g, group, member);
    }
  }

  /// Returns the choices in the order of their first nominations.
  std::vector<Choice> all() { return std::move(choices_); }

 private:
  void see(uint32_t g, const SlotGroup& group, size_t member) {
    const AskedRows asked_rows(group, member);
    const std::vector<int64_t> graces = graces_of(group, member);
    for (uint32_t row = 0; row < group.hosts.size(); ++row) {
      const AskedRow asked = asked_rows.at(row);
      const int32_t slots = asked.nominated;
      if (slots == 0) continue;
      const std::vector<Claimant> claimants = view_.claimants(group, row, slots);
      int32_t movable = undue(state_, group, row);
      for (const Claimant& claimant : claimants) movable += claimant.slots;
      if (movable < slots) continue;
      if (!view_.would_do_for(claimants, group, member, row, asked, slots)) continue;
      Choice& choice = of(view_.rows_for(claimants, slots));
      choice.nominated.push_back({g, row});
      choice.slots += slots;
      choice.grace_ms = std::max(choice.grace_ms, graces[row]);
    }
  }

  Choice& of(const std::vector<RowRef>& rows) {
    const auto [known, added] = at_.emplace(&rows, choices_.size());
    if (added) choices_.emplace_back().rows = &rows;
    return choices_[known->second];
  }

  const State& state_;
  const HostSetView& view_;
  std::vector<Choice> choices_;
  std::unordered_map<const std::vector<RowRef>*, size_t> at_;  // place in choices_
};

/// Rows that stand in a set.
class TakenRows {
 public:
  bool any(const std::vector<RowRef>& rows) const {
    return std::any_of(rows.begin(), rows.end(),
                       [this](const RowRef& row) { return taken_.contains(key(row)); });
  }
  void take(const std::vector<RowRef>& rows) {
    for (const RowRef& row : rows) taken_.insert(key(row));
  }

 private:
  static uint64_t key(const RowRef& row) { return uint64_t{row.group} << 32U | row.row; }
  std::unordered_set<uint64_t> taken_;
};

HostSet set_of(const Choice& choice, bool whole_hosts) {
  HostSet set{choice.nominated, choice.slots, choice.grace_ms, whole_hosts};
  size_t named = 0;
  for (const RowRef& row : *choice.rows) {
    if (named < choice.nominated.size() && choice.nominated[named] == row) {
      ++named;
    } else {
      set.rows.push_back(row);
    }
  }
  return set;
}

}  // namespace

bool left_to_agent(const SlotGroup& group, const Transfer& transfer) {
  if (!group.members[transfer.from].chooses || !reclaims(transfer)) return false;
  const AskedRows asked(group, transfer.from);
  return std::any_of(transfer.wanted.begin(), transfer.wanted.end(), [&](const auto& entry) {
    const Holding& holding = group.at(entry.first, transfer.from);
    return entry.second > 0 && holding.ordered > holding.held - asked.wanted(entry.first);
  });
}

HostSets host_sets(const State& state, uint32_t resource_group, uint32_t cluster) {
  HostSets found;
  if (state.frozen) return found;
  const HostSetView view(state, resource_group, cluster);
  TakenRows taken;
  for (const Choice& choice : Choices(state, view).all()) {
    if (taken.any(*choice.rows)) continue;  // those hosts are named
    taken.take(*choice.rows);
    found.sets.push_back(set_of(choice, view.whole_hosts()));
    found.nominated.insert(found.nominated.end(), choice.nominated.begin(), choice.nominated.end());
  }
  return found;
}

}  // namespace leasehold
