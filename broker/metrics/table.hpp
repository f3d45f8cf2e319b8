// The broker's metrics, one row each with name and meaning. The other files of this folder add the
// values.
#pragma once

#include <string>

#include "common/metrics/row.hpp"

namespace leasehold {

enum class Metric : uint8_t {
  build_info,
  broker_info,
  start_time,
  frozen,
  freeze_time,
  database_failing,
  leads,
  leader_epoch,
  leadership_left,
  standby_lag,
  standby_differs,
  take_overs,
  take_overs_warm,
  leaderships_lost,
  attention,
  cluster_up,
  cluster_degraded,
  cluster_report_age,
  cluster_heard_age,
  cluster_pending,
  cluster_draining,
  cluster_hosts,
  cluster_clock_offset,
  cluster_clock_offset_error,
  cluster_messages_malformed,
  cluster_messages_dropped,
  policy_info,
  slots,
  policy_exported,
  policy_in_transfer,
  policy_unallocated,
  leases,
  leases_by_reason,
  policy_last_flip,
  leases_quarantined,
  leases_in_breach,
  transfers,
  transfer_oldest_age,
  reclaims_overdue,
  reclaim_overdue_slots,
  flips,
  flipped_slots,
  evaluations,
  consumer_outcomes,
  transfers_failed,
  alarms,
  refusals,
  evaluation_duration,
  commit_duration,
  commits_failed,
  events,
  agent_messages,
  queue_depth,
  http_connections,
  http_streams,
  http_requests,
  database_size,
  disk_free,
  lease_info,
  lease_reason,
  lease_slots,
  lease_in_transfer,
  lease_flips,
  lease_last_flip,
  consumer_slots,
  series_left_out,
};

/// Returns the rows in the order of Metric.
MetricTable broker_metrics();

/// Returns the reference page: schema/METRICS.md.
std::string broker_metric_reference();

}  // namespace leasehold
