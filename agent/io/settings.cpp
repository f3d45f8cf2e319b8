#include "agent/io/settings.hpp"

#include <set>

#include "common/config_file.hpp"
#include "common/endpoint.hpp"
#include "common/log.hpp"

namespace leasehold::agent {

namespace {

constexpr int64_t kSlotsMax = 1'000'000;
constexpr int64_t kMebibytesMax = int64_t{1} << 40;

void read_agent(const ConfigTable& table, const std::string& file, Settings& settings) {
  if (!table.present())
    table.error(Place{}, "there is no [agent]; it must name at least cluster, broker and state");
  settings.agent.cluster = table.required_text("cluster", "the name of this agent's cluster");
  settings.brokers = table.text_or_texts("broker");
  if (settings.brokers.empty())
    table.error("broker", "no broker is named; give its endpoint, as in \"tcp://127.0.0.1:7440\"");
  for (const std::string& broker : settings.brokers)
    if (const auto endpoint = parse_endpoint(broker); !endpoint)
      table.error("broker", endpoint.error().message);
    else if (!is_local(*endpoint) && settings.security.secret_key_file.empty())
      table.error("broker", "'" + broker +
                                "' is on another machine: make a key with `leasectl "
                                "keygen --out " +
                                (settings.agent.cluster.empty() ? "NAME" : settings.agent.cluster) +
                                "`, then write [security] secret_key_file and broker_public_key");
  settings.state = relative_to(
      file, table.required_text("state", "the path of the file that keeps the agent's limits"));
  settings.agent.report_interval_ms = table.duration_ms("report_interval", 5'000, {100, 3'600'000});
  table.duration_ms("call_timeout", 20'000, {100, 3'600'000});  // of adapters that call programs
  settings.agent.degraded_after = static_cast<int>(table.integer("degraded_after", 3, {1, 1'000}));
  settings.log_level = table.text("log_level");
  if (const auto level = parse_log_level(settings.log_level); !settings.log_level.empty() && !level)
    table.error("log_level", level.error().message);
  settings.agent.session.heartbeat_ms = settings.agent.report_interval_ms;
}

void read_security(const ConfigTable& table, const std::string& file, SecuritySettings& security) {
  if (!table.present()) return;
  security.line = table.place("secret_key_file").line;
  security.secret_key_file = relative_to(
      file, table.required_text("secret_key_file", "this agent's key file: leasectl keygen"));
  security.broker_public_keys = table.text_or_texts("broker_public_key");
  if (security.broker_public_keys.empty())
    table.error(
        "broker_public_key",
        "'broker_public_key' is missing; it is what `leasectl keygen` printed for the broker");
  for (const std::string& key : security.broker_public_keys)
    if (!is_curve_key(key))
      table.error("broker_public_key",
                  "'" + key + "' is no CURVE key; it has 40 characters of Z85");
}

void read_names(const ConfigTable& table, HostNames& names) {
  names.rule = table.text("rule", names.rule);
  if (names.rule.find("{host}") == std::string::npos)
    table.error("rule", "the rule must contain {host}, as in \"imp-{host}\"");
  const ConfigTable map = table.table("map");
  for (const Placed<std::string>& key : map.free_keys()) {
    if (key.value.find('@') == std::string::npos)
      map.error(key.place, "'" + key.value + "' names no cluster; right would be \"" + key.value +
                               "@CLUSTER\"");
    names.map[key.value] = map.required_text(key.value, "the local name of " + key.value);
  }
  table.texts("leased_partitions");  // a simulated cluster has no partitions: any job may move
}

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
  options.shape = table.choice(
      "generator", Shape::constant,
      {{"constant", Shape::constant}, {"wave", Shape::wave}, {"bursts", Shape::bursts}});
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

void read_simulated(const ConfigTable& table, const std::string& file,
                    SimulatedSettings& settings) {
  settings.state = relative_to(
      file, table.required_text("state", "the path of the file that keeps the simulated jobs"));
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

void read_workload(const ConfigTable& table, const std::string& file, Settings& settings) {
  const std::string manager = table.required_text("manager", "the workload manager: \"simulated\"");
  table.text("interrupt_signal");
  for (const char* other : {"slurm", "gridengine", "lsf", "command"}) {
    if (manager == other)
      table.error("manager", "'" + manager +
                                 "' is not supported by this version yet; right would "
                                 "be \"simulated\"");
    if (table.has(other) && manager == "simulated")
      table.warn(other, std::string("[workload.") + other +
                            "] is not read: the manager is "
                            "\"simulated\"");
  }
  if (manager == "simulated")
    return read_simulated(table.table("simulated"), file, settings.simulated);
  table.has("simulated");
  if (manager.empty() || table.kind("manager") != ConfigKind::text) return;
  for (const char* known : {"slurm", "gridengine", "lsf", "command"})
    if (manager == known) return;
  table.error("manager", "'" + manager + "' is not known; right would be \"simulated\"");
}

void refuse_later_parts(const ConfigTable& root) {
  if (root.has("scheduling"))
    root.error("scheduling",
               "[scheduling] is not supported by this version yet; leave it out: "
               "work that must end is chosen newest first");
  if (root.has("session_type"))
    root.error("session_type",
               "[[session_type]] is not supported by this version yet; leave it "
               "out");
}

}  // namespace

Result<std::optional<KeyPair>> read_own_key(const std::string& path,
                                            const SecuritySettings& security) {
  if (security.secret_key_file.empty()) return std::nullopt;
  Result<KeyPair> keys = read_key_file(security.secret_key_file);
  if (keys) return *std::move(keys);
  Error error = keys.error();
  error.file = path;
  error.line = security.line;
  return tl::unexpected(std::move(error));
}

ReadSettings read_settings(const std::string& path) {
  ReadSettings read;
  read.settings.file = path;
  ConfigFile file = ConfigFile::read(path);
  if (file.parsed()) {
    const ConfigTable root = file.root();
    read_security(root.table("security"), path, read.settings.security);
    read_agent(root.table("agent"), path, read.settings);
    read_names(root.table("hosts"), read.settings.agent.names);
    const ConfigTable workload = root.table("workload");
    if (!workload.present())
      root.error("workload", "there is no [workload]; right would be manager = \"simulated\"");
    else
      read_workload(workload, path, read.settings);
    refuse_later_parts(root);
    file.refuse_unknown_keys();
  }
  read.errors = file.errors();
  read.warnings = file.warnings();
  return read;
}

}  // namespace leasehold::agent
