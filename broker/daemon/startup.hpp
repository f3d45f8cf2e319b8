// Startup: from a checked configuration to a running broker; the wiring that main() asks for.
#pragma once

#include <optional>

#include "broker/config/load.hpp"
#include "broker/daemon/open_store.hpp"
#include "broker/daemon/pause_point.hpp"
#include "broker/daemon/signals.hpp"
#include "common/key.hpp"
#include "common/result.hpp"

namespace leasehold {

/// The broker's own key; nullopt without [security]. Refused with the place in the configuration.
Result<std::optional<KeyPair>> read_own_key(const DaemonConfig& daemon);

/// What a start would refuse besides the file itself: a database that cannot be kept, addresses
/// that this machine has not. Another broker may be running by the same file.
Status check_files(const DaemonConfig& daemon);

/// Opens the database and the endpoints, tells the supervisor, runs until a signal asks to stop.
/// Contract: `loaded.ok()`; `signals` was made before any thread.
Status run_broker(const Loaded& loaded, const PausePoint& pause, Signals& signals,
                  const StartChoices& choices);

}  // namespace leasehold
