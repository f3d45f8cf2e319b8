// MetricsInput: what the broker's metrics are made of: the state as the log has it, what the event
// loop knows of its agents and of itself, HTTP, the disk. It contains values only.
#pragma once

#include <cstdint>
#include <optional>

#include "broker/core/model/state.hpp"
#include "broker/metrics/figures.hpp"
#include "broker/views/clusters/liveness.hpp"

namespace leasehold {

/// Counts of the HTTP server since the start.
struct HttpFigures {
  int64_t connections = 0;
  int64_t streams = 0;
  int64_t requests = 0;
  int64_t refused = 0;
  int64_t too_many = 0;
  int64_t waiting = 0;  // questions
};

/// Sizes of the database; nullopt: there is no such file, or it cannot be asked.
struct DiskFigures {
  std::optional<uint64_t> log_bytes;
  std::optional<uint64_t> wal_bytes;
  std::optional<uint64_t> tables_bytes;
  std::optional<uint64_t> free_bytes;
};

struct MetricsInput {
  const State& state;
  const Liveness& liveness;
  const LoopFigures& figures;
  HttpFigures http = {};
  DiskFigures disk = {};
  int64_t last_event = 0;
  bool database_failing = false;
  // True if a standby's file differs from the configuration in force; nullopt: this is no standby,
  // or that is not known.
  std::optional<bool> own_file_differs = {};
  LeaderView leader_view = {};
  Instant now = {};         // of the broker's loop; of a standby, the machine's
  int64_t boottime_ms = 0;  // the clock of LeaderView::leads_until_ms
  int64_t series_most = 0;  // the most leases, and consumers, with series of their own
};

}  // namespace leasehold
