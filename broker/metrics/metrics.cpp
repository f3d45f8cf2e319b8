#include "broker/metrics/metrics.hpp"

#include <filesystem>

#include "broker/core/model/queries/orders_in_force.hpp"
#include "broker/metrics/parts.hpp"
#include "broker/views/attention/attention.hpp"
#include "broker/views/attention/needs.hpp"
#include "common/database_name.hpp"
#include "common/version.hpp"

namespace leasehold {

namespace {

void add_freeze_times(const State& state, Samples& samples) {
  const std::optional<OrderInForce>& ahead = state.freeze_ahead;
  if (ahead) samples.add(Metric::freeze_time, in_seconds(begin_of(*ahead).ms), {"from"});
  const Instant now_until = state.frozen ? state.freeze_order.until : kNever;
  const Instant until = !state.frozen && ahead ? ahead->until : now_until;
  if (until != kNever) samples.add(Metric::freeze_time, in_seconds(until.ms), {"until"});
}

void add_broker(const MetricsInput& input, Samples& samples) {
  const State& state = input.state;
  samples.add(Metric::build_info, 1,
              {kVersion, std::to_string(kCoreVersion), std::to_string(wire::kVersion)});
  samples.add(Metric::broker_info, 1, {state.config.name, token(state.config.mode)});
  samples.add(Metric::start_time, in_seconds(state.started.ms));
  samples.add(Metric::frozen, state.frozen ? 1 : 0);
  add_freeze_times(state, samples);
  samples.add(Metric::events, static_cast<double>(input.last_event));
}

/// Adds the role of this broker among those of its database.
void add_role(const MetricsInput& input, Samples& samples) {
  const LeaderView& leader_view = input.leader_view;
  const bool leads = leads_at(leader_view, input.boottime_ms);
  samples.add(Metric::database_failing, input.database_failing ? 1 : 0);
  samples.add(Metric::leads, leads ? 1 : 0);
  samples.add(Metric::leader_epoch, static_cast<double>(leader_view.epoch));
  if (leader_view.role == BrokerRole::leader) {
    const int64_t left_ms = leads ? leader_view.leads_until_ms - input.boottime_ms : 0;
    samples.add(Metric::leadership_left, in_seconds(left_ms));
  }
  if (leader_view.role == BrokerRole::standby) {
    const int64_t lag_ms = std::max<int64_t>(0, input.now - leader_view.looked);
    samples.add(Metric::standby_lag, in_seconds(lag_ms));
  }
  if (input.own_file_differs) samples.add(Metric::standby_differs, *input.own_file_differs ? 1 : 0);
  samples.add(Metric::take_overs, static_cast<double>(input.figures.take_overs));
  samples.add(Metric::take_overs_warm, static_cast<double>(input.figures.take_overs_warm));
  samples.add(Metric::leaderships_lost, static_cast<double>(input.figures.leaderships_lost));
}

void add_attention(const MetricsInput& input, Samples& samples) {
  for (const auto& row : kTokensOf<attention::Kind>) samples.add(Metric::attention, 0, {row.token});
  for (const Json& need : view_attention(input.state, input.liveness)) {
    samples.add(Metric::attention, 1, {need["kind"].get<std::string>()});
  }
}

void add_http(const HttpFigures& http, Samples& samples) {
  samples.add(Metric::http_connections, static_cast<double>(http.connections));
  samples.add(Metric::http_streams, static_cast<double>(http.streams));
  samples.add(Metric::http_requests, static_cast<double>(http.requests));
}

void add_disk(const DiskFigures& disk, Samples& samples) {
  const auto add = [&samples](Metric metric, const std::optional<uint64_t>& bytes,
                              const metrics::Labels& labels) {
    if (bytes) samples.add(metric, static_cast<double>(*bytes), labels);
  };
  add(Metric::database_size, disk.log_bytes, {"log"});
  add(Metric::database_size, disk.wal_bytes, {"wal"});
  add(Metric::database_size, disk.tables_bytes, {"tables"});
  add(Metric::disk_free, disk.free_bytes, {});
}

std::optional<uint64_t> size_of(const std::string& path) {
  std::error_code error;
  const uintmax_t bytes = std::filesystem::file_size(path, error);
  return error ? std::nullopt : std::optional<uint64_t>(bytes);
}

}  // namespace

Samples broker_samples(const MetricsInput& input) {
  Samples samples(broker_metrics());
  add_broker(input, samples);
  add_role(input, samples);
  add_attention(input, samples);
  metrics::add_clusters(input, samples);
  metrics::add_policies(input, samples);
  metrics::add_leases(input, samples);
  metrics::add_loop(input, samples);
  add_http(input.http, samples);
  add_disk(input.disk, samples);
  return samples;
}

Samples role_samples(const MetricsInput& input) {
  Samples samples(broker_metrics());
  add_role(input, samples);
  add_http(input.http, samples);
  return samples;
}

DiskFigures look_at_disk(const std::string& database) {
  if (is_server(database)) return {};  // its disk is monitored elsewhere
  DiskFigures disk{size_of(database), size_of(database + "-wal"), size_of(database + ".state"), {}};
  std::filesystem::path folder = std::filesystem::path(database).parent_path();
  std::error_code error;
  const auto space = std::filesystem::space(folder.empty() ? "." : folder, error);
  if (!error) disk.free_bytes = space.available;
  return disk;
}

}  // namespace leasehold
