// AgentFigures: what an agent knows of itself at one instant, for its metrics.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "common/wire/message.hpp"

namespace leasehold::agent {

struct LeasedSlots {
  int64_t limit = 0;
  int64_t used = 0;
};

struct AgentFigures {
  std::string cluster;
  bool connected = false;  // the broker has taken its hello
  bool started = false;    // it has seen the workload manager once
  bool workload_up = false;
  int failures = 0;        // in a row
  uint64_t epoch = 0;      // the highest seen; 0: none
  uint64_t of_others = 0;  // messages of another leadership than the one greeted
  std::optional<int64_t> look_age_ms;
  int64_t pending = 0;
  int64_t running = 0;
  int64_t breach = 0;
  size_t orders = 0;    // begun, not answered
  size_t reclaims = 0;  // units of work that are under a reclaim
  /// By the other cluster, and what this one is to it.
  std::map<std::pair<std::string, wire::Role>, LeasedSlots> leased;
};

}  // namespace leasehold::agent
