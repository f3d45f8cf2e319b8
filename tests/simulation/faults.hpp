// Faults: every kind of fault in a simulated run, and how often each happens in it. A run has a
// random choice of kinds, each with a rate of its own, because a world in which everything fails at
// once never gets far enough to show the finer mistakes.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tests/simulation/chance.hpp"

namespace leasehold::simulation {

enum class Fault : uint8_t {
  // Network faults with a probability for each message:
  message_lost,
  message_repeated,
  message_late,       // reordered: others overtake it
  message_garbled,    // bytes changed so that it cannot be read
  message_oversized,  // and the connection ends
  order_outrun,       // jobs take the slots that it is about to take
  report_lies,        // use, demand and readiness of hosts are made up
  // Network events:
  cut_both_ways,
  cut_one_way,
  clogged,  // held back, then let through in random order
  reconnected,
  // Faults of an agent:
  agent_killed,
  agent_killed_in_order,  // at a step of an order
  agent_power_lost,
  agent_state_lost,
  agent_state_old,
  agent_paused,
  agent_zombie,  // for longer than agent_timeout
  agent_second,  // another one for the same cluster
  agent_disk_fails,
  // Faults of a workload manager:
  workload_hangs,
  workload_fails,
  workload_half_done,          // some caps set, then an error
  workload_fences_too_little,  // reports success, but a cap is higher than asked
  workload_forgets_fence,
  workload_restarts,  // its jobs are gone
  host_down,
  host_removed,
  host_missing,  // in a look, though nothing is wrong with it
  // Faults of the broker:
  broker_killed,
  broker_killed_before_commit,
  broker_killed_after_commit,
  broker_power_lost,
  broker_killed_in_write,  // at any write to the disk: migration, compaction, a torn transaction
  broker_paused,
  broker_backup_restored,  // with the file beside it, or without
  // Faults of its store:
  store_busy,
  store_fails,
  store_full,
  store_commit_unknown,  // the sync fails, the commit may be on disk
  // Faults of clocks:
  clock_jumps,   // the wall clock, either way, at the next start
  clock_drifts,  // within what lease_ttl allows for
  clock_stands,
  // Actions of people:
  config_reloaded,
  policy_removed,  // and added again
  operator_command,
  operator_forgets,
  // Malicious agents:
  agent_cloned,    // another agent uses a copy of its state file at the same time
  hello_lies,      // orders that were never given, for its own groups and for others'
  numbers_absurd,  // in a report: as large as they can be written
  // Faults that were added later:
  host_drained,            // by its owner; its jobs run on
  operator_forgets_older,  // a silent cluster, over an earlier copy of the database
  // Faults of several brokers on one database server:
  broker_stands_in_turn,  // stops within a turn; the world goes on
  broker_terminated,      // SIGTERM
  operator_steps_down,    // for any broker, or for a named one
  server_cut,             // from one broker
  server_answer_lost,     // what was asked is done
  server_restarted,
  server_failed_over,    // to one without the last commits
  server_left_running,   // likewise, and the old one goes on with those connected to it
  server_copy_restored,  // under a running server, while an agent is silent
  // Faults of workload managers that save power, with a probability for each call or start:
  host_wake_ignored,
  host_boots_in_vain,
  killed_as_host_boots,  // an agent or a broker
  // Likewise for each transfer of slots that were left unused:
  agent_paused_as_it_returns,
};
inline constexpr size_t kFaults = static_cast<size_t>(Fault::agent_paused_as_it_returns) + 1;
inline constexpr size_t kFaultsDrawn = static_cast<size_t>(Fault::server_left_running) + 1;
inline constexpr size_t kFaultsOfOne = static_cast<size_t>(Fault::operator_forgets_older) + 1;
inline constexpr size_t kFaultsByChance = static_cast<size_t>(Fault::operator_forgets) + 1;

const char* token(Fault fault);
/// Returns one line for people that says what happens.
const char* description(Fault fault);

/// The faults of one run.
struct FaultPlan {
  /// Events: times a day, 0: never. Messages: parts of a million.
  std::array<int32_t, kFaults> rate{};
  std::array<int64_t, kFaults> met{};  // how often it happened
  int64_t warm_take_overs = 0;         // no fault: some faults are repaired by it

  int32_t operator[](Fault fault) const { return rate[static_cast<size_t>(fault)]; }
  void note(Fault fault) { ++met[static_cast<size_t>(fault)]; }
};

/// Each kind is in about a third of all runs, those from agent_cloned on in a sixth; one run in
/// sixteen has none at all. `several`: there are several brokers on one server; their faults are in
/// a third of the runs, too.
FaultPlan draw_faults(Chance& chance, bool several);

/// For seeds that have this fault. It is not drawn, so that other seeds do not change.
void add_restored_copies(FaultPlan& plan);

/// Likewise, for seeds whose hosts save power. Not for a plan without faults.
void add_faults_of_power(FaultPlan& plan);

/// Likewise, for a seventeenth of the seeds.
void add_slow_returns(FaultPlan& plan);

/// True if it happens so many times a day, and not to a part of all messages or calls.
bool is_event(Fault fault);

}  // namespace leasehold::simulation
