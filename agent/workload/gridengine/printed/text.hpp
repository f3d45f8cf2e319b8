// Reads what the programs of Grid Engine and its relatives print, into values. Elements are
// recognised by their form, because versions use other namespaces for the same bodies. Output that
// is cut off or of another form is refused as a whole; a host in an unknown state is not up, so
// that nothing unknown frees a slot. Pure: text in, values out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/work/work_unit.hpp"
#include "common/result.hpp"
#include "common/time/instant.hpp"

namespace leasehold::agent {

/// A job, or one task of an array, with its slots in one queue instance.
struct GridEngineJob {
  std::string id;     // "12", or "12.3": a task
  std::string state;  // as it is printed
  int32_t slots = 0;
  Instant started = {};
  std::optional<int64_t> limit_s = {};  // requested h_rt
  std::vector<std::string> flags = {};  // boolean resources that it asked for
  bool suspended() const { return state.find_first_of("sST") != std::string::npos; }
  bool deleted() const { return state.find('d') != std::string::npos; }
};

/// One queue on one host.
struct GridEngineInstance {
  std::string queue;
  std::string host;
  int32_t used = 0;      // by the queue's own count
  int32_t reserved = 0;  // by advance reservations, in use or not
  int32_t total = 0;     // slots that may be used
  bool up = false;       // no state that keeps work away
  std::vector<GridEngineJob> jobs = {};

  /// Returns the larger of both counts, with what is reserved: nobody else may have that either.
  int32_t held() const;
};

struct GridEnginePending {
  std::string id;
  int64_t slots = 0;                     // of all its waiting tasks
  bool startable = false;                // not held, in error or being deleted
  std::vector<std::string> queues = {};  // asked for, with wildcards; empty: any
  std::vector<std::string> hosts = {};   // likewise
  int64_t tasks = 1;                     // waiting ones, all equally wide
  std::string environment = {};          // parallel environment asked for, with wildcards; "": none
  std::vector<std::string> archs = {};   // asked for, with wildcards; empty: any
  std::optional<int64_t> limit_s = {};   // requested h_rt
  std::vector<std::string> flags = {};   // boolean resources that it asks for
  /// Everything else that each of its hosts must have: resource and value, by name.
  std::vector<std::pair<std::string, std::string>> requests = {};
  Instant submitted = {};  // {}: not known
  std::string owner = {};
  std::string project = {};  // only in `qstat -ext`

  int64_t slots_of_task() const { return slots / tasks; }
};

struct GridEngineLook {
  std::vector<GridEngineInstance> instances;
  std::vector<GridEnginePending> pending;
  std::vector<std::string> unknown;  // sentences about unknown words that affect nothing else
};

/// Reads `qstat -f -r -s a -u * -xml`, and also `qstat -s … -u * -xml` and with -ext, which list no
/// queues.
Result<GridEngineLook> parse_qstat(const std::string& text);

struct GridEngineHost {
  std::string name;
  std::string arch;
  int64_t mem_mb = 0;
  int64_t swap_mb = 0;
};

/// Reads `qhost -xml`, by name, without the row for all hosts.
Result<std::vector<GridEngineHost>> parse_qhost(const std::string& text);

/// Reads `qhost -F -xml`: the names of resources whose values change as hosts report them. Reported
/// ones that never change, such as mem_total, are left out.
Result<std::set<std::string>> parse_reported(const std::string& text);

/// Reads `qhost -F -xml`: by host, the resources that it reports or has some number of.
Result<std::map<std::string, std::set<std::string>>> parse_host_resources(const std::string& text);

struct GridEngineFacts {
  std::string number;  // of the job; the tasks of an array share it
  std::string owner;
  std::string project;
  std::string context;  // "name=value,…"
  Instant submitted;
  int64_t priority = 0;             // -1023 … 1024, as qsub -p
  bool notice = false;              // qsub -notify
  std::optional<bool> restartable;  // nullopt: as the queue says
};

/// Reads `qstat -j … -xml`, which leaves out jobs that are gone.
Result<std::vector<GridEngineFacts>> parse_job_facts(const std::string& text);

/// The attributes of `qconf -sq QUEUE` that matter here; it prints one a line.
struct GridEngineQueue {
  std::string name;
  std::vector<std::pair<std::string, int32_t>> slots_of_hosts;  // set for a single host
  bool rerun = false;     // everywhere: jobs that do not say otherwise are restartable
  int64_t notify_ms = 0;  // the longest time between a notice and the end it announces
  std::optional<int64_t> limit_s = {};  // h_rt, the longest of its hosts'; nullopt: INFINITY
  /// The parallel environments of all its hosts; nullopt: not known.
  std::optional<std::vector<std::string>> environments = {};
  std::set<std::string> resources = {};  // that it has a number of, on all or some hosts
};
Result<GridEngineQueue> parse_queue(std::string_view text);

/// A parallel environment: it spreads the slots of a job over hosts.
struct GridEngineEnvironment {
  enum class Spread : uint8_t { anywhere, one_host, fixed };
  std::string name;
  Spread spread = Spread::anywhere;
  int32_t slots_per_host = 1;  // under `fixed`: neither more nor fewer
  std::string unknown = {};    // its rule, if it is unknown: then all slots are on one host
  bool operator==(const GridEngineEnvironment&) const = default;
};
/// Reads `qconf -sp NAME`.
Result<GridEngineEnvironment> parse_environment(std::string_view text);

/// The resources of a cell, by what jobs that ask for them get.
struct GridEngineResources {
  std::set<std::string> exclusive;  // a job that has one is alone on the host (relop EXCL)
  std::set<std::string> memory;     // jobs use up memory
  std::set<std::string> devices;    // jobs use up anything else but slots
};
/// Reads `qconf -sc`.
Result<GridEngineResources> parse_resources(std::string_view text);

/// Reads "3600" or "1:0:0"; nullopt: "INFINITY", or another text.
std::optional<int64_t> gridengine_seconds(std::string_view text);

/// Matches names as Grid Engine does: * and ?, without regard to case.
bool matches(std::string_view pattern, std::string_view name);

/// Reads `qacct -j JOB`: how the last run that it knows of ended.
JobEnd parse_qacct(std::string_view text);

}  // namespace leasehold::agent
