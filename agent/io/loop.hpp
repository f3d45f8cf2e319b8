// Loop: the agent as a daemon: one thread, one socket to the broker, signals, readiness.
#pragma once

#include "agent/io/settings.hpp"

namespace leasehold::agent {

/// Blocks SIGTERM, SIGINT and SIGHUP, before any thread is made. Once, at the start of main.
void block_signals();

/// Runs until SIGTERM or SIGINT; caps stay enforced. SIGHUP asks `level_again` for the log level.
Status run(const Settings& settings, Pause pause, const std::function<void()>& level_again);

/// What would be reported and fenced, as JSON, without changing anything.
Result<std::string> probe(const Settings& settings);

}  // namespace leasehold::agent
