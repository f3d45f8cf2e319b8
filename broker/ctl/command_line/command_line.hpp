// CommandLine: the typed command as one plain value; parse.hpp makes it. It is not checked whether
// a lease or cluster exists: only the broker knows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/lab/what_if/settings.hpp"
#include "broker/views/request/request.hpp"

namespace leasehold::ctl {

/// The options of replay --what-if.
struct WhatIfLine {
  bool asked = false;
  WhatIfSettings settings;
  int64_t run_time_ms = 3'600'000;
  std::string plot;
};

struct CommandLine {
  std::string command;  // "leases", …
  /// The request to a broker or a database; for replay, the one for its history.
  Request request;
  // Options of every command:
  std::string broker;
  std::string db;
  std::string key;
  std::string broker_key;
  bool json = false;
  std::string colour;    // "auto", "always", "never"; "": auto
  std::string timezone;  // zone of times that are typed; "": the machine's
  int64_t timeout_ms = 10'000;
  // Options of commands that ask no broker:
  std::string subject;  // DB, SCENARIO, FILE, SHELL
  std::vector<std::string> files;
  std::string database;
  std::string provider;
  std::string output;
  std::string plot;  // of simulate, as is the next
  std::optional<int64_t> seeds;
  std::optional<int64_t> keep;  // backup: how many copies to keep
  std::string config;
  std::string state;
  WhatIfLine what_if;
  bool verify = false;
  bool strict = false;
};

}  // namespace leasehold::ctl
