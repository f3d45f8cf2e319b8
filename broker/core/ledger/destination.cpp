#include "broker/core/ledger/destination.hpp"

#include <algorithm>

#include "broker/core/model/queries/hosts.hpp"

namespace leasehold {

namespace {

/// Adds what one transfer says of its rows.
void add(std::vector<RowTransfers::Last>& rows, const Transfer& transfer) {
  for (const auto& [row, slots] : transfer.wanted) {
    RowTransfers::Last& last = rows[row];
    if (last.transfer != &transfer) last = {&transfer, false};
    const bool wants = transfer.step == TransferStep::releasing && slots > 0;
    last.wants_more = last.wants_more || wants;
  }
}

/// The member may have what is in transfer of the row. A consumer never gets more than its cap: it
/// would be asked for the rest at once, and while the provider is lost get it again, for ever.
bool may_take(const State& state, const SlotGroup& group, uint32_t row, size_t member) {
  if (!connected(state, group, member)) return false;
  if (member == kProvider) return true;
  // A part of a host that moves as a whole would be asked for at once, too.
  if (moves_whole(state, group, row) && group.at(row, kProvider).held > 0) return false;
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

/// Returns the member to which the transfer's slots of the row go. Here kNoMember means nobody yet:
/// they wait for the rest of the host. What is not released whole goes back.
size_t taker(const State& state, const SlotGroup& group, uint32_t row,
             const RowTransfers::Last& last) {
  const Transfer& transfer = *last.transfer;
  const size_t first = transfer.step == TransferStep::granting ? transfer.from : transfer.to;
  if (!moves_whole(state, group, row) || comes_whole(state, group, row, first)) return first;
  if (last.wants_more) return kNoMember;
  return group.at(row, transfer.from).held > 0 ? transfer.from : first;
}

}  // namespace

RowTransfers::RowTransfers(const SlotGroup& group) {
  if (group.transfers.empty() || group.resource_group != kNoIndex) return;
  rows_.resize(group.hosts.size());
  for (const Transfer& transfer : group.transfers) add(rows_, transfer);
}

int32_t slots_over(const State& state, const SlotGroup& group, const Transfer& release) {
  if (!any_moves_whole(state, group)) return release.slots_released;
  std::vector<RowTransfers::Last> rows(group.hosts.size());
  add(rows, release);
  int32_t slots = 0;
  for (const auto& [row, wanted] : release.wanted) {
    if (taker(state, group, row, rows[row]) != release.to) continue;
    slots += group.hosts[row].in_transfer;
  }
  return slots;
}

size_t destination(const State& state, const SlotGroup& group, uint32_t row, bool leftovers,
                   const RowTransfers& transfers) {
  const size_t nobody = group.members.size();
  const RowTransfers::Last last = transfers.last(row);
  if (last.transfer == nullptr && !leftovers) return nobody;
  if (last.transfer != nullptr) {
    const size_t first = taker(state, group, row, last);
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
