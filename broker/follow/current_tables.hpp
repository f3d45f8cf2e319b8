// CurrentTables: writes what is marked as changed in a State into the tables of the present state.
// The functions throw SQLite::Exception; callers turn it into an Error.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/store/sqlite/statements.hpp"

namespace leasehold {

/// Writes rows with statements that are prepared once. An unchanged row dirties no page.
class CurrentTables {
 public:
  explicit CurrentTables(SQLite::Database& db);
  /// Writes everything that `state` marks as changed; the marks stay.
  void write(const State& state);

 private:
  void write_config(const State& state);
  void write_grids(const State& state);
  void write_clusters(const State& state);
  void write_hosts(uint32_t cluster, const Cluster& of);
  void write_plans(const State& state);
  void write_plan(const ResourceGroupLedger& plan, uint32_t number);
  void write_consumers(const ResourceGroupLedger& plan, uint32_t number);
  void write_group(const SlotGroup& group, uint32_t index);
  void write_members(const SlotGroup& group, uint32_t index);
  void write_holdings(const SlotGroup& group, uint32_t index);
  void write_transfers(const SlotGroup& group, uint32_t index);

  const Fault none_;
  Writing configuration_, policy_, grid_, cluster_, host_, host_gone_, hosts_gone_;
  Writing group_, member_, group_host_, holding_, transfer_, transfer_gone_;
  Writing plan_, consumer_, pair_, pair_gone_;
  std::vector<Grid> grids_written_;
  std::vector<std::vector<PlanConsumerLedger>> consumers_written_;  // by resource group
  /// The rows of a plan's group as they were written last, so that unchanged ones are skipped:
  /// there may be a million.
  struct RowsWritten {
    Members members;
    Holdings holdings;
  };
  std::unordered_map<uint32_t, RowsWritten> rows_written_;  // by group
  std::vector<bool> no_transfers_;  // groups whose table is known to have none
};

/// Marks everything in `state` as changed, so that the next write() writes all of it.
void mark_all(State& state);

}  // namespace leasehold
