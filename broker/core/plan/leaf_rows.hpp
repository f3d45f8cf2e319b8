// Slots that a leaf of a plan is due, row by row, and what of its grants (grants.hpp) is used
// there.
#pragma once

#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/rules/demand_aware/ledger.hpp"

namespace leasehold {

/// A row of which the leaf is due something, and the leaf's place in its group.
struct LeafRow {
  uint32_t group = 0;
  size_t member = 0;
  uint32_t row = 0;
};

/// Returns the rows of a leaf, by position in ResourceGroupLedger::consumers.
std::vector<LeafRow> rows_of_leaf(const State& state, const ResourceGroupLedger& ledger,
                                  uint32_t leaf);

/// Returns the slots of a row that the leaf is due and does not use; where the plan is decided in
/// whole hosts, all or none. They count before they are there, and where nobody knows of their use.
int32_t unused_there(const Holding& holding, bool whole);
int64_t unused_on(const State& state, const std::vector<LeafRow>& rows, bool whole);

inline bool any_grant(const demand_aware::Ledger& known) {
  return any_granted(known) || known.left_unused > 0;
}

/// Takes over what of the grants is used by now. True: more than before. Contract: the leaf has a
/// memory of grants.
bool note_use(State& state, uint32_t resource_group, uint32_t leaf,
              const std::vector<LeafRow>& rows);

}  // namespace leasehold
