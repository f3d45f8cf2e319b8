#include "broker/daemon/start/startup.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>  // the lookup hands JSON on

#include "broker/config/inventory_check.hpp"
#include "broker/config/keys/daemon.hpp"
#include "broker/config/read/security.hpp"
#include "broker/config/windows.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/daemon/broker.hpp"
#include "broker/daemon/leadership/on_server.hpp"
#include "broker/daemon/pause_point.hpp"
#include "broker/daemon/present.hpp"
#include "broker/daemon/start/listeners.hpp"
#include "broker/daemon/start/open_store.hpp"
#include "broker/daemon/tables_timer.hpp"
#include "broker/ports/http/server.hpp"
#include "broker/replay/lookup.hpp"
#include "common/channel/endpoint.hpp"
#include "common/channel/ipc_path.hpp"
#include "common/channel/notify.hpp"
#include "common/database_name.hpp"
#include "common/files/kept_file.hpp"
#include "common/log.hpp"
#include "common/time/thread_time.hpp"
#include "common/version.hpp"

namespace leasehold {

namespace {

/// Refuses a reload that adds or takes out [security]: that is decided once, at the start.
Status check_restart(const DaemonConfig& running, const DaemonConfig& read) {
  if (running.secret_key_file.empty() == read.secret_key_file.empty()) return {};
  return tl::unexpected(Error{ErrorCode::refused,
                              "[security] was added or taken out: that needs a restart; nothing "
                              "was changed",
                              read.file, 0, 0});
}

/// Warns of changed keys that take effect with the next start only.
template <class Keys, class Part>
void warn_of_restart(const std::string& section, const Keys& keys, const Part& running,
                     const Part& read, std::vector<std::string>& names) {
  for_each_key(keys, [&](const auto& row) {
    if constexpr (is_of<std::remove_cvref_t<decltype(row)>, Part>) {
      if (!row.notes.at_start || running.*row.member == read.*row.member) return;
      names.push_back(section + in_quotes(row.name));
    }
  });
}

void warn_of_restart(const DaemonConfig& running, const DaemonConfig& read,
                     std::vector<Error>& warnings) {
  std::vector<std::string> names;
  warn_of_restart("", kBrokerKeys, running, read, names);
  warn_of_restart("[retention] ", kRetentionKeys, running, read, names);
  warn_of_restart("[limits] ", kLimitsKeys, running.limits, read.limits, names);
  for (const std::string& name : names) {
    warnings.push_back({ErrorCode::usage,
                        "a changed " + name + " takes effect only at the next start", read.file, 0,
                        0});
  }
}

Result<ConfigRead> read_configuration(const DaemonConfig& running, const std::string& by,
                                      Instant now) {
  Loaded loaded = load_broker_config(running.file);
  if (!loaded.ok()) return tl::unexpected(joined(loaded.errors));
  if (Status same = check_restart(running, loaded.daemon); !same) {
    return tl::unexpected(same.error());
  }
  auto own = read_own_key(loaded.daemon);
  if (!own) return tl::unexpected(own.error());
  auto tokens = Tokens::read(loaded.daemon.operators);
  if (!tokens) return tl::unexpected(tokens.error());
  warn_of_restart(running, loaded.daemon, loaded.warnings);
  ResolvedWindows windows = resolve_windows(loaded.core, now);
  auto access = std::make_shared<Access>();
  access->operators = std::move(loaded.daemon.operators);
  access->limits = loaded.daemon.limits;
  access->http = loaded.daemon.http_limits;
  access->tokens = *std::move(tokens);
  access->own = *std::move(own);
  access->plans = std::move(loaded.plans);
  access->written = std::move(loaded.written);
  ConfigRead read(ConfigLoaded{std::move(loaded.core), std::move(windows), by}, std::move(access));
  read.warnings = std::move(loaded.warnings);
  return read;
}

InventoryFindings check_inventory(const BrokerConfig& config, const State& state) {
  std::map<std::string, std::vector<wire::HostFacts>> hosts;
  for (const Cluster& cluster : state.clusters) {
    if (cluster.hosts.empty()) continue;  // not known yet
    std::vector<wire::HostFacts>& known = hosts[cluster.name];
    for (const Host& host : cluster.hosts) {
      if (!host.present) continue;
      known.push_back(host.facts);
      known.back().division = strictest_division(host);
    }
  }
  return check_against_inventory(config, hosts);
}

Result<BrokerParts> make_parts(const Loaded& loaded, const PausePoint& pause,
                               const std::shared_ptr<Present>& present,
                               const StartChoices& choices) {
  BrokerParts parts;
  if (choices.adopt) present->own_file().adopt();
  parts.work_us = thread_us;
  parts.own_file = [present](std::optional<Result<ConfigRead>> read) {
    if (read) return present->own_file().is(*std::move(read));
    present->own_file().is_in_force();
  };
  parts.nobody_leads = [present](const std::optional<NobodyLeads>& nobody) {
    present->publish_nobody_leads(nobody);
  };
  const DaemonConfig daemon = loaded.daemon;
  parts.read_configuration = [daemon](const std::string& by, Instant now) {
    return read_configuration(daemon, by, now);
  };
  parts.reads = ConfigReader::Where::own_thread;
  parts.resolve = [](const BrokerConfig& config, Instant now) -> std::optional<ResolvedWindows> {
    if (!has_windows(config)) return std::nullopt;
    return resolve_windows(config, now);
  };
  parts.check_inventory = check_inventory;
  parts.reached = [pause](const char* place, std::span<const Record> batch) {
    pause.reached(place, batch);
  };
  if (!is_server(daemon.database)) {
    parts.open_store = store_opener(daemon, present, choices);
    return parts;
  }
  if (Status ready = prepare_on_server(loaded, present, choices, parts); !ready) {
    return tl::unexpected(ready.error());
  }
  return parts;
}

}  // namespace

Result<std::optional<KeyPair>> read_own_key(const DaemonConfig& daemon) {
  if (daemon.secret_key_file.empty()) return std::nullopt;
  Result<KeyPair> keys = read_key_file(daemon.secret_key_file);
  if (keys) return *std::move(keys);
  Error error = keys.error();
  error.file = daemon.secret_key_written.file;
  error.line = daemon.secret_key_written.line;
  return tl::unexpected(std::move(error));
}

namespace {

/// Tries the address with a free port, so that a running broker's port is no error.
Status check_listener(const std::string& text) {
  const Result<Endpoint> endpoint = parse_endpoint(text);
  if (!endpoint) return tl::unexpected(endpoint.error());
  if (endpoint->ipc) {
    if (Status folder = check_kept_folder(endpoint->path); !folder) return folder;
    return check_ipc_path(endpoint->path);
  }
  const ListenKeys nobody{new_key_pair(), {}};
  const auto channel = Channel::listen(text.substr(0, text.rfind(':')) + ":*", {}, nobody);
  if (!channel) return tl::unexpected(channel.error());
  return {};
}

/// Refuses two of the files that a start makes at one path, which may be written in two ways.
Status check_sockets(const DaemonConfig& daemon) {
  std::map<std::filesystem::path, const char*> files;
  const auto place = [&files](const std::string& path, const char* key) -> Status {
    std::error_code code;
    const std::filesystem::path whole = std::filesystem::absolute(path, code);
    const auto [other, is_new] = files.emplace(std::filesystem::weakly_canonical(whole, code), key);
    if (is_new || code) return {};
    return fail(ErrorCode::usage, "'" + std::string(key) + "' and '" + other->second +
                                      "' are the same file, " + path + "; choose another path");
  };
  Status good = is_server(daemon.database) ? Status{} : place(daemon.database, "database");
  for (const char* key : {"listen", "control"}) {
    const bool listen = key == std::string_view("listen");
    const Result<Endpoint> endpoint = parse_endpoint(listen ? daemon.listen : daemon.control);
    if (good && endpoint && endpoint->ipc) good = place(endpoint->path, key);
  }
  return good;
}

}  // namespace

Status check_files(const DaemonConfig& daemon) {
  Status good =
      is_server(daemon.database) ? check_server(daemon) : check_kept_database(daemon.database);
  if (good) good = check_sockets(daemon);
  for (const std::string& listener : {daemon.listen, daemon.control}) {
    if (good) good = check_listener(listener);
  }
  if (good && !daemon.http.empty()) good = check_listener("tcp://" + daemon.http);
  if (good) return good;
  Error error = good.error();
  error.file = daemon.file;
  error.code = ErrorCode::usage;
  return tl::unexpected(std::move(error));
}

namespace {

Lookups lookups_of(const DaemonConfig& daemon, const std::shared_ptr<Present>& present) {
  Lookups lookups;
  const auto aside = std::make_shared<Aside>();
  lookups.past = [present, aside, database = daemon.database,
                  rows = daemon.limits.history_rows](const Request& request) {
    return present->unless_silent(*aside, [=] { return look_up(database, request, rows); });
  };
  lookups.silent = [present] { return present->silent(); };
  lookups.present = [present](const PresentQuestion& question) {
    return present->answer(question);
  };
  lookups.leader_view = [present](const PresentQuestion& question) {
    return present->leader_view(question);
  };
  lookups.follow = [present] { present->follow(); };
  lookups.branch = [present](const std::string& path, int64_t event, bool from_memory) {
    return present->branch(path, event, from_memory);
  };
  lookups.event_at = [present, aside, database = daemon.database](Instant at) {
    return present->unless_silent(*aside, [=] { return event_at(database, at); });
  };
  lookups.followed = [present] { return present->followed(); };
  lookups.metrics = [present](const MetricsQuestion& question) {
    return present->metrics(question);
  };
  return lookups;
}

}  // namespace

/// nullptr: HTTP is turned off, or its default address cannot be listened at.
Result<std::unique_ptr<HttpServer>> start_http(const DaemonConfig& daemon, Lookups lookups,
                                               const std::shared_ptr<Bulletin>& bulletin) {
  if (daemon.http.empty()) return nullptr;
  auto server = HttpServer::start(
      {daemon.http, std::move(lookups), bulletin, embedded_page(), embedded_guide()});
  if (server || daemon.http_written) return server;
  log_warn("http-off", {{"why", describe(server.error())},
                        {"then", "there is no page, JSON or metrics; leases do not depend on them"},
                        {"do", "write [broker] http = \"127.0.0.1:PORT\", or \"\""}});
  return nullptr;
}

namespace {

void log_started(const DaemonConfig& daemon, const std::optional<KeyPair>& own,
                 const HttpServer* http) {
  log_info("started", {{"version", kVersion},
                       {"listen", daemon.listen},
                       {"control", daemon.control},
                       {"http", http != nullptr ? http->address() : "none"},
                       {"page", embedded_page().empty() ? "none: built without" : "embedded"},
                       {"public_key", own ? own->public_key : "none: plain"},
                       {"database", without_password(daemon.database)}});
}

}  // namespace

Status run_broker(const Loaded& loaded, const PausePoint& pause, Signals& signals,
                  const StartChoices& choices) {
  const DaemonConfig& daemon = loaded.daemon;
  const auto own = read_own_key(daemon);
  if (!own) return tl::unexpected(own.error());
  raise_file_limit(daemon.limits.connections,
                   daemon.http.empty() ? 0 : daemon.http_limits.connections);
  auto agents = listen_for_agents(daemon, *own);
  if (!agents) return tl::unexpected(agents.error());
  const auto present = std::make_shared<Present>(daemon.database);
  auto operators = listen_for_operators(daemon, *own);
  if (!operators) return tl::unexpected(operators.error());
  auto agents_line = std::make_unique<Channel>(std::move(*agents));
  auto operators_line = std::make_unique<Channel>(std::move(*operators));
  const std::array<Channel*, 2> channels{agents_line.get(), operators_line.get()};
  auto admitted_keys = std::make_shared<AdmittedKeys>(daemon, *own, channels[0], channels[1]);
  const auto bulletin = std::make_shared<Bulletin>();
  auto http = start_http(daemon, lookups_of(daemon, present), bulletin);
  if (!http) return tl::unexpected(http.error());
  auto made = make_parts(loaded, pause, present, choices);
  if (!made) return tl::unexpected(made.error());
  BrokerParts parts = std::move(*made);
  if (*http) parts.bulletin = bulletin;
  parts.set_admitted = [admitted_keys](const BrokerConfig& config, const Access& access) {
    admitted_keys->set_admitted(config, access);
  };
  std::optional<TablesTimer> tables;
  parts.tables = [&tables] { return tables ? tables->status() : nullptr; };
  auto broker = Broker::start(std::move(parts), AgentPort(std::move(agents_line)),
                              OperatorPort(std::move(operators_line), lookups_of(daemon, present)));
  if (!broker) return tl::unexpected(broker.error());
  log_started(daemon, *own, http->get());
  notify_supervisor("READY=1");
  if (auto options = tables_to_make(daemon)) tables.emplace(*std::move(options));
  (*broker)->run(signals, channels);
  notify_supervisor("STOPPING=1");
  // Their connections go before the store's, which folds the log's WAL in.
  http->reset();
  tables.reset();
  present->close();
  log_info("stopped");
  return {};
}

}  // namespace leasehold
