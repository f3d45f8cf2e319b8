// The part of the configuration that only the daemon needs: sockets, files, bounds. The core never
// sees it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "broker/core/model/config.hpp"
#include "common/tokens.hpp"

namespace leasehold {

enum class Role : uint8_t {
  read,          // may ask
  admin,         // may do everything
  branch_admin,  // may ask of one branch of the consumer tree
};
/// The words of the configuration; the branch follows that of a branch_admin: "admin:/research".
constexpr auto tokens_of(Role) {
  using enum Role;
  return tokens<Role>({{read, "read"}, {admin, "admin"}, {branch_admin, "admin:"}});
}

struct OperatorConfig {
  std::string name;
  std::vector<std::string> public_keys;  // CURVE, Z85; several while one is exchanged for another
  Role role = Role::read;
  std::string branch;  // of a branch_admin: "/research"
  Source source;
  std::string token_file = {};  // for HTTP, already resolved; "": none
  bool operator==(const OperatorConfig&) const = default;
};

/// Bounds on what others may ask of the broker.
struct LimitsConfig {
  int32_t connections = 4096;
  int64_t message_bytes = 16 << 20;
  int64_t rate_per_peer = 10'000;    // messages a second; 0: unlimited
  int64_t history_rows = 100'000;    // of one answer
  int64_t record_mb_per_hour = 256;  // that one cluster may add to the history; 0: unlimited
};

/// [http]: how it is reached, and bounds on what others may ask by it.
struct HttpConfig {
  std::string base_path;           // behind a proxy: "/leasehold", without a slash at its end
  std::vector<std::string> hosts;  // names that it is called by, besides those of loopback
  int32_t connections = 512;
  int32_t streams = 256;
  int32_t streams_per_address = 64;
  int64_t rate_per_address = 100;  // requests a second; 0: unlimited
  int64_t answers_mb = 256;        // in memory until they are read
  int64_t metrics_leases = 1'000;  // leases, and consumers, with series of their own in /metrics
  bool operator==(const HttpConfig&) const = default;
};

inline constexpr std::string_view kTablesOff = "off";

inline constexpr int64_t kSizeMbMost = 100'000'000;  // [retention] size_mb at most

struct DaemonConfig {
  std::string file;
  std::string listen = "tcp://127.0.0.1:7440";
  std::string control = "tcp://127.0.0.1:7441";
  std::string http = "127.0.0.1:7442";  // "": no HTTP
  bool http_written = false;            // in the file: what is not may be somebody else's
  HttpConfig http_limits;
  std::string database =
      "leasehold.db";  // relative paths already resolved against the file's folder
  // These apply to a database on a server, where several brokers may lead.
  std::string site;  // whose brokers may; "": any
  int64_t leader_ttl_ms = 5'000;
  bool database_fenced = false;  // the operator's word (broker/guide/standby.md)
  std::string last_commit_file;  // what this broker knows of the log by itself; "": as usual
  std::string readable_tables;   // a file of them beside this broker; "": none
  std::string tables;            // how often the tables are made, or kTablesOff; "": as it stands
  std::string plan_file;         // groups and consumers of a file of their own; "": none
  int64_t retention_age_ms = int64_t{400} * 86'400'000;
  int64_t retention_size_mb = 4096;
  LimitsConfig limits;
  std::string secret_key_file;  // "": no [security], and all listeners are loopback or ipc
  Source secret_key_written;    // where that stands
  std::vector<OperatorConfig> operators;
};

}  // namespace leasehold
