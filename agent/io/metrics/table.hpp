// The agent's metrics, a row each, and their samples.
#pragma once

#include <string>

#include "agent/io/metrics/figures.hpp"
#include "common/metrics/samples.hpp"
#include "common/time/instant.hpp"

namespace leasehold::agent {

enum class AgentMetric : uint8_t {
  build_info,
  written,
  connected,
  workload_up,
  workload_failures,
  look_age,
  pending,
  running,
  leased,
  breach,
  orders,
  reclaims,
  epoch,
  of_others,
};

/// Returns the text of schema/AGENT_METRICS.md.
std::string agent_metric_reference();

/// `written` is by the wall clock.
Samples agent_samples(const AgentFigures& figures, Instant written);

}  // namespace leasehold::agent
