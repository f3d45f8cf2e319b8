#include "broker/core/ledger/destination.hpp"

#include <algorithm>

#include "broker/core/model/hosts.hpp"

namespace leasehold {

namespace {

bool names_row(const Transfer& transfer, uint32_t row) {
  return std::any_of(transfer.wanted.begin(), transfer.wanted.end(),
                     [row](const auto& entry) { return entry.first == row; });
}

/// The last one: one before it that is still open for other rows has had what it wanted of this.
const Transfer* transfer_of_row(const SlotGroup& group, uint32_t row) {
  const Transfer* last = nullptr;
  for (const Transfer& transfer : group.transfers) {
    if (names_row(transfer, row)) last = &transfer;
  }
  return last;
}

/// The member may have what is in transfer of the row. A consumer never gets more than its cap: it
/// would be asked for the rest at once, and while the provider is lost get it again, for ever.
bool may_take(const State& state, const SlotGroup& group, uint32_t row, size_t member) {
  if (!connected(state, group, member)) return false;
  if (member == kProvider) return true;
  const int32_t held = group.at(row, kConsumer).held + group.hosts[row].in_transfer;
  return held <= consumer_cap(state, group, row);
}

/// Slots of a host that moves as a whole: with these the member has all of it. Where exports end
/// they go one by one, if its owner may use a part.
bool comes_whole(const State& state, const SlotGroup& group, uint32_t row, size_t member) {
  const HostLedger& ledger = group.hosts[row];
  return (ledger.exported > ledger.target && !returns_whole(state, group, row)) ||
         group.at(row, member).held + ledger.in_transfer == ledger.exported;
}

bool wants_more(const Transfer& transfer, uint32_t row) {
  return transfer.step == TransferStep::releasing &&
         std::any_of(transfer.wanted.begin(), transfer.wanted.end(),
                     [row](const auto& entry) { return entry.first == row && entry.second > 0; });
}

/// To whom the transfer's slots of the row go; kNoMember: the rest of the host is waited for. What
/// is not released whole goes back.
size_t taker(const State& state, const SlotGroup& group, uint32_t row, const Transfer& transfer) {
  const size_t first = transfer.step == TransferStep::granting ? transfer.from : transfer.to;
  if (!moves_whole(state, group, row) || comes_whole(state, group, row, first)) return first;
  if (wants_more(transfer, row)) return kNoMember;
  return group.at(row, transfer.from).held > 0 ? transfer.from : first;
}

}  // namespace

int32_t slots_over(const State& state, const SlotGroup& group, const Transfer& release) {
  if (!any_moves_whole(state, group)) return release.slots_released;
  int32_t slots = 0;
  for (const auto& [row, wanted] : release.wanted) {
    if (taker(state, group, row, release) != release.to) continue;
    slots += group.hosts[row].in_transfer;
  }
  return slots;
}

size_t destination(const State& state, const SlotGroup& group, uint32_t row, bool leftovers) {
  const size_t nobody = group.members.size();
  const Transfer* transfer = transfer_of_row(group, row);
  if (transfer == nullptr && !leftovers) return nobody;
  if (transfer != nullptr) {
    const size_t first = taker(state, group, row, *transfer);
    if (first == kNoMember) return nobody;
    if (may_take(state, group, row, first)) return first;
  } else if (moves_whole(state, group, row) && group.at(row, kConsumer).held > 0 &&
             may_take(state, group, row, kConsumer)) {
    return kConsumer;  // it has the rest of the host
  }
  if (may_take(state, group, row, kProvider)) return kProvider;
  return may_take(state, group, row, kConsumer) ? size_t{kConsumer} : nobody;
}

}  // namespace leasehold
