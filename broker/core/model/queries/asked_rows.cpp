#include "broker/core/model/queries/asked_rows.hpp"

namespace leasehold {

namespace {

/// A lease is of one host as a rule: looking up so few rows costs less than a list of them.
constexpr size_t kFewRows = 8;

void add(AskedRow& asked, const Transfer& transfer, int32_t slots) {
  const bool reclaim = transfer.lowering == wire::Lowering::reclaim;
  if (reclaim) asked.nominated += slots;
  if (transfer.reason == Reason::owner_waits) asked.for_owner += slots;
  if (transfer.step != TransferStep::releasing) return;
  asked.wanted += slots;
  if (transfer.lowering == wire::Lowering::release) {
    asked.by_release += slots;
  } else if (follows_cap(transfer.reason)) {
    asked.by_cap += slots;
  }
  if (slots <= 0) return;
  if (!asked.first) asked.first = transfer.lowering;
  if (!reclaim && !asked.first_but_reclaims) asked.first_but_reclaims = transfer.lowering;
}

}  // namespace

AskedRows::AskedRows(const SlotGroup& group, size_t member) : group_(group), member_(member) {
  group.transfers.each_from(member, [this](const Transfer&) { any_ = true; });
  if (!any_ || group.hosts.size() <= kFewRows) return;
  rows_.resize(group.hosts.size());
  group.transfers.each_from(member, [this](const Transfer& transfer) {
    for (const auto& [row, slots] : transfer.wanted) add(rows_[row], transfer, slots);
  });
}

AskedRow AskedRows::at(uint32_t row) const {
  if (!any_) return {};
  return rows_.empty() ? look_up(row) : rows_[row];
}

AskedRow AskedRows::look_up(uint32_t row) const {
  AskedRow asked;
  group_.transfers.each_from(member_, [&](const Transfer& transfer) {
    for (const auto& [wanted_row, slots] : transfer.wanted) {
      if (wanted_row == row) add(asked, transfer, slots);
    }
  });
  return asked;
}

}  // namespace leasehold
