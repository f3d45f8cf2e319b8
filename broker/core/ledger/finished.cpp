#include "broker/core/ledger/finished.hpp"

#include <algorithm>

namespace leasehold {

namespace {

/// True if its slots are on their way to somebody.
bool waits(const SlotGroup& group, const Transfer& transfer) {
  return std::any_of(transfer.wanted.begin(), transfer.wanted.end(), [&group](const auto& entry) {
    return group.hosts[entry.first].in_transfer > 0;
  });
}

std::vector<uint64_t> all_of(const SlotGroup& group) {
  std::vector<uint64_t> ids;
  for (const Transfer& transfer : group.transfers) ids.push_back(transfer.id);
  return ids;
}

/// Returns the transfers of a plan that waited before, and those from the member.
std::vector<uint64_t> known_or_from(const SlotGroup& group, size_t member) {
  std::vector<uint64_t> ids = holding_index(group).waiting;
  group.transfers.each_from(member,
                            [&ids](const Transfer& transfer) { ids.push_back(transfer.id); });
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

}  // namespace

std::vector<uint64_t> finished_transfers(const SlotGroup& group, size_t member) {
  HoldingIndex* index = find_holding_index(group);
  const bool known = index != nullptr && index->waiting_known;
  std::vector<uint64_t> finished;
  std::vector<uint64_t> waiting;
  for (const uint64_t id : known ? known_or_from(group, member) : all_of(group)) {
    const Transfer* open = group.transfers.find(id);
    if (open == nullptr || !has_all_it_wants(*open)) continue;
    (waits(group, *open) ? waiting : finished).push_back(id);
  }
  if (index != nullptr) {
    index->waiting = std::move(waiting);
    index->waiting_known = true;
  }
  return finished;
}

}  // namespace leasehold
