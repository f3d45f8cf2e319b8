#include "broker/core/ledger/nominated_rows.hpp"

#include <algorithm>

#include "broker/core/model/queries/hosts.hpp"

namespace leasehold {

NominatedRows::NominatedRows(SlotGroup& group, size_t member) {
  group.transfers.each_from(member, [this](Transfer& open) {
    if (reclaims(open)) add(open);
  });
}

void NominatedRows::add(Transfer& transfer) {
  for (size_t at = 0; at < transfer.wanted.size(); ++at) {
    rows_[transfer.wanted[at].first].push_back({&transfer, at});
  }
}

void NominatedRows::want(Transfer& transfer, uint32_t row, int32_t slots) {
  std::vector<Entry>& entries = rows_[row];
  const auto known = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) {
    if (entry.transfer != &transfer) return false;
    return transfer.wanted[entry.at].second > 0 || !reduced_.contains(&transfer);
  });
  if (known != entries.end()) {
    transfer.wanted[known->at].second += slots;
    return;
  }
  entries.push_back({&transfer, transfer.wanted.size()});
  transfer.wanted.emplace_back(row, slots);
}

void NominatedRows::finish() {
  for (Transfer* transfer : reduced_) {
    std::erase_if(transfer->wanted, [](const auto& entry) { return entry.second == 0; });
  }
}

}  // namespace leasehold
