#include "agent/workload/simulated/settings.hpp"

#include <set>
#include <utility>

#include "agent/workload/support/read_settings.hpp"
#include "common/config/keys/reader.hpp"

namespace leasehold::agent {

namespace {

constexpr int64_t kSlotsMost = 1'000'000;
constexpr int64_t kMebibytesMost = int64_t{1} << 40;

constexpr auto kSimulatedKeys = std::make_tuple(
    key("state", &SimulatedSettings::state,
        {.help = "an SQLite file: its jobs and fences; goes on while the agent is down",
         .wanted = "the path of the file that keeps the simulated jobs",
         .fault = kept_state_fault,
         .path = true}),
    key("hosts", &SimulatedSettings::hosts,
        {.help = "below", .usual = "required", .kind = "list of tables", .by_hand = true}),
    key("trace", &JobSourceSettings::trace,
        {.help =
             "the file that jobs come from: Standard Workload Format, also .gz; or a generator; "
             "or no jobs at all",
         .path = true}),
    key("load", &JobSourceSettings::load,
        {.help = "a trace's arrivals this much faster", .range = {1, 1'000'000'000}}),
    key("generator", &GeneratorOptions::shape,
        {.help = "shape of the generated load", .usual = "none"}),
    key("busy", &GeneratorOptions::busy_ppm,
        {.help = "share of the cluster's slots that the generated jobs fill",
         .unit = Unit::rounded_millionths,
         .range = {1'000, 1'000'000'000}}),
    key("period", &GeneratorOptions::period_ms,
        {.help = "length of a wave, or time between two bursts",
         .unit = Unit::milliseconds,
         .range = {1, INT64_MAX}}),
    key("phase", &GeneratorOptions::phase_ms,
        {.help = "part of a period that is over when the load begins",
         .unit = Unit::milliseconds,
         .range = {0, INT64_MAX}}),
    key("widths", &GeneratorOptions::width_min,
        {.help = "least and most slots of a job",
         .range = {1, kSlotsMost},
         .usual = "`[1, 1]`",
         .kind = "list of two numbers, or of one",
         .by_hand = true}),
    key("run_time", &GeneratorOptions::run_ms,
        {.help = "mean run time of the generated jobs",
         .unit = Unit::milliseconds,
         .range = {2, INT64_MAX}}),
    key("seed", &GeneratorOptions::seed,
        {.help = "seed of the generator", .range = {0, INT64_MAX}}),
    key("speed", &SimulatedSettings::speed_milli,
        {.help = "simulated seconds a second",
         .unit = Unit::rounded_thousandths,
         .range = {1, 1'000'000'000}}),
    key("settle", &SimulatedSettings::settle_ms,
        {.help = "time after a fence in which the slots in use may still rise",
         .unit = Unit::milliseconds,
         .range = {0, 600'000}}));

constexpr auto kSimulatedHostKeys = std::make_tuple(
    key("name", &wire::HostFacts::name,
        {.help = "the host's name; unique", .wanted = "the name of a host"}),
    key("type", &wire::HostFacts::type, {.help = "the type that a policy's `select` asks for"}),
    key("model", &wire::HostFacts::model, {.help = "the model that a policy's `select` asks for"}),
    key("slots", &wire::HostFacts::slots,
        {.help = "number of its slots",
         .range = {0, kSlotsMost},
         .wanted = "how many slots the host has, as in slots = 8"}),
    key("mem_mb", &wire::HostFacts::mem_mb, {.help = "memory", .range = {0, kMebibytesMost}}),
    key("swap_mb", &wire::HostFacts::swap_mb, {.help = "swap", .range = {0, kMebibytesMost}}),
    key("resources", &wire::HostFacts::numbers_milli,
        {.help = "the resources that it has; numbers have at most three decimals",
         .usual = "`{}`",
         .kind = "table as in `{ bigmem = true, scratch_gb = 1.5 }`",
         .by_hand = true}),
    key("up", &wire::HostFacts::up, {.help = "`false`: it is out of service"}));

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
  read_keys(table, kSimulatedHostKeys, host);
  read_resources(table.table("resources"), host);
  return host;
}

int64_t read_hosts(const ConfigTable& table, std::vector<wire::HostFacts>& hosts) {
  std::set<std::string> names;
  int64_t slots = 0;
  for (const ConfigTable& row : table.tables("hosts")) {
    hosts.push_back(read_host(row));
    slots += hosts.back().slots;
    if (!names.insert(hosts.back().name).second) {
      row.error("name", "host '" + hosts.back().name + "' is there twice; names must differ");
    }
  }
  return slots;
}

void read_widths(const ConfigTable& table, GeneratorOptions& options) {
  const std::vector<int64_t> widths = table.integers("widths", {1, kSlotsMost});
  if (widths.empty()) return;
  options.width_min = static_cast<int32_t>(widths.front());
  options.width_max = static_cast<int32_t>(widths.back());
  if (widths.size() > 2 || widths.front() > widths.back()) {
    table.error("widths", "widths are the least and the most slots of a job, as in [1, 4]");
  }
}

void check_jobs(const ConfigTable& table, const GeneratorOptions& options,
                const JobSourceSettings& jobs) {
  if (!table.has("generator")) return;
  if (const Status good = check(options); !good) table.error("generator", good.error().message);
  if (!jobs.trace.empty()) {
    table.error("generator", "jobs come from a trace or from a generator; leave one of them out");
  }
}

}  // namespace

void read_settings(const ConfigTable& table, SimulatedSettings& settings) {
  GeneratorOptions options;
  read_keys(table, kSimulatedKeys, settings, settings.jobs, options);
  settings.jobs.slots = read_hosts(table, settings.hosts);
  if (settings.hosts.empty()) {
    table.error("hosts",
                "the cluster has no hosts; right would be "
                "hosts = [{ name = \"big1\", slots = 8 }]");
  }
  options.slots = settings.jobs.slots;
  read_widths(table, options);
  check_jobs(table, options, settings.jobs);
  if (table.has("generator")) settings.jobs.generator = options;
}

void describe_keys(const SimulatedSettings& plain, KeyReference& reference) {
  reference.add(kSimulatedKeys, plain, plain.jobs, GeneratorOptions{});
  reference.section("[workload.simulated] hosts", "Each host of the list.");
  reference.add(kSimulatedHostKeys, wire::HostFacts{});
}

void check_named_files(const ConfigTable&, const SimulatedSettings&) {}

}  // namespace leasehold::agent
