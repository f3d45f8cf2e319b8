// What only the daemon needs of the configuration: sockets, files, bounds. The core never sees it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace leasehold {

struct OperatorConfig {
  std::string name;
  std::string public_key;  // CURVE, Z85
  bool admin = false;      // false: may only read
};

/// Bounds on what others may ask of the broker.
struct LimitsConfig {
  int32_t connections = 4096;
  int64_t message_bytes = 16 << 20;
  int64_t rate_per_peer = 0;       // messages a second; 0: unlimited
  int64_t history_rows = 100'000;  // of one answer
};

struct DaemonConfig {
  std::string file;  // the configuration's own path
  std::string listen = "tcp://127.0.0.1:7440";
  std::string control = "tcp://127.0.0.1:7441";
  std::string http = "127.0.0.1:7442";  // "": off
  std::string database =
      "leasehold.db";  // relative paths already resolved against the file's folder
  int64_t retention_age_ms = int64_t{400} * 86'400'000;
  int64_t retention_size_mb = 4096;
  LimitsConfig limits;
  std::string http_token_file;
  std::vector<OperatorConfig> operators;
  int64_t lease_ttl_ms = 0;  // 0: a lease never ends by itself
};

}  // namespace leasehold
