// A leaf of a plan as a forecast sees it. For this folder only.
#pragma once

#include <vector>

#include "broker/core/plan/take_snapshot.hpp"
#include "broker/views/forecast/course.hpp"

namespace leasehold::forecasting {

struct LeafScene {
  const State& state;
  const ResourceGroupLedger& ledger;
  PlanSnapshot snapshot;
  uint32_t consumer = 0;           // that is asked for, in Plan::consumers
  PlanState slots = {};            // of the snapshot, counted in slots
  std::vector<int64_t> used = {};  // of what each leaf is due, by consumer
  bool moves = true;               // the plan may move slots
  bool waits = false;              // not before `next_ms`: leases are frozen until then
  int64_t next_ms = 0;             // the next cycle
  int64_t delay_ms = 1;            // between cycles
};

LeafScene leaf_scene(const State& state, uint32_t plan, uint32_t consumer,
                     const Forecast& forecast);

/// Until its slots are had: each cycle evaluates the plan on what the leaves want and hold then,
/// work that needs the slots included.
Course leaf_course(const LeafScene& scene, const Forecast& forecast, Outlook outlook);

}  // namespace leasehold::forecasting
