// Loop: the agent as a daemon: one socket to the broker, signals, readiness; beside it the thread
// of beats.hpp.
#pragma once

#include <functional>
#include <optional>

#include "agent/io/settings.hpp"

namespace leasehold::agent {

/// Blocks SIGTERM, SIGINT and SIGHUP, before any thread is made. Once, at the start of main.
void block_signals();

/// Reads the settings anew, and takes the log level; nullopt: they are wrong, which was told.
using ReadAgain = std::function<std::optional<Settings>()>;

/// Runs until SIGTERM or SIGINT; caps stay enforced. SIGHUP calls `read_again` and takes brokers
/// and keys from it. `forget_epoch`: of leaderships seen before nothing is known any more.
Status run(const Settings& settings, PausePoint pause, const ReadAgain& read_again,
           bool forget_epoch);

}  // namespace leasehold::agent
