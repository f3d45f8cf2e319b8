// Loop: the agent as a daemon: one socket to the broker, signals, readiness; beside it the thread
// of beats.hpp.
#pragma once

#include <functional>
#include <optional>

#include "agent/io/settings.hpp"

namespace leasehold::agent {

/// Blocks SIGTERM, SIGINT and SIGHUP. It is called once, at the start of main, before any thread is
/// made.
void block_signals();

/// Reads the settings again and applies their log level; nullopt: they are wrong, and the log says
/// so.
using ReadAgain = std::function<std::optional<Settings>()>;

/// Runs until SIGTERM or SIGINT; caps stay enforced. SIGHUP calls `read_again` and takes brokers
/// and keys from it. `forget_epoch` forgets which leaderships were seen before.
Status run(const Settings& settings, PausePoint pause, const ReadAgain& read_again,
           bool forget_epoch);

}  // namespace leasehold::agent
