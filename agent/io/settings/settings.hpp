// Settings: the agent's configuration file (config/agent.toml), checked as a whole. Every mistake
// is found in one run and named with file, line and column.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/io/agent/agent.hpp"
#include "agent/workload/managers.hpp"
#include "common/key.hpp"
#include "common/result.hpp"

namespace leasehold::agent {

/// The CURVE keys of this agent and of its broker.
struct SecuritySettings {
  std::string secret_key_file;  // "": no [security]; then every broker is on loopback or ipc
  std::vector<std::string> broker_public_keys;  // several while the broker's key is exchanged
  int line = 0;                                 // where the key file is named
  bool operator==(const SecuritySettings&) const = default;
};

struct Settings {
  std::string file;
  AgentSettings agent;
  std::vector<std::string> brokers;  // tried in turn
  SecuritySettings security;
  std::string state;           // path
  std::string log_level;       // "": not said
  std::string metrics_file;    // path; "": none
  std::string user_hash_file;  // path; "": users go by name
  int user_hash_line = 0;      // where it is named
  WorkloadSettings workload;
};

struct ReadSettings {
  Settings settings;          // means nothing when there are errors
  std::vector<Error> errors;  // in the order of lines
  std::vector<Error> warnings;
};

/// Says whether the files and programs of the workload manager that the settings name must exist.
/// They are checked when somebody asks whether a configuration is right; jobs that ask for their
/// time may not see them.
enum class NamedFiles : uint8_t { ignored, checked };

ReadSettings read_settings(const std::string& path, NamedFiles files = NamedFiles::ignored);

/// Refuses what a start would refuse besides the file itself, without asking the workload manager:
/// files that cannot be kept, traces that do not exist, host names that own hosts could have.
Status check_files(const Settings& settings);

/// Returns a sentence for each setting that works, but not as one may think.
std::vector<std::string> cautions_of(const Settings& settings);

/// Returns the agent's own key; nullopt without [security]. An error has the place in the settings'
/// file.
Result<std::optional<KeyPair>> read_own_key(const std::string& path,
                                            const SecuritySettings& security);

/// Reads the secret that keys the hashes of users, if the settings name its file. An error has the
/// place in the settings' file.
Status read_user_secret(Settings& settings);

}  // namespace leasehold::agent
