// Opens a broker's database in a file: checks it before anything is written to it, and keeps a copy
// before another version changes it. on_server.hpp does it for a database on a server.
#pragma once

#include <functional>
#include <memory>

#include "broker/config/daemon.hpp"
#include "broker/daemon/parts.hpp"
#include "broker/store/base_maker.hpp"
#include "common/result.hpp"

namespace leasehold {

/// The options that hold for this start alone.
struct StartChoices {
  /// The machine's clock is right, whatever the database says (start_clock.hpp).
  bool accept_clock = false;
  /// Another version's database is not kept as it was (broker/store/sqlite/upgrade_copy.hpp).
  bool without_copy = false;
  /// A database on a server is taken over though it is another site's, by its name or its clusters.
  bool adopt = false;
};

/// Returns a function that opens the database. The checks of a start are made until it was opened
/// once: what is opened again was whole.
std::function<Result<BrokerParts::Opened>()> store_opener(const DaemonConfig& daemon,
                                                          std::shared_ptr<BaseMaker> bases,
                                                          StartChoices choices);

}  // namespace leasehold
