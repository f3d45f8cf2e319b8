#include "broker/startup.hpp"

#include <array>
#include <map>
#include <nlohmann/json.hpp>  // the lookup hands JSON on

#include "broker/config/inventory_check.hpp"
#include "broker/config/windows.hpp"
#include "broker/io/broker.hpp"
#include "broker/io/pause_point.hpp"
#include "broker/io/sqlite_store.hpp"
#include "broker/replay/lookup.hpp"
#include "common/log.hpp"
#include "common/notify.hpp"
#include "common/version.hpp"

namespace leasehold {

namespace {

StoreOptions store_options(const DaemonConfig& daemon) {
  StoreOptions options;
  options.retention = {daemon.retention_age_ms, daemon.retention_size_mb << 20};
  return options;
}

Result<BrokerParts::Opened> open_store(const DaemonConfig& daemon) {
  auto store = SqliteStore::open(daemon.database, OpenMode::broker, store_options(daemon));
  if (!store) return tl::unexpected(store.error());
  auto state = (*store)->load();
  if (!state) return tl::unexpected(state.error());
  BrokerParts::Opened opened;
  opened.database_older = (*store)->database_older();
  opened.state = std::move(*state);
  opened.store = std::move(*store);
  return opened;
}

/// Errors of a file as one: all of them, a line each.
Error joined(const std::vector<Error>& errors) {
  Error all = errors.front();
  for (size_t i = 1; i < errors.size(); ++i) all.message += "\n" + describe(errors[i]);
  return all;
}

void log_warnings(const std::vector<Error>& warnings) {
  for (const Error& warning : warnings) log_warn("configuration", {{"why", describe(warning)}});
}

bool any_windows(const BrokerConfig& config) {
  for (const ExportPolicy& policy : config.policies) {
    if (!policy.windows.empty()) return true;
  }
  return false;
}

Result<ConfigLoaded> read_configuration(const std::string& file, const std::string& by,
                                        Instant now) {
  Loaded loaded = load_broker_config(file);
  if (!loaded.ok()) return tl::unexpected(joined(loaded.errors));
  log_warnings(loaded.warnings);
  ResolvedWindows windows = resolve_windows(loaded.core, now);
  return ConfigLoaded{std::move(loaded.core), std::move(windows), by};
}

Status check_inventory(const BrokerConfig& config, const State& state) {
  std::map<std::string, std::vector<wire::HostFacts>> hosts;
  for (const Cluster& cluster : state.clusters) {
    if (cluster.hosts.empty()) continue;  // not known yet
    std::vector<wire::HostFacts>& known = hosts[cluster.name];
    for (const Host& host : cluster.hosts) {
      if (host.present) known.push_back(host.facts);
    }
  }
  const InventoryFindings found = check_against_inventory(config, hosts);
  if (found.errors.empty()) return {};
  return tl::unexpected(joined(found.errors));
}

BrokerParts make_parts(const Loaded& loaded, const PausePoint& pause) {
  BrokerParts parts;
  const DaemonConfig daemon = loaded.daemon;
  parts.read_configuration = [daemon](const std::string& by, Instant now) {
    return read_configuration(daemon.file, by, now);
  };
  parts.resolve = [](const BrokerConfig& config, Instant now) -> std::optional<ResolvedWindows> {
    if (!any_windows(config)) return std::nullopt;
    return resolve_windows(config, now);
  };
  parts.check_inventory = check_inventory;
  parts.open_store = [daemon] { return open_store(daemon); };
  parts.reached = [pause](const char* place, std::span<const Record> batch) {
    pause.reached(place, batch);
  };
  return parts;
}

}  // namespace

Status run_broker(const Loaded& loaded, const PausePoint& pause, Signals& signals) {
  const DaemonConfig& daemon = loaded.daemon;
  ChannelLimits limits;
  limits.message_bytes_max = daemon.limits.message_bytes;
  limits.connections_max = daemon.limits.connections;
  auto agents = Channel::listen(daemon.listen, limits);
  if (!agents) return tl::unexpected(agents.error());
  const HistoryLookup lookup = [database = daemon.database,
                                rows = daemon.limits.history_rows](const Json& request) {
    return look_up(database, request, rows);
  };
  auto operators = OperatorPort::listen(daemon.control);
  if (!operators) return tl::unexpected(operators.error());
  auto agents_line = std::make_unique<Channel>(std::move(*agents));
  auto operators_line = std::make_unique<Channel>(std::move(*operators));
  const std::array<Channel*, 2> channels{agents_line.get(), operators_line.get()};
  auto broker = Broker::start(make_parts(loaded, pause), AgentPort(std::move(agents_line)),
                              OperatorPort(std::move(operators_line), lookup));
  if (!broker) return tl::unexpected(broker.error());
  log_info("started", {{"version", kVersion},
                       {"listen", daemon.listen},
                       {"control", daemon.control},
                       {"database", daemon.database}});
  notify_supervisor("READY=1");
  (*broker)->run(signals, channels);
  notify_supervisor("STOPPING=1");
  log_info("stopped");
  return {};
}

}  // namespace leasehold
