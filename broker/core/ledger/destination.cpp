#include "broker/core/ledger/destination.hpp"

#include <algorithm>

#include "broker/core/model/hosts.hpp"

namespace leasehold {

namespace {

bool names_row(const Transfer& transfer, uint32_t row) {
  return std::any_of(transfer.wanted.begin(), transfer.wanted.end(),
                     [row](const auto& entry) { return entry.first == row; });
}

const Transfer* transfer_of_row(const SlotGroup& group, uint32_t row) {
  for (const Transfer& transfer : group.transfers) {
    if (names_row(transfer, row)) return &transfer;
  }
  return nullptr;
}

/// The member may have what is in transfer of the row. A consumer never gets more than its cap: it
/// would be asked for the rest at once, and while the provider is lost get it again, for ever.
bool may_take(const State& state, const SlotGroup& group, uint32_t row, size_t member) {
  if (!connected(state, group, member)) return false;
  if (member == kProvider) return true;
  const int32_t held = group.at(row, kConsumer).held + group.hosts[row].in_transfer;
  return held <= consumer_cap(state, group, row);
}

}  // namespace

size_t destination(const State& state, const SlotGroup& group, uint32_t row, bool leftovers) {
  const size_t nobody = group.members.size();
  const Transfer* transfer = transfer_of_row(group, row);
  if (transfer == nullptr && !leftovers) return nobody;
  if (transfer != nullptr) {
    const bool returning = transfer->step == TransferStep::granting;
    const size_t first = returning ? transfer->from : transfer->to;
    if (may_take(state, group, row, first)) return first;
  }
  if (may_take(state, group, row, kProvider)) return kProvider;
  return may_take(state, group, row, kConsumer) ? size_t{kConsumer} : nobody;
}

}  // namespace leasehold
