#include "agent/io/metrics/table.hpp"

#include "common/metrics/reference.hpp"
#include "common/version.hpp"

namespace leasehold::agent {

namespace {

constexpr MetricType kGauge = MetricType::gauge;

constexpr MetricRow kRows[] = {
    {"leasehold_agent_build_info", kGauge, "", {"cluster", "version"}, "1: the agent's release"},
    {"leasehold_agent_written_timestamp_seconds",
     kGauge,
     "seconds",
     {"cluster"},
     "When this file was written, since 1970: an old file means that the agent does not run"},
    {"leasehold_agent_connected", kGauge, "", {"cluster"}, "1: the broker has accepted this agent"},
    {"leasehold_agent_workload_up",
     kGauge,
     "",
     {"cluster"},
     "1: the workload manager answered the last time that the agent asked"},
    {"leasehold_agent_workload_failures",
     kGauge,
     "calls",
     {"cluster"},
     "Failed calls of the workload manager in a row"},
    {"leasehold_agent_look_age_seconds",
     kGauge,
     "seconds",
     {"cluster"},
     "Time since the workload manager last answered; absent: not yet"},
    {"leasehold_agent_pending_slots",
     kGauge,
     "slots",
     {"cluster"},
     "Slots that pending work wants and leased hosts could serve"},
    {"leasehold_agent_running_slots",
     kGauge,
     "slots",
     {"cluster"},
     "Slots in use, on own and on leased hosts"},
    {"leasehold_agent_leased_slots",
     kGauge,
     "slots",
     {"cluster", "peer", "role", "state"},
     "Slots of groups shared with another cluster: the limit that this one has in force, and what "
     "of it is used"},
    {"leasehold_agent_breach_slots",
     kGauge,
     "slots",
     {"cluster"},
     "Slots in use above every limit on hosts that are leased"},
    {"leasehold_agent_orders",
     kGauge,
     "orders",
     {"cluster"},
     "Orders of the broker that are being carried out"},
    {"leasehold_agent_reclaims",
     kGauge,
     "jobs",
     {"cluster"},
     "Jobs that were ended for a reclaim and still run"},
    {"leasehold_agent_epoch",
     kGauge,
     "",
     {"cluster"},
     "The highest epoch of a leader that the agent has connected to; absent: none"},
    {"leasehold_agent_other_leader_messages_total",
     MetricType::counter,
     "messages",
     {"cluster"},
     "Messages dropped because another leadership than the one connected to sent them"},
};
static_assert(std::size(kRows) == static_cast<size_t>(AgentMetric::of_others) + 1,
              "a row for each metric, in their order");

constexpr const char* kHead =
    "# Metrics of the agents\n"
    "\n"
    "Made by `lease-agent --describe-metrics`. What is in `[agent] metrics_file`, for the "
    "textfile collector of\n"
    "node_exporter: the agent writes that file every `report_interval` and "
    "removes it when it stops.\n"
    "Names and labels are added, and none is changed.\n";

void add_leased(const AgentFigures& figures, Samples& samples) {
  for (const auto& [whose, slots] : figures.leased) {
    const auto& [peer, role] = whose;
    samples.add(AgentMetric::leased, static_cast<double>(slots.limit),
                {figures.cluster, peer, token(role), "limit"});
    samples.add(AgentMetric::leased, static_cast<double>(slots.used),
                {figures.cluster, peer, token(role), "used"});
  }
}

}  // namespace

std::string agent_metric_reference() {
  return metric_reference(kHead, kRows);
}

Samples agent_samples(const AgentFigures& figures, Instant written) {
  Samples samples(kRows);
  const auto add = [&](AgentMetric metric, double value) {
    samples.add(metric, value, {figures.cluster});
  };
  samples.add(AgentMetric::build_info, 1, {figures.cluster, kVersion});
  add(AgentMetric::written, in_seconds(written.ms));
  add(AgentMetric::connected, figures.connected ? 1 : 0);
  add(AgentMetric::workload_up, figures.workload_up ? 1 : 0);
  add(AgentMetric::workload_failures, figures.failures);
  if (figures.look_age_ms) add(AgentMetric::look_age, in_seconds(*figures.look_age_ms));
  add(AgentMetric::orders, static_cast<double>(figures.orders));
  add(AgentMetric::reclaims, static_cast<double>(figures.reclaims));
  if (figures.epoch != 0) add(AgentMetric::epoch, static_cast<double>(figures.epoch));
  add(AgentMetric::of_others, static_cast<double>(figures.of_others));
  if (!figures.started) return samples;  // of its work nothing is known
  add(AgentMetric::pending, static_cast<double>(figures.pending));
  add(AgentMetric::running, static_cast<double>(figures.running));
  add(AgentMetric::breach, static_cast<double>(figures.breach));
  add_leased(figures, samples);
  return samples;
}

}  // namespace leasehold::agent
