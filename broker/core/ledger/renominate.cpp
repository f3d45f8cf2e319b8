// The part of host sets that follows what an agent chose. Declared in host_sets.hpp: transfers.cpp
// calls it and it starts transfers, so a header of this name would close a circle of includes.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "broker/core/ledger/host_set_view.hpp"
#include "broker/core/ledger/host_sets.hpp"
#include "broker/core/ledger/nominated_rows.hpp"
#include "broker/core/ledger/transfers.hpp"
#include "broker/core/model/queries/asked_rows.hpp"
#include "broker/core/model/queries/hosts.hpp"

namespace leasehold {

namespace {

/// A row of which slots are nominated that the last order did not ask of the row itself.
struct Nominated {
  RowRef at;
  size_t from = kNoIndex;
  int32_t slots = 0;
};

/// Moves nominations of one member from other rows to one where it gave up more than was asked.
/// Rows whose slots the same leaves are to get stand together, so that those which can serve
/// nobody at a row are not looked at one by one.
class Renomination {
 public:
  Renomination(Turn& turn, uint32_t index, size_t member, const Wanted& released)
      : turn_(turn),
        index_(index),
        member_(member),
        view_(turn.state, turn.group(index).resource_group,
              turn.group(index).members[member].cluster) {
    for (const auto& [row, slots] : released) came_[row] = slots;
    for (const uint32_t g : view_.ledger().slot_groups) find_nominated(g);
  }

  /// Contract: `left` of the row's slots came beyond what was asked there.
  void row(uint32_t row, int32_t left) {
    Serves serves;
    for (uint32_t place = 0; left > 0 && due_here(row) > 0; ++place) {
      Places* places = next_places(row, place, serves);
      if (places == nullptr) return;
      place = places->lower_bound(place)->first;
      left -= move_from(*places, place, row, left);
    }
  }

  std::vector<uint32_t> finish() {
    for (auto& [group, rows] : asked_) rows.finish();
    return std::move(others_);
  }

 private:
  /// Leaves that are to get the slots of a row; kNoIndex stands last where some are nobody's.
  using Consumers = std::vector<uint32_t>;
  /// Nominated rows by place among the plan's rows.
  using Places = std::map<uint32_t, Nominated>;
  using Serves = std::map<Consumers, bool>;  // at one row

  Holding& at(const RowRef& row, size_t member) {
    return turn_.group(row.group).at(row.row, member);
  }
  int32_t due_here(uint32_t row) { return std::as_const(turn_.group(index_)).at(row, member_).due; }

  /// Those with the first place from `place` on whose slots can serve somebody at the row.
  Places* next_places(uint32_t row, uint32_t place, Serves& serves) {
    Places* next = nullptr;
    uint32_t soonest = UINT32_MAX;
    for (auto& [consumers, places] : nominated_) {
      const auto first = places.lower_bound(place);
      if (first == places.end() || first->first >= soonest) continue;
      const auto [known, added] = serves.try_emplace(consumers, false);
      if (added) known->second = can_serve(consumers, row);
      if (!known->second) continue;
      next = &places;
      soonest = first->first;
    }
    return next;
  }

  void find_nominated(uint32_t g) {
    const SlotGroup& group = turn_.group(g);
    const size_t from = view_.chooser(group);
    if (from == kNoIndex) return;
    const AskedRows asked_rows(group, from);
    for (uint32_t n = 0; n < group.hosts.size(); ++n, ++places_) {
      const AskedRow asked = asked_rows.at(n);
      if (asked.nominated == 0) continue;
      const auto known = g == index_ ? came_.find(n) : came_.end();
      const int32_t came = known == came_.end() ? 0 : known->second;
      const Holding& holding = group.at(n, from);
      const int32_t unnamed = holding.ordered - holding.held + asked.wanted - came;
      const int32_t slots = std::min(asked.nominated - came, unnamed);
      if (slots > 0) keep(places_, {{g, n}, from, slots});
    }
  }

  void keep(uint32_t place, const Nominated& row) {
    const SlotGroup& group = turn_.group(row.at.group);
    Consumers consumers;
    for (const Claimant& claimant : view_.claimants(group, row.at.row, row.slots)) {
      consumers.push_back(claimant.consumer);
    }
    if (undue(turn_.state, group, row.at.row) > 0) consumers.push_back(kNoIndex);
    nominated_[consumers].emplace(place, row);
  }

  bool can_serve(const Consumers& consumers, uint32_t row) {
    return std::any_of(consumers.begin(), consumers.end(), [&](uint32_t consumer) {
      return consumer == kNoIndex || view_.can_use(consumer, turn_.group(index_), row);
    });
  }

