// The reference page of the broker's metrics, made of their rows.
#include "common/metrics/reference.hpp"

#include "broker/metrics/table.hpp"

namespace leasehold {

namespace {

constexpr const char* kHead =
    "# Metrics of the broker\n\n"
    "Made by `lease-broker --describe-metrics`. What `GET /metrics` answers, as Prometheus reads "
    "it; what to do\n"
    "about alerts: \"Runbook\" in the guide. Reasons, "
    "kinds and phases are the tokens of `leasectl`. Counters begin again\n"
    "with each start of the "
    "broker unless their line says otherwise. Names and labels are added, and none is changed.\n";

}  // namespace

std::string broker_metric_reference() {
  return metric_reference(kHead, broker_metrics());
}

}  // namespace leasehold
