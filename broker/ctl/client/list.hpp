// The brokers of leasectl's list: what each says of itself, and which one to ask. Of several on one
// database one leads; it alone takes orders, and knows what agents said last.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "broker/ctl/client/address.hpp"
#include "broker/views/json.hpp"
#include "broker/views/standing.hpp"
#include "common/result.hpp"

namespace leasehold::ctl {

struct Standings {
  Json rows;                    // one each (schema/json/brokers.schema.json), in the list's order
  std::optional<Error> nobody;  // none of them answers: why not
  std::optional<NobodyLeads> leaderless;  // one says that nobody leads, and none does
};

/// All are asked side by side. Waits for each at most `timeout_ms`. `request`: of `brokers`.
Standings standings(const std::vector<BrokerAddress>& addresses, int64_t timeout_ms,
                    const Json& request);

/// The only one; of several whoever leads, else one that answers at all: it can be asked, and
/// refuses orders with a word on who leads. `unreachable`: none answers.
Result<BrokerAddress> choose_broker(const std::vector<BrokerAddress>& addresses, int64_t timeout_ms,
                                    const Json& request);

/// Before an order to step down: another broker that stands by with all of the log but its last
/// second, `successor` if it is named. Refused: there is none, with what is known.
Status check_successor(const Json& rows, const std::string& successor);

}  // namespace leasehold::ctl
