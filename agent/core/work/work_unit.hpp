// WorkUnit: one job as its workload manager reports it: what it holds or wants, and the facts that
// session types match on. An adapter fills it and decides nothing: work_session.hpp finds its
// session and rank, victims.hpp whether it must end. Values only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/bounds.hpp"
#include "common/time/instant.hpp"

namespace leasehold::agent {

/// Slots of one host that a unit uses.
struct UnitHost {
  std::string host;  // as the workload manager calls it
  int32_t slots = 0;
  /// The numbers of the host's slots that it has, as many as `slots`; they are given only where
  /// another unit may use the same ones (oversubscribed cores). Empty: they are its own alone.
  std::vector<int32_t> shared = {};
  bool operator==(const UnitHost&) const = default;
};

/// Names of users, accounts and sessions are cut to so much where they are kept and reported,
/// because whoever submits a job may write some of them.
inline constexpr size_t kNameBytesMost = 600;
inline std::string kept_name(const std::string& name) {
  return name.substr(0, kNameBytesMost);
}

struct WorkUnit {
  std::string id = {};
  std::string called = {};           // its name in orders to the workload manager; "": its id
  std::vector<UnitHost> hosts = {};  // empty: it is pending; else each host once
  int32_t slots = 0;                 // in all; pending: wanted
  Instant started = {};              // wall clock; pending: means nothing
  Instant submitted = {};            // of the job, not of its last start
  int64_t priority = 0;              // the workload manager's own number: for people
  bool requeueable = true;           // false: a reclaim ends it for good
  bool whole_hosts = false;
  bool ending = false;  // it was ended, and its hosts are not free yet: it gets no signal
  /// Pending: hosts on which it could start if slots were free there; none: it is kept back, and
  /// slots would not help it. nullptr: its workload manager does not tell.
  std::shared_ptr<const std::vector<std::string>> fits = nullptr;
  /// Pending: so many jobs alike stand in it, as the tasks of an array; each wants slots / tasks,
  /// at least `slots_per_host` of them on each of at least `hosts_wanted` hosts, all at once.
  int32_t tasks = 1;
  int32_t slots_per_host = 1;
  int32_t hosts_wanted = 1;
  // Raw, "" where the workload manager has no such thing:
  std::string user = {};
  std::string account = {};    // Grid Engine, LSF: project
  std::string partition = {};  // Grid Engine, LSF: queue
  std::string qos = {};        // Grid Engine: department; LSF: service class
  std::string comment = {};    // Grid Engine: context; LSF: job description
  bool operator==(const WorkUnit&) const = default;

  const std::string& name() const { return called.empty() ? id : called; }
  bool running() const { return !hosts.empty(); }
  bool kept_back() const { return !running() && fits && fits->empty(); }
  int32_t slots_of_task() const { return slots / tasks; }
  bool lies_anywhere() const { return slots_per_host <= 1 && hosts_wanted <= 1 && !whole_hosts; }
  /// Sets `tasks` and `slots`, bounded so that all tasks together want at most kSlotsMax slots.
  void set_tasks(int64_t width, int64_t count) {
    const int64_t bounded = std::clamp<int64_t>(width, 1, kSlotsMax);
    tasks = static_cast<int32_t>(std::clamp<int64_t>(count, 1, kSlotsMax / bounded));
    slots = static_cast<int32_t>(bounded * tasks);
  }
  int32_t slots_on(const std::string& host) const {
    for (const UnitHost& on : hosts) {
      if (on.host == host) return on.slots;
    }
    return 0;
  }
};

/// The end of a job that is no longer listed, as its workload manager reports it.
struct JobEnd {
  enum class How : uint8_t {
    unknown,  // it does not know the job, or not any more
    goes_on,
    queued,  // it waits again
    well,    // by itself, with 0
    failed,  // by itself, otherwise
    ended,   // it was ended for good
  };
  How how = How::unknown;
  std::optional<int32_t> exit_code = std::nullopt;
  bool operator==(const JobEnd&) const = default;
};

}  // namespace leasehold::agent
