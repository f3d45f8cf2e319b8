// The agent's metrics: values, the file that node_exporter reads, and the page of reference.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "agent/io/metrics/file.hpp"
#include "agent/io/metrics/table.hpp"
#include "agent/io/settings/keys.hpp"
#include "common/config/file.hpp"
#include "common/metrics/text.hpp"
#include "tests/unit/agent/scratch.hpp"

namespace leasehold::agent {
namespace {

std::string content(const std::string& path) {
  const auto text = read_text_file(path);
  return text ? *text : "";
}

}  // namespace

TEST_CASE("agent metrics: what is not known is left out, the rest is told of the cluster") {
  AgentFigures figures;
  figures.cluster = "east";
  figures.failures = 2;
  figures.leased[{"west", wire::Role::provider}] = {4, 3};
  Samples samples = agent_samples(figures, {1'000'500});
  CHECK(samples.value(AgentMetric::written, {"east"}) == 1'000.5);
  CHECK(samples.value(AgentMetric::workload_failures, {"east"}) == 2);
  CHECK(samples.has(AgentMetric::connected, {"east"}));
  CHECK_FALSE(samples.has(AgentMetric::look_age, {"east"}));
  CHECK_FALSE(samples.has(AgentMetric::epoch, {"east"}));
  CHECK(samples.value(AgentMetric::of_others, {"east"}) == 0);
  CHECK_FALSE(samples.has(AgentMetric::leased, {"east", "west", "provider", "limit"}));
  figures.started = true;
  figures.look_age_ms = 1'500;
  figures.epoch = 3;
  samples = agent_samples(figures, {0});
  CHECK(samples.value(AgentMetric::look_age, {"east"}) == 1.5);
  CHECK(samples.value(AgentMetric::epoch, {"east"}) == 3);
  CHECK(samples.value(AgentMetric::leased, {"east", "west", "provider", "limit"}) == 4);
  CHECK(samples.value(AgentMetric::leased, {"east", "west", "provider", "used"}) == 3);
}

TEST_CASE("agent metrics: names keep to Prometheus' conventions, the reference to the table") {
  const Samples samples = agent_samples({}, {0});
  for (const Samples::Family& family : samples.families()) {
    const MetricRow& row = *family.row;
    INFO(row.name);
    CHECK(std::string_view(row.name).starts_with("leasehold_agent_"));
    CHECK(std::string_view(row.labels[0]) == "cluster");
    CHECK(std::string_view(row.name).ends_with("_total") == (row.type == MetricType::counter));
  }
  INFO("make it anew: lease-agent --describe-metrics > schema/AGENT_METRICS.md");
  CHECK(content(LEASEHOLD_SOURCE_DIR "/schema/AGENT_METRICS.md") == agent_metric_reference());
}

TEST_CASE("metrics file: each text takes the place of the one before, and goes with the agent") {
  const Scratch scratch;
  const std::string path = scratch.file("leasehold.prom");
  {
    MetricsFile file(path, 5'000);
    CHECK(file.next_ms() == INT64_MIN);
    file.write("a 1\n", 1'000);
    CHECK(file.next_ms() == 6'000);
    CHECK(content(path) == "a 1\n");
    file.write("b\n", 6'000);
    CHECK(content(path) == "b\n");
    CHECK_FALSE(std::filesystem::exists(path + ".new"));
    struct stat mode {};
    REQUIRE(::stat(path.c_str(), &mode) == 0);
    CHECK((mode.st_mode & 0777) == 0644);
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("metrics file: is not written through a link, and a folder that is gone stops nobody") {
  const Scratch scratch;
  const std::string path = scratch.file("leasehold.prom");
  std::ofstream(scratch.file("other")) << "precious";
  std::filesystem::create_symlink(scratch.file("other"), path + ".new");
  MetricsFile file(path, 1'000);
  file.write("a 1\n", 0);
  CHECK(content(path) == "a 1\n");
  CHECK(content(scratch.file("other")) == "precious");
  MetricsFile nowhere(scratch.file("none/leasehold.prom"), 1'000);
  nowhere.write("a 1\n", 0);
  CHECK(nowhere.next_ms() == 1'000);
}

TEST_CASE(
    "metrics file: nothing is due where none is wanted, and a name that nobody reads is wrong") {
  CHECK(MetricsFile("", 1'000).next_ms() == INT64_MAX);
  CHECK(metrics_file_fault("").empty());
  CHECK(metrics_file_fault("/var/lib/leasehold.prom").empty());
  CHECK(metrics_file_fault("/var/lib/leasehold.txt").find(".prom would be right") !=
        std::string::npos);
}

}  // namespace leasehold::agent
