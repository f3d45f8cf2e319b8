// Reclaim: which work ends when slots are taken back while in use, and when. Interrupt at once, the
// whole grace for every job, then end and requeue (architecture 3.3). Victims: newest start first,
// then by id; jobs already interrupted come before, as they were told. Pure; one local host at a
// time.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "common/instant.hpp"

namespace leasehold::agent {

/// A job with slots on the host.
struct JobOnHost {
  std::string id;
  int32_t slots = 0;
  Instant started;
};

struct ReclaimSteps {
  std::vector<std::string> interrupt;
  std::vector<std::string> end;
};

class ReclaimTimeline {
 public:
  /// `slots`: that are in use above the target. What is due at `now`; a job that is to be ended and
  /// was not interrupted before is in both lists. Jobs that are gone are forgotten.
  ReclaimSteps due(std::span<const JobOnHost> jobs, int32_t slots, int64_t grace_ms,
                   int64_t now_ms);
  /// When due() has more to say; INT64_MAX: not by time alone.
  int64_t next_ms(int64_t grace_ms) const;
  bool empty() const { return interrupted_at_.empty(); }

 private:
  std::map<std::string, int64_t> interrupted_at_;
};

}  // namespace leasehold::agent
