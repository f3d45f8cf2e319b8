// A leaf of a plan as a forecast sees it. For this folder only.
#pragma once

#include <vector>

#include "broker/core/plan/take_snapshot.hpp"
#include "broker/views/forecast/course.hpp"

namespace leasehold::forecasting {

/// From then on the leaf begins nothing on the host, because of a reservation ahead; kNoIndex: the
/// reservation begins.
struct HostCloses {
  int64_t at_ms = 0;
  uint32_t consumer = kNoIndex;
  uint32_t host = 0;
};

struct LeafCourseInput {
  const State& state;
  const ResourceGroupLedger& ledger;
  Instant now;
  PlanSnapshot snapshot;
  uint32_t consumer = 0;           // the requested leaf, in Plan::consumers
  PlanState slots = {};            // the snapshot's state, counted in slots
  std::vector<int64_t> used = {};  // slots in use of what each leaf is due, by consumer
  /// Leaves that take part and whose agents tell shapes.
  std::vector<uint32_t> shaped = {};
  std::vector<HostCloses> closes = {};  // the first one stands first
  bool by_host = false;                 // not by numbers (leaf_hosts.hpp)
  bool moves = true;                    // the plan may move slots
  bool waits = false;                   // leases are frozen until `next_ms`: nothing moves before
  int64_t next_ms = 0;                  // the next cycle, from now
  int64_t delay_ms = 1;                 // between cycles
  FreezeAhead freeze = {};
};

LeafCourseInput leaf_course_input(const State& state, uint32_t plan, uint32_t consumer,
                                  Forecast& forecast);

/// Projects the plan until the slots are available: each cycle evaluates it on what the leaves want
/// and hold then, including the work that needs the slots.
Course leaf_course(const LeafCourseInput& input, const Forecast& forecast, Outlook outlook);

}  // namespace leasehold::forecasting
