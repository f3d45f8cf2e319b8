// Settings: the agent's configuration file (contracts 4), checked as a whole. Every mistake is
// found in one run and named with file, line and column.
#pragma once

#include <string>
#include <vector>

#include "agent/io/agent.hpp"
#include "agent/workload/simulated.hpp"
#include "common/result.hpp"

namespace leasehold::agent {

struct Settings {
  AgentSettings agent;
  std::vector<std::string> brokers;  // tried in turn
  std::string state;                 // path
  std::string log_level;             // "": not said
  SimulatedSettings simulated;       // the one workload manager of this version
};

struct ReadSettings {
  Settings settings;          // means nothing when there are errors
  std::vector<Error> errors;  // in the order of lines
  std::vector<Error> warnings;
};

ReadSettings read_settings(const std::string& path);

}  // namespace leasehold::agent
