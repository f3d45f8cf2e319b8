// Where the broker is: options, environment, files, default; its key and ours likewise
// (schema/README.md, "Where the broker is").
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "broker/ctl/command_line.hpp"
#include "common/channel/channel.hpp"
#include "common/result.hpp"

namespace leasehold::ctl {

using Environment = std::function<std::string(const char* name)>;  // "" where it is not set

/// Where to ask and as whom.
struct BrokerAddress {
  std::string endpoint;             // its control endpoint
  std::optional<ConnectKeys> keys;  // nullopt: plain
  // Where the keys came from, for who is to mend them: "--key", "$LEASEHOLD_KEY", "key of FILE".
  std::string key_from = "--key";
  std::string broker_key_from = "--broker-key";
};

/// Of each broker of the list, in its order, one at the least; broker keys are one for all of them
/// or one for each. Each of the three values by itself: option, then environment (LEASEHOLD_BROKER,
/// LEASEHOLD_KEY, LEASEHOLD_BROKER_KEY), then file; a list has commas between. Refused (usage): a
/// ctl.toml that is wrong, a key file that others can read, an endpoint on another machine without
/// both keys, one key without the other, as many broker keys as fit nothing.
Result<std::vector<BrokerAddress>> broker_addresses(
    const CommandLine& line, const Environment& environment,
    const std::string& system_file = "/etc/leasehold/ctl.toml");

}  // namespace leasehold::ctl
