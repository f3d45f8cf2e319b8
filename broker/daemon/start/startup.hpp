// Startup makes a running broker from a checked configuration: it wires the parts together.
#pragma once

#include <optional>

#include "broker/config/load.hpp"
#include "broker/daemon/pause_point.hpp"
#include "broker/daemon/start/open_store.hpp"
#include "broker/daemon/start/signals.hpp"
#include "common/key.hpp"
#include "common/result.hpp"

namespace leasehold {

/// Reads the broker's own key; nullopt without [security]. Errors name the place in the file.
Result<std::optional<KeyPair>> read_own_key(const DaemonConfig& daemon);

/// Returns the Error with which a start would refuse what the file names: a database that cannot be
/// kept, addresses that this machine has not. A broker that runs by the same file is no error.
Status check_files(const DaemonConfig& daemon);

/// Opens the database and the endpoints, tells the supervisor, runs until a signal asks to stop.
/// Contract: `loaded.ok()`; `signals` was made before any thread.
Status run_broker(const Loaded& loaded, const PausePoint& pause, Signals& signals,
                  const StartChoices& choices);

}  // namespace leasehold
