// The brokers of leasectl's list: what each says about itself, and which one to ask. Of several
// brokers on one database one leads; only that one takes orders and knows what agents reported
// last.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "broker/ctl/client/address.hpp"
#include "broker/views/clusters/leader_view.hpp"
#include "broker/views/json.hpp"
#include "common/result.hpp"

namespace leasehold::ctl {

struct BrokerRows {
  Json rows;  // one for each (schema/json/brokers.schema.json), in the list's order
  std::optional<Error> nobody;            // set where none of them answers: the reason
  std::optional<NobodyLeads> leaderless;  // set where one says that nobody leads, and none leads
};

/// Asks all brokers in parallel and waits for each at most `timeout_ms`. `request` is that of
/// `brokers`.
BrokerRows ask_all_brokers(const std::vector<BrokerAddress>& addresses, int64_t timeout_ms,
                           const Json& request);

/// Returns the only address; of several the leader's, else that of one that answers at all: it can
/// be asked, and refuses orders by saying who leads. `unreachable`: none answers.
Result<BrokerAddress> choose_broker(const std::vector<BrokerAddress>& addresses, int64_t timeout_ms,
                                    const Json& request);

/// Checks before a stepdown that another broker (`successor`, if it is named) is a standby with the
/// whole log except at most the last second. Refused: there is none; the error says what is known.
/// A broker that is alone on its database passes where none leads: it refuses by itself.
Status check_successor(const Json& rows, const std::string& successor);

}  // namespace leasehold::ctl
