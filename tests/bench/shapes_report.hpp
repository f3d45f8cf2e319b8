// Makes the report of a look as an agent sends it for its work alone, and gives its size in bytes.
#pragma once

#include <set>
#include <tuple>
#include <vector>

#include "agent/core/demand/endings.hpp"
#include "agent/core/demand/shapes.hpp"
#include "common/check.hpp"
#include "common/wire/codec.hpp"

namespace leasehold::bench {

inline constexpr int kWaiting = 10'000;
inline constexpr size_t kShapes = 500;  // at least

inline size_t shapes_of(const std::vector<agent::WaitingWork>& waiting) {
  std::set<std::tuple<int32_t, int32_t, int64_t, wire::TimeClass>> shapes;
  for (const agent::WaitingWork& work : waiting) {
    shapes.emplace(work.slots_per_host, work.hosts, work.slots, work.limit);
  }
  return shapes.size();
}

inline size_t report_bytes(const std::vector<agent::WaitingWork>& waiting,
                           const std::vector<agent::RunningWork>& running, Instant now,
                           agent::Endings& endings) {
  wire::Report report;
  report.session = report.number = UINT32_MAX;
  report.pending = agent::slots_wanted(waiting);
  report.demand = agent::demand_of(waiting);
  report.ending = endings.look(running, now);
  LEASEHOLD_CHECK(report.demand->size() == wire::kDemandBucketsMax, "there are more shapes");
  return wire::encode(report).size();
}

}  // namespace leasehold::bench
