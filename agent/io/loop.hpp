// Loop: the agent as a daemon, with one socket to the broker, signals and readiness. It starts the
// thread of broker/beats.hpp.
#pragma once

#include <functional>
#include <optional>

#include "agent/io/settings/settings.hpp"

namespace leasehold::agent {

/// Blocks SIGHUP alone. It is called first in main: a reload asked for while the settings are read
/// waits for run(), and does not end the process.
void block_reload_signal();

/// Blocks SIGTERM, SIGINT and SIGHUP. It is called once, before any thread is made, and after the
/// settings were read, so that SIGTERM still ends a start that hangs in an unresponsive file
/// system.
void block_signals();

/// A SIGHUP calls `read`, takes brokers and keys from what that gives, and calls `loaded`.
struct Reload {
  std::function<ReadSettings()> read;           // on a thread that may outlive run()
  std::function<void(const Settings&)> loaded;  // of settings that are good
};

/// Runs until SIGTERM or SIGINT; caps stay enforced. `own_key` is what read_own_key() gave, which
/// is not read here again. `forget_epoch` forgets which leaderships were seen before.
Status run(const Settings& settings, std::optional<KeyPair> own_key, PausePoint pause,
           const Reload& reload, bool forget_epoch);

}  // namespace leasehold::agent
