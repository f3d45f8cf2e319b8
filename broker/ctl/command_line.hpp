// CommandLine: what was typed, as one plain value. CLI11 reads it and stays behind the .cpp.
// Not here: whether a lease or cluster exists (the broker knows), and doing anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/instant.hpp"
#include "common/result.hpp"

namespace leasehold::ctl {

struct CommandLine {
  std::string command;  // "leases", …
  // Everywhere.
  std::string broker;
  std::string db;
  std::string key;
  std::string broker_key;
  bool json = false;
  int64_t timeout_ms = 10'000;
  // What the command is about.
  std::string subject;  // LEASE, CLUSTER, HOST@CLUSTER, DB, SCENARIO, FILE
  std::vector<std::string> files;
  std::string cluster;
  std::string consumer;
  std::string lease;
  std::optional<Instant> at;
  std::optional<Instant> since;
  std::optional<Instant> until;
  std::optional<int64_t> limit;
  std::string database;
  std::string provider;
  std::string output;
  std::string config;
  std::string state;
  bool details = false;
  bool exported = false;
  bool follow = false;
  bool csv = false;
  bool verify = false;
  bool yes = false;
  bool dry_run = false;
  bool reclaim = false;
  // Of orders that stand.
  bool as_provider = false;
  bool as_consumer = false;
  bool wait = false;
  std::string reason;
  std::string order_end;  // --until, as typed
  bool strict = false;
};

/// Help or version: printed as it is, exit 0.
struct Help {
  std::string text;
};

/// Errors have the code `usage`: unknown commands and options name the nearest known one.
Result<std::variant<CommandLine, Help>> parse_command_line(int argc, const char* const* argv,
                                                           Instant now);

}  // namespace leasehold::ctl
