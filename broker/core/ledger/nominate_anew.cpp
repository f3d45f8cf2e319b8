// The part of host sets that follows what an agent chose.
#include <algorithm>

#include "broker/core/ledger/host_scene.hpp"
#include "broker/core/ledger/host_sets.hpp"
#include "broker/core/ledger/transfers.hpp"
#include "broker/core/model/hosts.hpp"

namespace leasehold {

namespace {

/// Moves nominations of one member from other rows to one where it gave up more than was asked.
class NominatingAnew {
 public:
  NominatingAnew(Turn& turn, uint32_t index, size_t member, const Wanted& released)
      : turn_(turn),
        index_(index),
        member_(member),
        released_(released),
        scene_(turn.state, turn.group(index).resource_group,
               turn.group(index).members[member].cluster) {}

  void row(uint32_t row, int32_t released) {
    int32_t left = released - wanted_from(turn_.group(index_), member_, row);
    for (const uint32_t g : scene_.ledger().slot_groups) {
      const size_t from = scene_.chooser(turn_.group(g));
      if (from == kNoIndex) continue;
      for (uint32_t n = 0; n < turn_.group(g).hosts.size() && left > 0; ++n) {
        if (g == index_ && n == row) continue;
        const int32_t slots = std::min(left, unnamed({g, n}, from));
        if (slots > 0) left -= move({g, n}, from, row, slots);
      }
    }
  }

  std::vector<uint32_t> others() { return std::move(others_); }

 private:
  Holding& at(const RowRef& row, size_t member) {
    return turn_.group(row.group).at(row.row, member);
  }

  /// Slots nominated there that the last order did not ask of the row itself.
  int32_t unnamed(const RowRef& nominated, size_t from) {
    const SlotGroup& group = turn_.group(nominated.group);
    const Holding& holding = group.at(nominated.row, from);
    int32_t came = 0;
    for (const auto& [row, slots] : released_) {
      if (nominated.group == index_ && nominated.row == row) came = slots;
    }
    const int32_t wanted = wanted_from(group, from, nominated.row) - came;
    const int32_t left = nominated_from(group, from, nominated.row) - came;
    return std::max(0, std::min(left, holding.ordered - holding.held + wanted));
  }

  /// Returns how many slots of the nomination are the row's now.
  int32_t move(const RowRef& nominated, size_t from, uint32_t row, int32_t slots) {
    const RowRef to{index_, row};
    slots = std::min(slots, at(to, member_).due);
    int32_t moved = 0;
    for (const Claimant& claimant :
         scene_.claimants(turn_.group(nominated.group), nominated.row, slots)) {
      if (!scene_.can_use(claimant.consumer, turn_.group(index_), row)) continue;
      at(nominated, HostScene::member_for(turn_.group(nominated.group), claimant.consumer)).due -=
          claimant.slots;
      at(to, HostScene::member_for(turn_.group(index_), claimant.consumer)).due += claimant.slots;
      moved += claimant.slots;
    }
    moved +=
        std::min(slots - moved, undue(turn_.state, turn_.group(nominated.group), nominated.row));
    at(nominated, from).due += moved;
    at(to, member_).due -= moved;
    if (moved > 0) move_wanted(nominated, from, row, moved);
    return moved;
  }

  void move_wanted(const RowRef& nominated, size_t from, uint32_t row, int32_t slots) {
    std::vector<Transfer*> open;
    turn_.group(nominated.group).transfers.each_from(from, [&](Transfer& transfer) {
      if (reclaims(transfer)) open.push_back(&transfer);
    });
    for (Transfer* transfer : open) {
      const int32_t part = take_wanted(*transfer, nominated.row, slots);
      if (part == 0) continue;
      slots -= part;
      if (nominated.group == index_) {
        want(*transfer, row, part);
      } else {
        transfer->slots_wanted -= part;
        want_here(nominated.group, *transfer, row, part);
      }
    }
    rows_changed(turn_, nominated.group);
    rows_changed(turn_, index_);
    if (nominated.group != index_) others_.push_back(nominated.group);
  }

  /// Returns how many of the slots it wanted there, and does not any more.
  static int32_t take_wanted(Transfer& transfer, uint32_t row, int32_t slots) {
    int32_t part = 0;
    for (auto& [host, wanted] : transfer.wanted) {
      if (host != row) continue;
      part = std::min(slots, wanted);
      wanted -= part;
    }
    if (part == 0) return 0;
    std::erase_if(transfer.wanted, [](const auto& entry) { return entry.second == 0; });
    return part;
  }

  static void want(Transfer& transfer, uint32_t row, int32_t slots) {
    for (auto& [host, wanted] : transfer.wanted) {
      if (host != row) continue;
      wanted += slots;
      return;
    }
    transfer.wanted.emplace_back(row, slots);
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
      return want(*same, row, slots);
    }
    TransferOrder order;
    order.from = static_cast<uint16_t>(member_);
    order.to = to;
    order.lowering = wire::Lowering::reclaim;
    order.reason = other.reason;
    order.inactive = false;
    order.grace_ms = other.grace_ms;
    order.wanted = {{row, slots}};
    start_transfer(turn_, index_, std::move(order));
  }

  Turn& turn_;
  const uint32_t index_;
  const size_t member_;
  const Wanted& released_;
  const HostScene scene_;
  std::vector<uint32_t> others_;
};

}  // namespace

std::vector<uint32_t> nominate_anew(Turn& turn, uint32_t index, size_t member,
                                    const Wanted& released) {
  const SlotGroup& group = turn.group(index);
  const bool chose = group.resource_group != kNoIndex && group.members[member].chooses;
  if (!chose || released.empty()) return {};
  NominatingAnew anew(turn, index, member, released);
  for (const auto& [row, slots] : released) anew.row(row, slots);
  return anew.others();
}

}  // namespace leasehold
