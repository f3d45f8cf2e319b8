// Metrics of clusters: whether their agents are connected, what they report, what is drained.
#include "broker/metrics/parts.hpp"
#include "broker/views/clusters/contact.hpp"

namespace leasehold::metrics {

namespace {

void add_contact_age(const MetricsInput& input, const Cluster& cluster, Samples& samples) {
  const Instant now = now_of(input);
  const Instant contact_at = last_contact(input.liveness, cluster.name);
  if (contact_at != kNever) {
    samples.add(Metric::cluster_heard_age, in_seconds(now - contact_at), {cluster.name});
  }
  const ClusterLiveness* known = known_of(input.liveness, cluster.name);
  if (known == nullptr) return;
  if (known->last_report) {
    samples.add(Metric::cluster_report_age, in_seconds(now - *known->last_report), {cluster.name});
  }
  if (known->clock_off) {
    const ClockDifference& off = *known->clock_off;
    samples.add(Metric::cluster_clock_offset, in_seconds(off.middle_ms()), {cluster.name});
    samples.add(Metric::cluster_clock_offset_error, in_seconds(off.error_ms()), {cluster.name});
  }
  samples.add(Metric::cluster_messages_malformed, static_cast<double>(known->malformed),
              {cluster.name});
  samples.add(Metric::cluster_messages_dropped, static_cast<double>(known->dropped),
              {cluster.name});
}

void add_hosts(const Cluster& cluster, Samples& samples) {
  for (const char* state : {"up", "down", "closed"}) {
    samples.add(Metric::cluster_hosts, 0, {cluster.name, state});
  }
  for (const Host& host : cluster.hosts) {
    if (!host.present) continue;
    const char* state = host.closed ? "closed" : host.facts.up ? "up" : "down";
    samples.add(Metric::cluster_hosts, 1, {cluster.name, state});
  }
}

}  // namespace

void add_clusters(const MetricsInput& input, Samples& samples) {
  for (const Cluster& cluster : input.state.clusters) {
    if (!cluster.configured) continue;
    const bool up = cluster.contact == Contact::ok;
    samples.add(Metric::cluster_up, up ? 1 : 0, {cluster.name});
    samples.add(Metric::cluster_degraded, up && cluster.degraded ? 1 : 0, {cluster.name});
    if (up) {
      samples.add(Metric::cluster_pending, static_cast<double>(cluster.pending), {cluster.name});
    }
    samples.add(Metric::cluster_draining, cluster.draining_imports ? 1 : 0,
                {cluster.name, "imports"});
    samples.add(Metric::cluster_draining, cluster.draining_exports ? 1 : 0,
                {cluster.name, "exports"});
    add_contact_age(input, cluster, samples);
    add_hosts(cluster, samples);
  }
}

}  // namespace leasehold::metrics
