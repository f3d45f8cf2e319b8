// A broker's database in a file: checked before anything is written to it, kept as it was before
// another version changes it, opened. One on a server: on_server.hpp.
#pragma once

#include <functional>
#include <memory>

#include "broker/config/daemon.hpp"
#include "broker/daemon/broker.hpp"
#include "broker/store/base_maker.hpp"
#include "common/result.hpp"

namespace leasehold {

/// What whoever starts a broker says of this start alone.
struct StartChoices {
  /// What the machine's clock shows is right, whatever the database says (start_clock.hpp).
  bool accept_clock = false;
  /// Another version's database is not kept as it was (broker/store/sqlite/upgrade_copy.hpp).
  bool without_copy = false;
  /// A database on a server is taken over though it is another site's, by its name or its clusters.
  bool adopt = false;
};

/// Opens it, whenever it is asked.
/// The checks of a start come first, and only then: what is opened again was whole.
std::function<Result<BrokerParts::Opened>()> store_opener(const DaemonConfig& daemon,
                                                          std::shared_ptr<BaseMaker> bases,
                                                          StartChoices choices);

}  // namespace leasehold
