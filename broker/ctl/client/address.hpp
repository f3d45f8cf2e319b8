// The address of the broker, and the keys for it, from options, environment, files and defaults
// (schema/README.md, "Where the broker is").
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "broker/ctl/command_line/command_line.hpp"
#include "common/channel/channel.hpp"
#include "common/result.hpp"

namespace leasehold::ctl {

// Returns "" for a variable that is not set.
using Environment = std::function<std::string(const char* name)>;

/// One broker to ask, and the keys to ask it with.
struct BrokerAddress {
  std::string endpoint;
  std::optional<ConnectKeys> keys;  // nullopt: plain
  // The origin of each key, for messages: "--key", "$LEASEHOLD_KEY", "key of FILE".
  std::string key_from = "--key";
  std::string broker_key_from = "--broker-key";
};

/// Returns the addresses of the list in its order, at least one; there is one broker key for all of
/// them or one for each. Each of the three values is found separately: option, then environment
/// (LEASEHOLD_BROKER, LEASEHOLD_KEY, LEASEHOLD_BROKER_KEY), then file; commas separate a list.
/// Errors (usage): a wrong ctl.toml, a key file that others can read, an endpoint on another
/// machine without both keys, one key without the other, a number of broker keys that fits nothing.
Result<std::vector<BrokerAddress>> broker_addresses(
    const CommandLine& line, const Environment& environment,
    const std::string& system_file = "/etc/leasehold/ctl.toml");

}  // namespace leasehold::ctl
