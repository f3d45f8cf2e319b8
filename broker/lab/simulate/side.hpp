// PlannedSide: the slots of one exported host that a simulated cluster may use under a resource
// plan, or under a lease from which slots in use are reclaimed. It keeps them as its agent would:
// an order raises the limit at once, lowers it as jobs end, and after the grace of a reclaim ends
// jobs (broker/rules/plan/README.md, "Grace"; newest start first, then id; they queue again at
// their place by arrival, with their whole run time). Slots that were left are reported as left
// after the transfer time.
#pragma once

#include <cstdint>
#include <deque>

#include "common/jobs/job_model.hpp"
#include "common/time/instant.hpp"
#include "common/wire/message.hpp"

namespace leasehold {

class PlannedSide {
 public:
  /// `model` must outlive this object; `host` is the exported one, whose cap belongs to this object
  /// from now on.
  PlannedSide(JobModel& model, uint32_t host) : model_(&model), host_(host) {}

  struct Order {
    int32_t limit = 0;
    wire::Lowering lowering = wire::Lowering::shrink;
    int64_t grace_ms = 0;
  };
  /// Applies an order. Returns true if the cluster may use more slots than before. `transfer_ms` is
  /// the time until slots that were left are reported.
  bool take(const Order& order, int64_t transfer_ms, Instant now);
  /// To be called after completions and before starts: ends work whose grace is over, and leaves
  /// idle slots that are to be given up. Returns the number of jobs that were ended.
  int64_t end_overdue(int64_t transfer_ms, Instant now);
  /// Returns slots times milliseconds of the runs that it ended, on all their hosts.
  int64_t slot_ms_lost() const { return slot_ms_lost_; }
  /// Returns true if slots that were left have arrived: limit_stated() no longer has them.
  bool deliver(Instant now);

  int32_t limit_stated() const;
  int32_t used() const;
  Instant next_grace_end() const { return reclaims_.empty() ? kNever : reclaims_.front().at; }
  Instant next_delivery() const { return leaving_.empty() ? kNever : leaving_.front().at; }

 private:
  /// The limit from `at` on.
  struct Step {
    Instant at;
    int32_t limit = 0;
  };
  void add_reclaim(const Order& order, Instant now);
  void leave(int64_t transfer_ms, Instant now);
  int64_t end_work(int32_t limit, Instant now);

  JobModel* model_;
  uint32_t host_;
  int32_t wanted_ = 0;         // the limit of the last order
  std::deque<Step> reclaims_;  // work above the limit ends then; times rise, limits fall
  std::deque<Step> leaving_;   // left, and not yet reported
  int32_t stated_ = 0;
  int64_t slot_ms_lost_ = 0;
};

}  // namespace leasehold
