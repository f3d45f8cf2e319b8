#include "tests/demand/simulate/watchers.hpp"

#include <algorithm>

#include "broker/lab/simulate/work.hpp"
#include "tests/support/answer_now.hpp"

namespace leasehold::study {

/// The claimed jobs have waited since the scenario's first instant, so that none waits longer.
agent::WaitingWork Claiming::waiting(const Claim& claim, uint32_t cluster, Instant now) const {
  const auto widest = static_cast<int32_t>(std::max<int64_t>(1, widest_job(scenario_, cluster)));
  const int64_t turn = claim.anew_ms > 0 ? std::max<int64_t>(0, now.ms) / claim.anew_ms : 0;
  const int32_t slots =
      turn == 0 ? claim.slots : static_cast<int32_t>((claim.slots - 1 + turn) % widest) + 1;
  Job job;
  job.width = slots;
  job.hosts = hosts_of_job(scenario_, cluster, slots);
  agent::WaitingWork work = waiting_work(job, kWorkEpochMs, Limits::unstated);
  work.jobs = claim.jobs;
  return work;
}

std::vector<agent::WaitingWork> Claiming::claims(uint32_t cluster, Instant now) {
  std::vector<agent::WaitingWork> claimed;
  for (const Claim& claim : claims_) {
    if (claim.cluster != scenario_.clusters[cluster].name) continue;
    claimed.push_back(waiting(claim, cluster, now));
  }
  return claimed;
}

bool Calming::puts_off(const State& state, Instant flipped, Instant now) {
  if (state.slot_groups.empty()) return false;
  const bool held = flipped.ms != INT64_MIN && now - flipped < min_hold_ms_;
  return held || test::answer_now(state, 0).slots <= dead_zone_;
}

}  // namespace leasehold::study
