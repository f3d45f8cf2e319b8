// NominatedRows: which entries of a member's open reclaims ask for slots of a row, found without
// looking at the others: a statement may name as many rows as there are, and each may have a
// nomination of another one moved to it. Inside renominate.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "broker/core/model/state.hpp"

namespace leasehold {

class NominatedRows {
 public:
  /// An entry of Transfer::wanted.
  struct Entry {
    Transfer* transfer = nullptr;
    size_t at = 0;
  };

  /// Contract: while it lives no reclaim of the member ends, and what is asked of it changes here
  /// alone.
  NominatedRows(SlotGroup& group, size_t member);

  /// Takes up to so many slots of the row off what the reclaims ask for, in their order; calls
  /// took(transfer, slots) after each part.
  template <class Took>
  void take(uint32_t row, int32_t slots, const Took& took) {
    const auto known = rows_.find(row);
    if (known == rows_.end()) return;
    const std::vector<Entry> entries = known->second;  // a copy: the callback may add entries
    for (const Entry& entry : entries) {
      int32_t& wanted = entry.transfer->wanted[entry.at].second;
      const int32_t part = std::min(slots, wanted);
      if (part <= 0) continue;
      wanted -= part;
      slots -= part;
      reduced_.insert(entry.transfer);
      took(*entry.transfer, part);
    }
  }
  /// Asks for so many slots more of the row by that reclaim.
  void want(Transfer& transfer, uint32_t row, int32_t slots);
  /// Adds a reclaim that was started meanwhile.
  void add(Transfer& transfer);
  /// Removes entries that ask for nothing from the reclaims that lost some.
  void finish();

 private:
  std::unordered_map<uint32_t, std::vector<Entry>> rows_;
  std::unordered_set<Transfer*> reduced_;  // entries of these that ask for nothing are gone already
};

}  // namespace leasehold
