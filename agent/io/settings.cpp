#include "agent/io/settings.hpp"

#include "agent/io/read_scheduling.hpp"
#include "agent/io/read_workload.hpp"
#include "agent/workload/support/read_settings.hpp"
#include "common/channel/endpoint.hpp"
#include "common/config/file.hpp"
#include "common/log.hpp"

namespace leasehold::agent {

namespace {

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
  settings.state =
      read_kept_file(table, file, "the path of the file that keeps the agent's limits");
  settings.agent.report_interval_ms = table.duration_ms("report_interval", 5'000, {100, 3'600'000});
  settings.workload.adapter.call_timeout_ms =
      table.duration_ms("call_timeout", 20'000, {100, 3'600'000});
  settings.workload.adapter.cluster = settings.agent.cluster;
  settings.workload.adapter.journal = settings.state + ".fences";
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

ReadSettings read_settings(const std::string& path, NamedFiles files) {
  ReadSettings read;
  read.settings.file = path;
  ConfigFile file = ConfigFile::read(path);
  if (file.parsed()) {
    const ConfigTable root = file.root();
    read_security(root.table("security"), path, read.settings.security);
    read_agent(root.table("agent"), path, read.settings);
    const ConfigTable hosts = root.table("hosts");
    read_names(hosts, read.settings.agent.names);
    read.settings.workload.adapter.names = read.settings.agent.names;
    read.settings.workload.adapter.leased_partitions = hosts.texts("leased_partitions");
    const ConfigTable workload = root.table("workload");
    if (!workload.present())
      root.error("workload", "there is no [workload]; right would be manager = \"simulated\"");
    else
      read_workload(workload, path, read.settings.workload);
    if (files == NamedFiles::checked && file.errors().empty()) {
      const WorkloadSettings& read_of = read.settings.workload;
      read_of.own->check_named_files(workload.table(read_of.manager->name));
    }
    read.settings.agent.scheduling = read_scheduling(root);
    file.refuse_unknown_keys();
  }
  read.errors = file.errors();
  read.warnings = file.warnings();
  return read;
}

}  // namespace leasehold::agent
