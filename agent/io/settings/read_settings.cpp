// Reading of settings.hpp: the rows of keys.hpp, and what keys must keep among themselves.
#include "agent/io/settings/keys.hpp"
#include "agent/io/settings/read_scheduling.hpp"
#include "agent/io/settings/read_workload.hpp"
#include "agent/io/settings/settings.hpp"
#include "common/channel/endpoint.hpp"
#include "common/config/keys/reader.hpp"
#include "common/files/private_file.hpp"

namespace leasehold::agent {

namespace {

void refuse_far_brokers(const ConfigTable& table, const Settings& settings) {
  const std::string& cluster = settings.agent.cluster;
  for (const std::string& broker : settings.brokers) {
    const auto endpoint = parse_endpoint(broker);
    if (!endpoint || is_local(*endpoint)) continue;
    table.error("broker", "'" + broker +
                              "' is on another machine: make a key with `leasectl keygen --out " +
                              (cluster.empty() ? "NAME" : cluster) +
                              "`, then write [security] secret_key_file and broker_public_key");
  }
}

void read_agent(const ConfigTable& table, Settings& settings) {
  if (!table.present()) {
    table.error(Place{}, "there is no [agent]; it must name at least cluster, broker and state");
  }
  AdapterSettings& adapter = settings.workload.adapter;
  read_keys(table, kAgentKeys, settings, settings.agent, adapter);
  if (settings.security.secret_key_file.empty()) refuse_far_brokers(table, settings);
  settings.user_hash_line = table.place("user_hash_file").line;
  if (!settings.user_hash_file.empty() && !settings.agent.report_users) {
    table.error("user_hash_file", "no user is reported; right would be tell_users = true");
  }
  adapter.cluster = settings.agent.cluster;
  adapter.journal = settings.state + ".fences";
  settings.agent.session.heartbeat_ms = settings.agent.report_interval_ms;
}

void read_security(const ConfigTable& table, SecuritySettings& security) {
  if (!table.present()) return;
  security.line = table.place("secret_key_file").line;
  read_keys(table, kSecurityKeys, security);
}

void read_hosts(const ConfigTable& table, AgentSettings& agent, AdapterSettings& adapter) {
  HostNames& names = agent.names;
  read_keys(table, kHostsKeys, names, adapter, agent);
  const ConfigTable map = table.table("map");
  for (const Placed<std::string>& key : map.free_keys()) {
    if (key.value.find('@') == std::string::npos) {
      map.error(key.place, "'" + key.value + "' names no cluster; right would be \"" + key.value +
                               "@CLUSTER\"");
    }
    names.map[key.value] = map.required_text(key.value, "the local name of " + key.value);
  }
  adapter.names = names;
}

Result<std::string> secret_in(const std::string& path) {
  constexpr size_t kLeastCharacters = 32;
  const SecretWords words{"the file of user_hash_file", "`openssl rand -hex 32` prints a secret",
                          "write a new secret (openssl rand -hex 32)"};
  Result<std::vector<std::string>> lines = read_private_lines(path, words);
  if (!lines) return tl::unexpected(lines.error());
  if (lines->size() == 1 && lines->front().size() >= kLeastCharacters) return lines->front();
  return fail(ErrorCode::usage, path +
                                    " holds no secret: one line of at least 32 characters, as "
                                    "`openssl rand -hex 32` prints it");
}

}  // namespace

std::vector<std::string> cautions_of(const Settings& settings) {
  const std::string signal = signal_caution(settings.workload.interrupt_signal);
  return signal.empty() ? std::vector<std::string>{} : std::vector{"[workload] " + signal};
}

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

Status read_user_secret(Settings& settings) {
  if (settings.user_hash_file.empty()) return {};
  Result<std::string> secret = secret_in(settings.user_hash_file);
  if (secret) {
    settings.agent.user_secret = *std::move(secret);
    return {};
  }
  Error error = secret.error();
  error.file = settings.file;
  error.line = settings.user_hash_line;
  return tl::unexpected(std::move(error));
}

ReadSettings read_settings(const std::string& path, NamedFiles files) {
  ReadSettings read;
  read.settings.file = path;
  ConfigFile file = ConfigFile::read(path);
  if (file.parsed()) {
    const ConfigTable root = file.root();
    read_security(root.table("security"), read.settings.security);
    read_agent(root.table("agent"), read.settings);
    read_hosts(root.table("hosts"), read.settings.agent, read.settings.workload.adapter);
    const ConfigTable workload = root.table("workload");
    if (!workload.present()) {
      root.error("workload", "there is no [workload]; right would be manager = \"simulated\"");
    } else {
      read_workload(workload, read.settings.workload);
    }
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
