#include "broker/core/plan/leaf_rows.hpp"

#include <algorithm>

#include "broker/core/model/queries/plans.hpp"
#include "broker/core/model/queries/ready_plan.hpp"
#include "broker/rules/demand_aware/grants.hpp"

namespace leasehold {

std::vector<LeafRow> rows_of_leaf(const State& state, const ResourceGroupLedger& ledger,
                                  uint32_t leaf) {
  std::vector<LeafRow> rows;
  for (const uint32_t g : ledger.slot_groups) {
    const SlotGroup& group = state.slot_groups[g];
    for (size_t m = 0; m < group.members.size(); ++m) {
      if (group.members[m].plan_consumer != leaf) continue;
      for (uint32_t row = 0; row < group.hosts.size(); ++row) {
        if (group.at(row, m).due > 0) rows.push_back({g, m, row});
      }
    }
  }
  return rows;
}

int32_t unused_there(const Holding& holding, bool whole) {
  if (!holding.up) return holding.due;
  if (whole) return holding.used == 0 ? holding.due : 0;
  return std::max(0, holding.due - holding.used);
}

int64_t unused_on(const State& state, const std::vector<LeafRow>& rows, bool whole) {
  int64_t unused = 0;
  for (const LeafRow& at : rows) {
    unused += unused_there(state.slot_groups[at.group].at(at.row, at.member), whole);
  }
  return unused;
}

bool note_use(State& state, uint32_t index, uint32_t leaf, const std::vector<LeafRow>& rows) {
  ResourceGroupLedger& ledger = state.resource_groups[index];
  const Plan* plan = plan_in_force(state, ledger);
  if (plan == nullptr) return false;
  const int64_t unused = unused_on(state, rows, decides_in_hosts(state, ledger, *plan));
  PlanWork& work = *ledger.consumers[leaf].work;
  const int64_t before = still_granted(work.grants, demand_aware::kConsumer);
  const int32_t left_before = work.grants.left_unused;
  noted_use(work.grants, demand_aware::kConsumer, std::max<int64_t>(0, unused - work.beside));
  return still_granted(work.grants, demand_aware::kConsumer) != before ||
         work.grants.left_unused != left_before;
}

}  // namespace leasehold
