// BrokerStanding: what a broker is among those of its database, for people and those who ask
// elsewhere. Kept by the loop, told beside what no log keeps; no decision reads it.
#pragma once

#include <cstdint>
#include <string>

#include "broker/views/json.hpp"
#include "common/instant.hpp"
#include "common/tokens.hpp"

namespace leasehold {

enum class BrokerRole : uint8_t {
  alone,    // it has its database to itself
  leader,   // it decides
  standby,  // another does, or nobody yet
};
constexpr auto tokens_of(BrokerRole) {
  using enum BrokerRole;
  return tokens<BrokerRole>({{alone, "alone"}, {leader, "leader"}, {standby, "standby"}});
}

struct BrokerStanding {
  BrokerRole role = BrokerRole::alone;
  std::string name;      // of this broker
  std::string endpoint;  // where its operators reach it
  int64_t epoch = 0;     // of whoever leads; 0: nobody did, or it is alone
  std::string leader;    // the name of whoever leads; "" where it is alone
  std::string leader_endpoint;
  int64_t log_end = 0;  // the last event in the database,
  Instant looked;       // as it was then
};

/// The row of `brokers`: {"name","endpoint","role","epoch","followed_to","lag_ms","leader"}. Its
/// copy of the state is as of the event `followed_to`; lag_ms: since it was surely all.
Json standing_row(const BrokerStanding& standing, int64_t followed_to, Instant now);

}  // namespace leasehold
