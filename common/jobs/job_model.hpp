// JobModel simulates how a cluster's jobs queue, start and end. `leasectl simulate` and the agent's
// simulated workload manager share it. It knows neither leases nor clocks: its caller sets how many
// slots of each host the cluster may use now, and passes the time.
//
// First-fit walks the queue in arrival order (job.hpp: before) without reservations: a job that
// does not fit is passed over. With EASY backfilling the first job that does not fit has a
// reservation for when enough slots are expected to be free, and no job that starts after it may
// delay it.
//
// A job with Job::hosts takes that many different hosts, with the same number of slots on each, or
// one more on some if they do not divide: each part goes to the first host with room for it, in the
// order in which hosts were added. A job without takes own slots first, over the hosts in the same
// order, then leased ones. Either keeps its slots until it ends, even if a cap falls below the
// slots in use (then nothing more starts there). The jobs of a model are all of one kind.
//
// The order inside one instant is the caller's: complete(), arrive(), start() (schema/README.md,
// "Simulated time").
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "common/jobs/job.hpp"
#include "common/jobs/queue.hpp"
#include "common/jobs/slots.hpp"
#include "common/time/instant.hpp"
#include "common/tokens.hpp"

namespace leasehold {

/// A job that runs or has just ended.
struct RunningJob {
  Job job;
  Instant start;
  Instant end() const { return start + job.run_ms; }
};

/// The order in which start() takes jobs of the queue.
enum class Backfill : uint8_t { first_fit = 0, easy = 1 };
constexpr auto tokens_of(Backfill) {
  using enum Backfill;
  return tokens<Backfill>({{first_fit, "first-fit"}, {easy, "easy"}});
}

class JobModel {
 public:
  explicit JobModel(Backfill backfill = Backfill::first_fit) : backfill_(backfill) {}
  /// Hosts are numbered 0, 1, … in the order of adding, which is also the order of placement. `cap`
  /// is the number of slots that the cluster may use there now; `own` of them are not leased and
  /// are used first. An imported host has own = 0.
  uint32_t add_host(int32_t own, int32_t cap) { return slots_.add_host(own, cap); }
  void set_cap(uint32_t host, int32_t cap) { slots_.set_cap(host, cap); }
  void set_own(uint32_t host, int32_t own) { slots_.set_own(host, own); }
  size_t hosts() const { return slots_.hosts().size(); }
  int32_t cap(uint32_t host) const { return slots_.hosts()[host].cap; }
  int32_t own(uint32_t host) const { return slots_.hosts()[host].own; }
  /// Returns the slots of the host in use. They may exceed its cap after the cap was lowered.
  int32_t used(uint32_t host) const { return slots_.hosts()[host].used; }
  /// Returns the sum over hosts of max(0, cap - used).
  int64_t free_slots() const { return slots_.free(); }

  /// Adds a job to the queue. Jobs may come in any order; Job::arrival decides their place.
  void arrive(const Job& job) { queue_.add(job); }
  /// Ends every job whose end is not after `now`, ordered by end (ties: queue order). The span is
  /// valid until the next call.
  std::span<const RunningJob> complete(Instant now);
  /// Starts the jobs that fit at `now`. The span is valid until the next call.
  std::span<const RunningJob> start(Instant now);
  /// Takes a running job off its slots and puts it back into the queue by its arrival, with its
  /// full run time. Returns false if no such job runs.
  bool requeue(uint64_t id);
  /// Continues a job that ran when the state was saved. It takes its slots even beyond a cap.
  void resume(const Job& job, Instant start, std::span<const SlotsOnHost> placement);

  size_t queued() const { return queue_.size(); }
  size_t running() const { return running_count_; }
  int64_t pending_slots() const { return queue_.slots(); }
  int64_t used_slots() const { return slots_.used(); }
  /// Returns when the next running job ends; kNever if none runs.
  Instant next_completion() const { return ends_.empty() ? kNever : ends_.front().end; }

  /// Visits jobs for saving, in no particular order. arrive() and resume() restore them.
  void visit_queued(const std::function<void(const Job&)>& visit) const { queue_.visit(visit); }
  void visit_running(
      const std::function<void(const RunningJob&, std::span<const SlotsOnHost>)>& visit) const;
  /// Returns the hosts of a running job, or none if no such job runs. The span is valid until the
  /// next call.
  std::span<const SlotsOnHost> placement(uint64_t id) const;

 private:
  struct Running {
    RunningJob row;
    JobSlots::Chain slots = JobSlots::kNone;
    bool live = false;
  };
  struct End {
    Instant end;
    uint32_t row = 0;  // in rows_
  };
  struct Reservation {
    Instant at;         // kNever: no reservation can be made
    int64_t spare = 0;  // slots free then beyond the reserved ones
    /// The same for each host, for jobs with hosts. Negative where more is in use than the cap.
    std::vector<int32_t> spare_on;
  };

  void start_first_fit(Instant now);
  void start_easy(Instant now);
  static Instant expected_end(const RunningJob& row, Instant now);
  std::vector<End> expected_ends(Instant now) const;
  Reservation reservation(const Job& job, Instant now);
  bool has_room_then(const Job& job, Reservation& then);
  bool leaves_reserved(const Job& job, Reservation& head);
  bool ends_later(const End& a, const End& b) const;
  void start_job(const Job& job, Instant now);
  void run(const RunningJob& row, JobSlots::Chain slots);
  void free_row(uint32_t row);
  void collect_placement(JobSlots::Chain slots) const;
  uint32_t find_running(uint64_t id) const;

  Backfill backfill_;
  JobQueue queue_;
  JobSlots slots_;
  std::vector<Running> rows_;
  std::vector<uint32_t> rows_free_;
  std::vector<End> ends_;  // a heap, soonest first
  std::vector<RunningJob> answer_;
  mutable std::vector<SlotsOnHost> placement_;
  size_t running_count_ = 0;
};

}  // namespace leasehold