  /// Returns how many slots of the nomination are the row's now.
  int32_t move_from(Places& places, uint32_t place, uint32_t row, int32_t left) {
    Nominated nominated = places.at(place);
    if (nominated.at == RowRef{index_, row}) return 0;
    const int32_t moved = move(nominated.at, nominated.from, row, std::min(left, nominated.slots));
    if (moved == 0) return 0;
    places.erase(place);
    nominated.slots -= moved;
    if (nominated.slots > 0) keep(place, nominated);
    return moved;
  }

  int32_t move(const RowRef& nominated, size_t from, uint32_t row, int32_t slots) {
    const RowRef to{index_, row};
    slots = std::min(slots, at(to, member_).due);
    int32_t moved = 0;
    for (const Claimant& claimant :
         view_.claimants(turn_.group(nominated.group), nominated.row, slots)) {
      if (!view_.can_use(claimant.consumer, turn_.group(index_), row)) continue;
      at(nominated, HostSetView::member_for(turn_.group(nominated.group), claimant.consumer)).due -=
          claimant.slots;
      at(to, HostSetView::member_for(turn_.group(index_), claimant.consumer)).due += claimant.slots;
      moved += claimant.slots;
    }
    moved +=
        std::min(slots - moved, undue(turn_.state, turn_.group(nominated.group), nominated.row));
    at(nominated, from).due += moved;
    at(to, member_).due -= moved;
    if (moved > 0) move_wanted(nominated, from, row, moved);
    return moved;
  }

  NominatedRows& asked(uint32_t g, size_t member) {
    return asked_.try_emplace(g, turn_.group(g), member).first->second;
  }

  void move_wanted(const RowRef& nominated, size_t from, uint32_t row, int32_t slots) {
    asked(nominated.group, from).take(nominated.row, slots, [&](Transfer& transfer, int32_t part) {
      if (nominated.group == index_) return asked(index_, member_).want(transfer, row, part);
      transfer.slots_wanted -= part;
      want_here(nominated.group, transfer, row, part);
    });
    group_changed(turn_, nominated.group);
    group_changed(turn_, index_);
    if (nominated.group == index_) return;
    if (seen_.insert(nominated.group).second) others_.push_back(nominated.group);
  }

  /// In this group: the same cluster, which may be no leaf any more. Nobody where it is no member.
  uint16_t same_taker(const SlotGroup& other, uint16_t taker) {
    static_assert(static_cast<uint16_t>(kNoIndex) == kNoMember);
    if (taker == kNoMember) return kNoMember;
    return static_cast<uint16_t>(member_of(turn_.group(index_), other.members[taker].cluster));
  }

  /// In this group, between the same two.
  void want_here(uint32_t g, const Transfer& other, uint32_t row, int32_t slots) {
    SlotGroup& group = turn_.group(index_);
    const uint16_t to = same_taker(turn_.group(g), other.to);
    Transfer* same = nullptr;
    group.transfers.each_from(member_, [&](Transfer& open) {
      if (!reclaims(open) || open.to != to || open.grace_ms != other.grace_ms) return;
      if (same == nullptr) same = &open;
    });
    if (same != nullptr) {
      same->slots_wanted += slots;
      return asked(index_, member_).want(*same, row, slots);
    }
    TransferOrder order;
    order.from = static_cast<uint16_t>(member_);
    order.to = to;
    order.lowering = wire::Lowering::reclaim;
    order.reason = other.reason;
    order.inactive = false;
    order.grace_ms = other.grace_ms;
    order.wanted = {{row, slots}};
    NominatedRows& rows = asked(index_, member_);
    start_transfer(turn_, index_, std::move(order));
    rows.add(turn_.group(index_).transfers.back());
  }

  Turn& turn_;
  const uint32_t index_;
  const size_t member_;
  const HostSetView view_;
  std::unordered_map<uint32_t, int32_t> came_;  // slots of this statement, by row
  std::map<Consumers, Places> nominated_;
  uint32_t places_ = 0;                                // rows that were looked at
  std::unordered_map<uint32_t, NominatedRows> asked_;  // by group
  std::vector<uint32_t> others_;                       // groups, each once
  std::unordered_set<uint32_t> seen_;
};

}  // namespace

std::vector<uint32_t> renominate(Turn& turn, uint32_t index, size_t member,
                                 const Wanted& released) {
  const SlotGroup& group = turn.group(index);
  if (!group.members[member].chooses || released.empty()) return {};
  const AskedRows asked(group, member);
  Wanted beyond;
  for (const auto& [row, slots] : released) {
    if (const int32_t more = slots - asked.wanted(row); more > 0) beyond.emplace_back(row, more);
  }
  if (beyond.empty()) return {};
  Renomination renomination(turn, index, member, released);
  for (const auto& [row, slots] : beyond) renomination.row(row, slots);
  return renomination.finish();
}

}  // namespace leasehold
