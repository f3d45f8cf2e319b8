// View: one look at the cluster's workload manager. It may take several calls of its programs;
// where their answers differ the adapter counts the larger use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/demand/shapes.hpp"
#include "agent/core/limits/cap.hpp"
#include "common/wire/message.hpp"

namespace leasehold::agent {

/// Slots of one host in use by the cluster's own jobs.
struct HostLoad {
  std::string host;  // as the workload manager calls it
  bool imported = false;
  bool up = false;
  int32_t used = 0;
  /// At least the larger use of this look and the one before. Slurm's counts the widest job, too,
  /// that ended since the look before the last.
  int32_t used_peak = 0;
  /// Set for an imported host only; an own host has it in its facts.
  wire::Division division = wire::Division::unsaid;
  /// False: the host may be up for this cluster's work, but must not be lent; the adapter's
  /// cautions say why.
  bool lendable = true;
  bool operator==(const HostLoad&) const = default;
};

struct View {
  std::vector<wire::HostFacts> hosts;  // the cluster's own, whole
  std::vector<HostLoad> loads;         // own hosts and the imported ones that were asked for
  std::vector<HostCap> caps;           // in force
  int64_t pending = 0;                 // slots wanted, not had, that leased hosts could serve
  int64_t running = 0;                 // slots in use, wherever
  /// The shapes of the cluster's jobs. nullopt: the adapter does not report them, and `pending` is
  /// all that is known.
  std::optional<WorkShapes> shapes = std::nullopt;
  /// CLOCK_BOOTTIME at which the workload manager closes, or closed, leased slots by itself.
  int64_t leases_until_ms = INT64_MAX;
};

}  // namespace leasehold::agent
