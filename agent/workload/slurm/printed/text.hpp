// These functions read the text that Slurm's programs print. Only fields that no user can write
// freely are asked for, or those that stand before such ones: a job's name may hold anything, line
// ends too. Output that is cut off or of another form is refused as a whole; a state that is not
// known makes its host not up: what is not understood frees no slot. They are pure. units.hpp reads
// JSON.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/core/work/work_unit.hpp"
#include "agent/workload/slurm/printed/states.hpp"
#include "agent/workload/slurm/printed/wants.hpp"
#include "common/result.hpp"

namespace leasehold::agent {

/// Settings by which Slurm may switch hosts off, or start them again, without regard to another
/// cluster's work there.
struct SlurmPowerSaving {
  bool program = false;  // SuspendProgram
  bool timed = false;    // SuspendTime has an end; a partition may have one of its own
  std::string excepted_nodes;
  std::vector<std::string> excepted_partitions;
  bool reboots = false;  // RebootProgram
};

/// The answer to `scontrol show config`.
struct SlurmController {
  std::string boot;    // BOOT_TIME: another one is another life of the controller
  int64_t boot_s = 0;  // seconds since 1970, by the controller's clock, as all below
  int64_t now_s = 0;
  std::string version;
  std::string user;     // SlurmUser, as "slurm(64030)"
  std::string select;   // SelectType
  std::string selects;  // SelectTypeParameters
  std::string preempt_mode;
  std::string task_plugin;                // TaskPlugin; "" or "(null)": none
  std::string constrain_cores;            // of cgroup.conf; "": it is not printed
  int64_t memory_per_cpu_mb = 0;          // MaxMemPerCPU; 0: none
  std::vector<std::string> private_data;  // what ordinary users do not see
  SlurmPowerSaving power;
  bool requeues = true;  // JobRequeue: jobs that do not say otherwise may be queued again
  std::vector<std::string> host_programs;  // "Epilog=/etc/e.sh" and the like, run on its hosts
};
Result<SlurmController> parse_slurm_config(std::string_view text);

/// A row of `scontrol -o show node`.
struct SlurmNode {
  std::string name;
  int32_t cores = 0;     // that jobs may have: slots
  int32_t threads = 1;   // CPUs of a core, as far as Slurm gives them out
  int32_t numbered = 1;  // CPUs of a core, as they are numbered: all that it has
  int32_t cpus_allocated = 0;
  int64_t mem_mb = 0;
  std::string arch;
  std::vector<std::string> features;  // active ones
  std::vector<std::string> partitions;
  std::vector<SlurmDevice> devices;  // Gres
  SlurmNodeUse use = SlurmNodeUse::never;
  bool up = false;       // work may start there now: `use` is `starts`
  bool drained = false;  // nothing starts there until somebody says so
  std::string reason;    // that an administrator or slurm.conf gave for that
  std::string unknown;   // a word of its state that is not known, as below
};
Result<std::vector<SlurmNode>> parse_slurm_nodes(std::string_view text);

/// A row of `scontrol -o show reservation`.
struct SlurmReservation {
  std::string name;
  std::vector<std::string> nodes;
  int32_t cores = 0;
  std::map<std::string, int32_t> cores_on = {};  // by node; empty if Slurm does not print it
  bool whole = false;  // made without regard to jobs that run: closes its nodes at once
  int64_t start_s = 0;
  int64_t end_s = 0;
  bool begins_later = false;
  std::string unknown;  // its state, if that is not known: it counts as in force
};
Result<std::vector<SlurmReservation>> parse_slurm_reservations(std::string_view text);

struct SlurmJob {
  std::string id;
  SlurmPhase phase = SlurmPhase::pending;
  std::string unknown;  // its state, if that is not known: it holds what it has
  bool suspended = false;
  int32_t cpus = 0;
  int64_t ended_s = 0;
  std::string partitions;
  std::string nodes;  // where it is, in Slurm's short form
  std::string requested;
  std::string excluded;
  std::string shares;  // OverSubscribe: "NO" of one that has hosts for itself, before 26.05
  int32_t nodes_wanted = 1;
  int32_t cpus_together = 1;       // of one that waits: at least so many on a node
  std::optional<int64_t> limit_s;  // nullopt: it has none, or none is printed
  int64_t submitted_s = 0;         // 0: not printed, as below
  int64_t started_s = 0;           // of one that runs
  int64_t until_s = 0;             // of one that runs: its limit ends it then
};
/// The format for `squeue -h -a -r -t all -o`.
inline constexpr const char* kSlurmJobFormat = "%A|%T|%C|%P|%e|%N|%n|%h|%D|%l|%V|%S|%c|%x|%r";
Result<std::vector<SlurmJob>> parse_slurm_jobs(std::string_view text);

/// The format for `squeue -h -a -r -t running,… -O`, which running.hpp reads.
inline constexpr const char* kSlurmFactsFormat =
    "JobID:|,ArrayJobID:|,ArrayTaskID:|,PriorityLong:|,Requeue:|,BatchFlag:|,OverSubscribe:|,"
    "UserName:|,Partition:|,QOS:|,HetJobID:|,StartTime:|";

/// A row of `scontrol -a -o show partition`.
struct SlurmPartition {
  std::string name;
  bool whole_hosts = false;  // its jobs have their hosts for themselves
  std::optional<int64_t> memory_per_cpu_mb = std::nullopt;  // MaxMemPerCPU of its own
  bool memory_per_node = false;  // MaxMemPerNode of its own, which leaves the cluster's out
  bool saves_power = false;      // SuspendTime of its own, or PowerDownOnIdle
};
Result<std::vector<SlurmPartition>> parse_slurm_partitions(std::string_view text);

/// The CPUs of one job on one node, by number.
struct SlurmShare {
  std::string node;
  std::vector<int32_t> cpus;
};
/// Reads `scontrol -d -o show job ID`. The result is empty if it does not agree with `nodes` and
/// `cpus`; a job's name can cause that. `numbered` is the CPUs that are numbered for each that is
/// given.
std::vector<SlurmShare> parse_slurm_shares(std::string_view text,
                                           const std::vector<std::string>& nodes, int32_t cpus,
                                           int32_t numbered = 1);

/// The line of `scontrol -d -o show job` that has a job's CPUs, by the job's number; "" if none has
/// them or several lines claim to, as another job's name can make it look.
using SlurmJobLines = std::unordered_map<std::string, std::string>;
SlurmJobLines parse_slurm_job_lines(std::string_view text);

/// Returns how the job with this number ended, or that it waits again.
JobEnd parse_slurm_end(std::string_view text, std::string_view id);
/// The format for `squeue -h -a -r -t all -O`, without names of jobs and comments.
inline constexpr const char* kSlurmEndFormat = "JobID:|,State:|,exit_code:|";

/// Expands "p[1-3,08],q" to p1 p2 p3 p08 q, and refuses other forms.
Result<std::vector<std::string>> expand_slurm_nodes(std::string_view list);

/// True if some controller answers.
bool slurm_is_up(std::string_view ping);

}  // namespace leasehold::agent
