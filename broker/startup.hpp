// Startup: from a checked configuration to a running broker; the wiring that main() asks for.
#pragma once

#include "broker/config/load.hpp"
#include "broker/io/pause_point.hpp"
#include "broker/io/signals.hpp"
#include "common/result.hpp"

namespace leasehold {

/// Opens the database and the endpoints, tells the supervisor, runs until a signal asks to stop.
/// Contract: `loaded.ok()`; `signals` was made before any thread.
Status run_broker(const Loaded& loaded, const PausePoint& pause, Signals& signals);

}  // namespace leasehold
