// ReadyPlan: a plan in force made ready for its cycles, once, when it is loaded or its window
// comes: the tree compiled, names resolved, requirements parsed. Not what the state says at the
// moment: take_snapshot (broker/core/plan/take_snapshot.hpp) reads that.
//
// Contract: derived of the configuration, the variant and the ledger's consumers; it refers to
// nothing of the state, so copies of a state share it, and nothing in it changes.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/rules/plan/compiled.hpp"
#include "broker/rules/select/select.hpp"

namespace leasehold {

/// Positions in ResourceGroupLedger::consumers.
using PathPositions = std::unordered_map<std::string, uint32_t>;
PathPositions positions_by_path(const ResourceGroupLedger& ledger);
/// Returns the positions of Plan::consumers in the ledger.
std::vector<uint32_t> ledger_positions(const ResourceGroupLedger& ledger, const Plan& plan);

struct ReadyPlan {
  uint32_t variant = 0;  // that it is of
  std::shared_ptr<const CompiledPlan> compiled;
  // By position in Plan::consumers.
  std::vector<uint32_t> ledger;   // position in ResourceGroupLedger::consumers
  std::vector<uint32_t> cluster;  // kNoIndex: none, or not one that is known
  std::vector<Selection> select;  // empty: everything matches everywhere
  // By position in ResourceGroupLedger::consumers.
  std::vector<uint32_t> consumer_at;  // position in Plan::consumers; kNoIndex: not in the plan
};

std::shared_ptr<const ReadyPlan> make_ready(const State& state, const ResourceGroupLedger& ledger,
                                            const Plan& plan);

/// Returns the ledger's ready plan. It is rebuilt where a window changed or consumers came that
/// only the ledger knows (a follower's copy).
std::shared_ptr<const ReadyPlan> ready_plan(const State& state, const ResourceGroupLedger& ledger,
                                            const Plan& plan);

}  // namespace leasehold
