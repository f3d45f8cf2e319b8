// MetricsInput: what the broker's metrics are made of: the state as the log has it, what the loop
// knows of its agents and of itself, HTTP, the disk. Values alone.
#pragma once

#include <cstdint>
#include <optional>

#include "broker/core/model/state.hpp"
#include "broker/metrics/figures.hpp"
#include "broker/views/liveness.hpp"

namespace leasehold {

/// What who answers by HTTP did so far.
struct HttpFigures {
  int64_t connections = 0;
  int64_t streams = 0;
  int64_t requests = 0;
  int64_t refused = 0;
  int64_t too_many = 0;
  int64_t waiting = 0;  // questions
};

/// Of the database; nullopt: there is no such file, or it cannot be asked.
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
  std::optional<bool> own_file_differs = {};  // of who stands by, from what is in force
  BrokerStanding standing = {};
  Instant now = {};         // of the broker's loop; of a standby what its machine shows
  int64_t boottime_ms = 0;  // by which `standing` ends
  int64_t series_most = 0;  // leases, and consumers, that have series of their own
};

}  // namespace leasehold
