#include "broker/config/read/daemon.hpp"

#include <set>

#include "broker/config/check/check.hpp"
#include "broker/config/keys/daemon.hpp"
#include "broker/config/read/key_reader.hpp"
#include "broker/config/read/security.hpp"
#include "common/channel/endpoint.hpp"
#include "common/database_name.hpp"
#include "common/files/kept_file.hpp"

namespace leasehold {

std::string tables_fault(const std::string& text) {
  constexpr IntRange kEvery{1'000, kKeyDayMs};
  const Result<int64_t> every_ms = parse_duration_ms(text);
  const bool in_range = every_ms && *every_ms >= kEvery.min && *every_ms <= kEvery.max;
  if (text.empty() || in_range || text == kTablesOff) return "";
  return "'tables' is " + in_quotes(text) + "; write how often they are made, from " +
         format_duration(kEvery.min) + " to " + format_duration(kEvery.max) + ", as \"1m\", or \"" +
         std::string(kTablesOff) + "\"";
}

namespace {

/// Checks one address that the broker listens at.
class Listeners {
 public:
  Listeners(const ConfigTable& broker, const std::string& file, bool secured)
      : broker_(broker), file_(file), secured_(secured) {}

  /// Returns `text` as written, or the fallback where it is none.
  std::string take(const char* key, const std::string& text, const std::string& fallback) {
    Result<Endpoint> endpoint = parse_endpoint(text);
    if (!endpoint) {
      broker_.error(key, "'" + std::string(key) + "': " + endpoint.error().message);
      return fallback;
    }
    check_local(key, *endpoint);
    check_free(key, *endpoint);
    return endpoint->ipc ? "ipc://" + relative_to(file_, endpoint->path) : text;
  }

  /// HOST:PORT, which nothing encrypts. What nobody wrote may be another's: that is no mistake.
  void take_http(const std::string& text, bool written) {
    if (text.empty()) return;
    const Result<Endpoint> endpoint = parse_endpoint("tcp://" + text);
    if (!endpoint) {
      return broker_.error("http",
                           "'http': " + in_quotes(text) +
                               " is no address; write HOST:PORT, as 127.0.0.1:7442, or \"\"");
    }
    if (!is_local(*endpoint)) {
      broker_.error("http",
                    "'http' can be reached from other machines, and HTTP is not encrypted: "
                    "listen on 127.0.0.1 and let the site's proxy speak TLS "
                    "(\"HTTP\" in the guide)");
    }
    if (written) check_free("http", *endpoint);
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
    if (!is_new) {
      broker_.error(key, "'" + std::string(key) + "' is the address of another listener");
    }
  }

  const ConfigTable& broker_;
  const std::string& file_;
  bool secured_;
  std::set<std::tuple<bool, std::string, std::string>> taken_;
};

/// A connected agent is renewed at every heartbeat; until agent_timeout calls it lost it must not
/// have lost its slots.
void check_lease_ttl(const ConfigTable& broker, const BrokerConfig& core) {
  if (core.lease_ttl_ms == 0 || core.lease_ttl_ms > 2 * core.agent_timeout_ms) return;
  broker.error("lease_ttl", "'lease_ttl' is " + format_duration(core.lease_ttl_ms) +
                                "; it must be above twice agent_timeout, " +
                                format_duration(2 * core.agent_timeout_ms) +
                                ", or \"\": leases never end by themselves");
}

void check_database(const ConfigTable& broker, const std::string& database) {
  if (database.empty()) {
    broker.error("database", "'database' is empty; write the path of a file");
  } else if (is_conninfo(database)) {
    broker.error("database", "'database' " + conninfo_fault());
  } else if (is_server(database)) {
    return;
  } else if (database.find("://") != std::string::npos) {
    broker.error("database", "'database' is " + database.substr(0, database.find("://") + 3) +
                                 "…: write the path of an SQLite file, or postgresql://…");
  } else if (const std::string fault = kept_name_fault(database); !fault.empty()) {
    broker.error("database", "'database' " + fault);
  }
}

/// Checks keys that mean something on a server alone, and what is needed there.
void check_server(const ConfigTable& broker, const BrokerConfig& core, const DaemonConfig& daemon) {
  if (!is_server(daemon.database)) {
    for (const char* key :
         {"site", "leader_ttl", "database_fenced", "last_commit_file", "readable_tables"}) {
      if (!broker.has(key)) continue;
      broker.error(key, in_quotes(key) +
                            " is of a database on a server (postgresql://…); leave it "
                            "out beside a file");
    }
    return;
  }
  if (!daemon.database_fenced && broker.has("last_commit_file")) {
    broker.error("last_commit_file",
                 "'last_commit_file' is written with database_fenced = true alone; leave it out, "
                 "or write that too");
  }
  if (!daemon.tables.empty() && daemon.tables != kTablesOff && daemon.readable_tables.empty()) {
    broker.error("tables",
                 "'tables' makes no file without 'readable_tables', which names it; write that "
                 "too, or leave this out");
  }
  if (core.lease_ttl_ms == 0 || daemon.database_fenced) return;
  broker.error("lease_ttl",
               "'lease_ttl' on a server that can be failed over is safe only where the one before "
               "commits nothing more: write database_fenced = true if that is certain, or "
               "lease_ttl = \"\" (\"Availability\" in the guide)");
}

Written read_broker(const ConfigTable& broker, const std::string& file, bool secured,
                    BrokerConfig& core, DaemonConfig& daemon) {
  Written written;
  KeyReader reader(broker, file, written);
  reader.read(kBrokerKeys, core, daemon);
  const std::string fault = core.name.empty() ? "the name is empty" : name_fault(core.name);
  if (!fault.empty()) broker.error("name", "'name': " + fault);
  const std::string site_fault = daemon.site.empty() ? "" : name_fault(daemon.site);
  if (!site_fault.empty()) broker.error("site", "'site': " + site_fault);
  const DaemonConfig plain;
  Listeners listeners(broker, file, secured);
  daemon.listen = listeners.take("listen", daemon.listen, plain.listen);
  daemon.control = listeners.take("control", daemon.control, plain.control);
  daemon.http_written = broker.has("http");
  listeners.take_http(daemon.http, daemon.http_written);
  check_database(broker, daemon.database);
  check_server(broker, core, daemon);
  if (!is_server(daemon.database)) daemon.database = relative_to(file, daemon.database);
  daemon.readable_tables = relative_to(file, daemon.readable_tables);
  daemon.last_commit_file = relative_to(file, daemon.last_commit_file);
  check_lease_ttl(broker, core);
  daemon.plan_file = relative_to(file, daemon.plan_file);
  return written;
}

template <class Keys, class Part>
void read_section(const ConfigTable& table, const std::string& file, const Keys& keys, Part& part) {
  Written written;
  KeyReader(table, file, written).read(keys, part);
}

}  // namespace

Written read_daemon(const ConfigTable& root, const std::string& file, BrokerConfig& core,
                    DaemonConfig& daemon) {
  daemon.file = file;
  const bool secured = read_security(root, file, daemon);
  Written broker = read_broker(root.table("broker"), file, secured, core, daemon);
  read_section(root.table("retention"), file, kRetentionKeys, daemon);
  read_section(root.table("limits"), file, kLimitsKeys, daemon.limits);
  read_section(root.table("http"), file, kHttpKeys, daemon.http_limits);
  return broker;
}

}  // namespace leasehold
