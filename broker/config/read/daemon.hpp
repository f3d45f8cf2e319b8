// Reads [broker], [retention], [limits] and [http] of the broker's TOML; read_security has the
// rest. Mistakes go to the file's own errors.
#pragma once

#include "broker/config/daemon.hpp"
#include "broker/config/draft.hpp"

namespace leasehold {

/// Resolves relative paths against the folder of `file`. Returns the places of the keys of
/// [broker].
Written read_daemon(const ConfigTable& root, const std::string& file, BrokerConfig& core,
                    DaemonConfig& daemon);

}  // namespace leasehold
