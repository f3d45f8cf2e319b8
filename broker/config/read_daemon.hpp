// [broker], [retention], [limits], [http], [security] and [[operator]] of the broker's TOML.
// Mistakes go to the file's own errors.
#pragma once

#include "broker/config/daemon.hpp"
#include "broker/core/config.hpp"
#include "common/config_file.hpp"

namespace leasehold {

/// Relative paths are resolved against the folder of `file`.
void read_daemon(const ConfigTable& root, const std::string& file, BrokerConfig& core,
                 DaemonConfig& daemon);

/// Z85 text of a CURVE key: 40 characters of its alphabet.
bool is_curve_key(const std::string& text);

}  // namespace leasehold
