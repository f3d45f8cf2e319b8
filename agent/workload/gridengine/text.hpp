// What the programs of Grid Engine and its kin print, as values, told by its shape: versions put
// the same bodies under other namespaces. Output that is cut off or of another form is refused as a
// whole; a state that is not known makes its host not up: what is not understood frees no slot.
// Pure: text in, values out.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/reclaim/work_unit.hpp"
#include "common/instant.hpp"
#include "common/result.hpp"

namespace leasehold::agent {

/// A job, or one task of an array, with its slots in one queue instance.
struct GridEngineJob {
  std::string id;     // "12", or "12.3": a task
  std::string state;  // as it is printed
  int32_t slots = 0;
  Instant started = {};
  std::optional<int64_t> limit_s = {};  // h_rt that was asked for
  std::vector<std::string> flags = {};  // resources that it asked to have, of yes and no
  bool suspended() const { return state.find_first_of("sST") != std::string::npos; }
  bool deleted() const { return state.find('d') != std::string::npos; }
};

/// One queue on one host.
struct GridEngineInstance {
  std::string queue;
  std::string host;
  int32_t used = 0;      // by the queue's own count
  int32_t reserved = 0;  // by advance reservations, in use or not
  int32_t total = 0;     // that may be used
  bool up = false;       // no state that keeps work away
  std::vector<GridEngineJob> jobs = {};

  /// The larger of both counts, and what is reserved: nobody else may have that either.
  int32_t held() const;
};

struct GridEnginePending {
  std::string id;
  int64_t slots = 0;                     // of all its tasks that wait
  bool startable = false;                // not held, in error or being deleted
  std::vector<std::string> queues = {};  // asked for, with wildcards; empty: any
  std::vector<std::string> hosts = {};   // likewise
  int64_t tasks = 1;                     // that wait, each as wide as the others
  std::string environment = {};          // parallel environment asked for, with wildcards; "": none
  std::vector<std::string> archs = {};   // asked for, with wildcards; empty: any
  std::optional<int64_t> limit_s = {};   // h_rt that was asked for
  std::vector<std::string> flags = {};   // resources that it asks to have, of yes and no
  /// All else that each of its hosts must have: resource and value, by name.
  std::vector<std::pair<std::string, std::string>> requests = {};
  Instant submitted = {};  // {}: not told
  std::string owner = {};
  std::string project = {};  // only of `qstat -ext`

  int64_t slots_of_task() const { return slots / tasks; }
};

struct GridEngineLook {
  std::vector<GridEngineInstance> instances;
  std::vector<GridEnginePending> pending;
  std::vector<std::string> unknown;  // what is not understood and stands for itself, sentences
};

/// `qstat -f -r -s a -u * -xml`; `qstat -s … -u * -xml` and with -ext, which have no queues.
Result<GridEngineLook> parse_qstat(const std::string& text);

struct GridEngineHost {
  std::string name;
  std::string arch;
  int64_t mem_mb = 0;
  int64_t swap_mb = 0;
};

/// `qhost -xml`, without the row that stands for all, by name.
Result<std::vector<GridEngineHost>> parse_qhost(const std::string& text);

/// `qhost -F -xml`: names of the resources whose value hosts report as it changes. Not those that
/// they report and that stay, as mem_total.
Result<std::set<std::string>> parse_reported(const std::string& text);

struct GridEngineFacts {
  std::string number;  // of the job; an array's tasks have it in common
  std::string owner;
  std::string project;
  std::string context;  // "name=value,…"
  Instant submitted;
  int64_t priority = 0;             // -1023 … 1024, as qsub -p
  bool notice = false;              // qsub -notify
  std::optional<bool> restartable;  // nullopt: as the queue says
};

/// `qstat -j … -xml`. Jobs that are gone are not in it.
Result<std::vector<GridEngineFacts>> parse_job_facts(const std::string& text);

/// `qconf -sq QUEUE`, one line an attribute: those that matter here.
struct GridEngineQueue {
  std::string name;
  std::vector<std::pair<std::string, int32_t>> slots_of_hosts;  // set for a single host
  bool rerun = false;     // everywhere: jobs that do not say otherwise are restartable
  int64_t notify_ms = 0;  // the longest time between a notice and what it tells of
  std::optional<int64_t> limit_s = {};  // h_rt, the longest of its hosts'; nullopt: INFINITY
  /// Its parallel environments, of whatever host; nullopt: not told.
  std::optional<std::vector<std::string>> environments = {};
};
Result<GridEngineQueue> parse_queue(std::string_view text);

/// How a parallel environment spreads the slots of a job.
struct GridEngineEnvironment {
  enum class Spread : uint8_t { anywhere, one_host, fixed };
  std::string name;
  Spread spread = Spread::anywhere;
  int32_t slots_per_host = 1;  // of `fixed`: neither more nor fewer
  std::string unknown = {};    // its rule, if that is not known: all on one host
  bool operator==(const GridEngineEnvironment&) const = default;
};
/// `qconf -sp NAME`.
Result<GridEngineEnvironment> parse_environment(std::string_view text);

/// `qconf -sc`: names of the resources that a job has for itself alone, with its host or its queue
/// there (relop EXCL).
Result<std::set<std::string>> parse_exclusive(std::string_view text);

/// "3600", "1:0:0"; nullopt: "INFINITY", or another text.
std::optional<int64_t> gridengine_seconds(std::string_view text);

/// As Grid Engine matches names: * and ?, without regard to case.
bool matches(std::string_view pattern, std::string_view name);

/// `qacct -j JOB`: how the last run that it knows of ended.
JobEnd parse_qacct(std::string_view text);

}  // namespace leasehold::agent
