#include "broker/config/read/daemon.hpp"

#include <set>

#include "broker/config/check/check.hpp"
#include "broker/config/read/security.hpp"
#include "common/channel/endpoint.hpp"
#include "common/kept_file.hpp"

namespace leasehold {

namespace {

constexpr int64_t kDayMs = 86'400'000;
constexpr IntRange kTimeout{100, 30 * kDayMs};

/// One address that the broker listens at, checked.
class Listeners {
 public:
  Listeners(const ConfigTable& broker, const std::string& file, bool secured)
      : broker_(broker), file_(file), secured_(secured) {}

  std::string take(const char* key, const std::string& fallback) {
    const std::string text = broker_.text(key, fallback);
    Result<Endpoint> endpoint = parse_endpoint(text);
    if (!endpoint) {
      broker_.error(key, "'" + std::string(key) + "': " + endpoint.error().message);
      return fallback;
    }
    check_local(key, *endpoint);
    check_free(key, *endpoint);
    // '@' opens a name that is no path.
    const bool relative = endpoint->ipc && !endpoint->path.starts_with('@');
    return relative ? "ipc://" + relative_to(file_, endpoint->path) : text;
  }

 private:
  void check_local(const char* key, const Endpoint& endpoint) {
    if (is_local(endpoint) || secured_) return;
    broker_.error(key, "'" + std::string(key) +
                           "' can be reached from other machines without [security]: make a key "
                           "with `leasectl keygen --out broker`, then write [security] "
                           "secret_key_file = \"broker.key\"; or listen on 127.0.0.1 or ipc://");
  }

  void check_free(const char* key, const Endpoint& endpoint) {
    if (!endpoint.ipc && endpoint.port == 0) return;
    const std::string address = endpoint.ipc ? endpoint.path : std::to_string(endpoint.port);
    const bool is_new = taken_.insert({endpoint.ipc, endpoint.host, address}).second;
    if (!is_new)
      broker_.error(key, "'" + std::string(key) + "' is the address of another listener");
  }

  const ConfigTable& broker_;
  const std::string& file_;
  bool secured_;
  std::set<std::tuple<bool, std::string, std::string>> taken_;
};

void read_times(const ConfigTable& broker, BrokerConfig& core) {
  core.reclaim_delay_ms =
      broker.duration_ms("reclaim_delay", core.reclaim_delay_ms, {1, 365 * kDayMs});
  core.agent_timeout_ms = broker.duration_ms("agent_timeout", core.agent_timeout_ms, kTimeout);
  core.transfer_timeout_ms =
      broker.duration_ms("transfer_timeout", core.transfer_timeout_ms, kTimeout);
  core.leeway_ms = broker.duration_ms("leeway", core.leeway_ms, {0, 30 * kDayMs});
}

/// A connected agent is renewed at every heartbeat; until agent_timeout calls it lost it must not
/// have lost its slots.
void read_lease_ttl(const ConfigTable& broker, BrokerConfig& core) {
  if (broker.text("lease_ttl").empty()) return;
  core.lease_ttl_ms = broker.duration_ms("lease_ttl", 0, {1, 365 * kDayMs});
  if (core.lease_ttl_ms == 0 || core.lease_ttl_ms > 2 * core.agent_timeout_ms) return;
  broker.error("lease_ttl", "'lease_ttl' is " + format_duration(core.lease_ttl_ms) +
                                "; it must be above twice agent_timeout, " +
                                format_duration(2 * core.agent_timeout_ms) +
                                ", or \"\": leases never end by themselves");
}

std::string read_database(const ConfigTable& broker, const std::string& file,
                          const std::string& fallback) {
  const std::string database = broker.text("database", fallback);
  if (database.empty()) {
    broker.error("database", "'database' is empty; write the path of a file");
  } else if (database.find("://") != std::string::npos) {
    broker.error("database", "'database' is " + database.substr(0, database.find("://") + 3) +
                                 "…: not yet; write the path of an SQLite file");
  } else if (const std::string fault = kept_name_fault(database); !fault.empty()) {
    broker.error("database", "'database' " + fault);
  }
  return relative_to(file, database);
}

void read_broker(const ConfigTable& broker, const std::string& file, bool secured,
                 BrokerConfig& core, DaemonConfig& daemon) {
  core.name = broker.text("name", core.name);
  const std::string fault = core.name.empty() ? "the name is empty" : name_fault(core.name);
  if (!fault.empty()) broker.error("name", "'name': " + fault);
  core.mode = broker.choice("mode", core.mode);
  Listeners listeners(broker, file, secured);
  daemon.listen = listeners.take("listen", daemon.listen);
  daemon.control = listeners.take("control", daemon.control);
  if (!broker.text("http").empty()) {
    broker.error("http", "'http': this version answers no HTTP; leave it out, or write \"\"");
  }
  daemon.database = read_database(broker, file, daemon.database);
  read_times(broker, core);
  read_lease_ttl(broker, core);
  daemon.plan_file = relative_to(file, broker.text("plan"));
}

void read_bounds(const ConfigTable& root, DaemonConfig& daemon) {
  const ConfigTable retention = root.table("retention");
  daemon.retention_age_ms =
      retention.duration_ms("age", daemon.retention_age_ms, {3'600'000, 36'500 * kDayMs});
  daemon.retention_size_mb =
      retention.integer("size_mb", daemon.retention_size_mb, {16, 100'000'000});
  const ConfigTable limits = root.table("limits");
  LimitsConfig& l = daemon.limits;
  l.connections =
      static_cast<int32_t>(limits.integer("connections", l.connections, {1, 1'000'000}));
  l.message_bytes = limits.integer("message_bytes", l.message_bytes, {65'536, 1 << 30});
  l.rate_per_peer = limits.integer("rate_per_peer", l.rate_per_peer, {0, 1'000'000'000});
  l.record_mb_per_hour = limits.integer("record_mb_per_hour", l.record_mb_per_hour, {0, 1'000'000});
  l.history_rows = limits.integer("history_rows", l.history_rows, {1, 100'000'000});
}

/// Known, so that they are not called unknown, and refused: a key that is read and has no effect
/// would promise what nobody keeps.
void refuse_http(const ConfigTable& http) {
  for (const char* key : {"token_file", "base_path"}) {
    if (http.text(key).empty()) continue;
    http.error(key, "'" + std::string(key) + "': this version answers no HTTP; leave it out");
  }
}

}  // namespace

void read_daemon(const ConfigTable& root, const std::string& file, BrokerConfig& core,
                 DaemonConfig& daemon) {
  daemon.file = file;
  const bool secured = read_security(root, file, daemon);
  read_broker(root.table("broker"), file, secured, core, daemon);
  read_bounds(root, daemon);
  refuse_http(root.table("http"));
}

}  // namespace leasehold
