// LoopFigures: what only the broker's event loop knows about itself: how long its work took, what
// it counted since the start, what waits. It belongs to the loop and is copied when somebody asks
// for metrics (broker/ports/http/answers/bulletin.hpp); no decision reads it and it is not
// recorded.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "common/metrics/time_histogram.hpp"
#include "common/reason.hpp"

namespace leasehold {

using CountsByReason = std::array<uint64_t, kReasonCount>;

/// Counts of one export policy. They are kept by its name, because positions in State change with a
/// reload.
struct PolicyCounts {
  CountsByReason flips{};
  CountsByReason evaluations{};  // evaluations with another outcome than a flip
  CountsByReason transfers_failed{};
  uint64_t flipped_slots = 0;
};

struct LoopFigures {
  TimeHistogram evaluation;
  TimeHistogram commit;
  uint64_t commits_failed = 0;
  uint64_t take_overs = 0;
  uint64_t take_overs_warm = 0;
  uint64_t leaderships_lost = 0;  // without those that it gave up by an order
  std::unordered_map<std::string, PolicyCounts> policies;
  std::unordered_map<std::string, CountsByReason> consumers;  // by resource group
  CountsByReason alarms{};
  CountsByReason operators_refused{};
  // Set from the agents' port and from the loop's state when metrics are asked for:
  CountsByReason agents_refused{};
  uint64_t agent_messages = 0;
  uint64_t evaluations_waiting = 0;
  uint64_t time_outs_waiting = 0;
  uint64_t returns_waiting = 0;
  uint64_t statements_put_off = 0;
};

class Stopwatch {
 public:
  int64_t us() const {
    return std::chrono::duration_cast<std::chrono::microseconds>(Time::now() - begun_).count();
  }

 private:
  using Time = std::chrono::steady_clock;
  Time::time_point begun_ = Time::now();
};

}  // namespace leasehold
