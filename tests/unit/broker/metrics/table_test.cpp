// The broker's table of metrics keeps to Prometheus' conventions, and the page of reference to it.
#include "broker/metrics/table.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "common/config/file.hpp"

using namespace leasehold;

TEST_CASE("metrics table: names, units and labels are as Prometheus wants them") {
  std::set<std::string> names;
  for (const MetricRow& row : broker_metrics()) {
    const std::string_view name = row.name;
    INFO(name);
    CHECK(names.insert(row.name).second);
    CHECK(name.starts_with("leasehold_"));
    CHECK(name.ends_with("_total") == (row.type == MetricType::counter));
    CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string_view::npos);
    const std::string unit = std::string("_") + row.unit;
    if (std::string_view("seconds bytes").find(row.unit) != std::string_view::npos && *row.unit) {
      CHECK(name.ends_with(unit));
    }
    CHECK(std::string_view(row.help).size() > 10);
    CHECK(std::string_view(row.help).find_first_of("\n|") == std::string_view::npos);
  }
}

TEST_CASE("metrics table: no label is a user, a job or a host, and only single leases name one") {
  const std::set<std::string_view> known{
      "version", "core_version", "wire_version", "broker", "mode", "kind",  "cluster",  "flow",
      "state",   "policy",       "provider",     "group",  "rule", "side",  "phase",    "reason",
      "step",    "result",       "door",         "queue",  "file", "lease", "consumer", "time"};
  for (const MetricRow& row : broker_metrics()) {
    INFO(row.name);
    for (size_t i = 0; i < row.label_count(); ++i) {
      const std::string_view label = row.labels[i];
      INFO(label);
      CHECK(known.contains(label));
      if (label == "lease") CHECK(row.scope == MetricScope::lease);
      if (label == "consumer") CHECK(row.scope != MetricScope::site);
    }
  }
}

TEST_CASE("metrics table: the page of reference is what the program prints") {
  const auto kept = read_text_file(LEASEHOLD_SOURCE_DIR "/schema/METRICS.md");
  REQUIRE(kept.has_value());
  INFO("make it anew: lease-broker --describe-metrics > schema/METRICS.md");
  CHECK(*kept == broker_metric_reference());
}
