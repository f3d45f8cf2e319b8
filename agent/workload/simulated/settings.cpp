#include "agent/workload/simulated/settings.hpp"

#include <set>
#include <utility>

#include "agent/workload/support/read_settings.hpp"

namespace leasehold::agent {

namespace {

constexpr int64_t kSlotsMax = 1'000'000;
constexpr int64_t kMebibytesMax = int64_t{1} << 40;

void read_resources(const ConfigTable& table, wire::HostFacts& host) {
  for (const Placed<std::string>& key : table.free_keys()) {
    if (table.kind(key.value) == ConfigKind::flag) {
      if (table.flag(key.value, false)) host.booleans.push_back(key.value);
    } else {
      host.numbers_milli.emplace_back(key.value, table.milli(key.value, 0));
    }
  }
}

wire::HostFacts read_host(const ConfigTable& table) {
  wire::HostFacts host;
  host.name = table.required_text("name", "the name of a host");
  host.type = table.text("type");
  host.model = table.text("model");
  host.slots = static_cast<int32_t>(table.integer("slots", 0, {0, kSlotsMax}));
  if (!table.has("slots")) table.error("slots", "the host has no slots; right would be slots = 8");
  host.mem_mb = table.integer("mem_mb", 0, {0, kMebibytesMax});
  host.swap_mb = table.integer("swap_mb", 0, {0, kMebibytesMax});
  host.up = table.flag("up", true);
  read_resources(table.table("resources"), host);
  return host;
}

int64_t read_hosts(const ConfigTable& table, std::vector<wire::HostFacts>& hosts) {
  std::set<std::string> names;
  int64_t slots = 0;
  for (const ConfigTable& row : table.tables("hosts")) {
    hosts.push_back(read_host(row));
    slots += hosts.back().slots;
    if (!names.insert(hosts.back().name).second)
      row.error("name", "host '" + hosts.back().name + "' is there twice; names must differ");
  }
  return slots;
}

void read_widths(const ConfigTable& table, GeneratorOptions& options) {
  const std::vector<int64_t> widths = table.integers("widths", {1, kSlotsMax});
  if (widths.empty()) return;
  options.width_min = static_cast<int32_t>(widths.front());
  options.width_max = static_cast<int32_t>(widths.back());
  if (widths.size() > 2 || widths.front() > widths.back())
    table.error("widths", "widths are the least and the most slots of a job, as in [1, 4]");
}

void read_generator(const ConfigTable& table, JobSourceSettings& jobs) {
  GeneratorOptions options;
  options.slots = jobs.slots;
  options.shape = table.choice("generator", Shape::constant);
  options.busy_ppm = static_cast<int64_t>(table.decimal("busy", 0.6, 0.001, 1'000) * 1e6 + 0.5);
  options.period_ms = table.duration_ms("period", options.period_ms, {1, INT64_MAX});
  options.phase_ms = table.duration_ms("phase", 0);
  options.run_ms = table.duration_ms("run_time", options.run_ms, {2, INT64_MAX});
  options.seed = static_cast<uint64_t>(table.integer("seed", 1, {0, INT64_MAX}));
  read_widths(table, options);
  if (!table.has("generator")) return;
  if (const Status good = check(options); !good) table.error("generator", good.error().message);
  jobs.generator = options;
}

}  // namespace

void read_settings(const ConfigTable& table, const std::string& file, SimulatedSettings& settings) {
  settings.state =
      read_kept_file(table, file, "the path of the file that keeps the simulated jobs");
  settings.jobs.slots = read_hosts(table, settings.hosts);
  if (settings.hosts.empty())
    table.error("hosts",
                "the cluster has no hosts; right would be "
                "hosts = [{ name = \"big1\", slots = 8 }]");
  settings.jobs.load = table.decimal("load", 1.0, 0.001, 1e6);
  settings.speed_milli =
      static_cast<int64_t>(table.decimal("speed", 1.0, 0.001, 1e6) * 1'000 + 0.5);
  settings.settle_ms = table.duration_ms("settle", 0, {0, 600'000});
  const std::string trace = table.text("trace");
  if (!trace.empty()) settings.jobs.trace = relative_to(file, trace);
  read_generator(table, settings.jobs);
  if (!trace.empty() && table.has("generator"))
    table.error("generator", "jobs come from a trace or from a generator; leave one of them out");
}

void check_named_files(const ConfigTable&, const SimulatedSettings&) {}

}  // namespace leasehold::agent
