// Where the broker is: options, environment, files, default (contracts 2).
#pragma once

#include <functional>
#include <string>

#include "broker/ctl/command_line.hpp"
#include "common/result.hpp"

namespace leasehold::ctl {

using Environment = std::function<std::string(const char* name)>;  // "" where it is not set

/// The control endpoint. Refused (usage): a ctl.toml that is wrong; keys for an endpoint that would
/// need them, which nothing here can use yet.
Result<std::string> broker_address(const CommandLine& line, const Environment& environment,
                                   const std::string& system_file = "/etc/leasehold/ctl.toml");

/// ipc, or tcp to this machine alone: needs no key.
bool is_local(const std::string& endpoint);

}  // namespace leasehold::ctl
