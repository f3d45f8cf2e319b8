// WorkShapes is what an adapter reports of the jobs of one look; demand_of() turns the waiting ones
// into the buckets of a report: jobs of one shape share a bucket, and there are sixteen buckets at
// the most. The adapter knows which jobs wait for slots: it leaves a job that waits for anything
// else (another job, a hold, a start time, a limit of its account) out of WorkShapes. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/time/instant.hpp"
#include "common/wire/demand.hpp"

namespace leasehold::agent {

/// A job, or several alike, that would start if it had the slots, on hosts that could be leased.
struct WaitingWork {
  int32_t slots_per_host = 1;  // at least so many on each of its hosts
  int32_t hosts = 1;           // on at least so many
  int64_t slots = 1;
  wire::TimeClass limit = wire::TimeClass::unknown;
  Instant submitted = {};  // by its machine's wall clock; {}: not known
  /// wire::HostFacts::type that will do. {}: any, or not known.
  std::vector<std::string> host_types = {};
  int64_t jobs = 1;  // alike: each of them wants that much
  /// Each takes all of each of its hosts, whatever their size; it wants at least the slots above.
  bool whole = false;
  int64_t limit_ms = 0;     // its time limit, where `limit` is `longer`
  bool on_imported = true;  // it could start on a host of another cluster; true if not known
  bool operator==(const WaitingWork&) const = default;
};

struct RunningWork {
  std::string id;  // of the job, as long as it runs
  int64_t slots = 0;
  Instant started;          // by the same clock as WorkShapes::now
  Instant until = kNever;   // its limit ends it then; kNever: it has none, or it is not known
  bool on_imported = true;  // it runs on a host of another cluster; true if not known
  bool operator==(const RunningWork&) const = default;
};

/// The jobs of one look.
struct WorkShapes {
  Instant now;
  std::vector<WaitingWork> waiting;
  std::vector<RunningWork> running;
};

/// Returns the slots that all of it wants, at most kSlotsMax. A job that takes its hosts whole
/// counts with at least `slots_of_whole_host` on each of them.
int64_t slots_wanted(std::span<const WaitingWork> waiting, int32_t slots_of_whole_host = 1);

void set_limit(WaitingWork& work, int64_t limit_ms);

/// Returns wire::Ending::longest_limit_ms, which is of work on imported hosts only: other work
/// never outlasts a reservation there.
int64_t longest_limit_ms(const WorkShapes& work);

/// Returns buckets in the order of their oldest jobs, unknown ages last; ties by shape. Of more
/// than sixteen the last one sums up all from the sixteenth on, as narrow as the narrowest of them,
/// so that slots which would serve one of them are not thought to serve none; whole if all are.
wire::Demand demand_of(std::span<const WaitingWork> waiting);

}  // namespace leasehold::agent
