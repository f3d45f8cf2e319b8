// AskedRows: what the open transfers ask from one member, row by row, for a loop over the rows of a
// slot group. A loop that looked through the transfers for each row would cost the square of what
// one statement of an agent may name. Not kept: made for one loop, thrown away after it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "broker/core/model/state.hpp"

namespace leasehold {

/// The slots that open transfers ask of one row from one member.
struct AskedRow {
  int32_t wanted = 0;  // as wanted_from(): by transfers in the step `releasing`
  /// By reclaims: an agent that chooses may give up others instead (ledger/host_sets.hpp).
  int32_t nominated = 0;
  int32_t for_owner = 0;   // for the owner's own work (Reason::owner_waits)
  int32_t by_release = 0;  // of `wanted`: by releases
  int32_t by_cap = 0;      // of `wanted`: because of a cap (follows_cap())
  /// Returns the slots asked by shrinks and reclaims that no cap is the reason of.
  int32_t by_rule() const { return wanted - by_release - by_cap; }
  std::optional<wire::Lowering> first;  // of the first transfer that still wants slots of the row
  std::optional<wire::Lowering> first_but_reclaims;  // the same without reclaims
};

class AskedRows {
 public:
  /// Contract: up to the last question no transfer from the member starts, ends or changes, and the
  /// group stays where it is.
  AskedRows(const SlotGroup& group, size_t member);

  AskedRow at(uint32_t row) const;
  int32_t wanted(uint32_t row) const { return at(row).wanted; }

 private:
  AskedRow look_up(uint32_t row) const;

  const SlotGroup& group_;
  const size_t member_;
  bool any_ = false;
  std::vector<AskedRow> rows_;  // empty: the group has so few rows that each is looked up
};

}  // namespace leasehold
