// BrokerStanding: what a broker is among those of its database, for people and those who ask
// elsewhere. Kept by the loop, told beside what no log keeps; no decision reads it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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
  /// Of a standby: why it could not lead if it were its turn; "": nothing keeps it from that.
  std::string cannot_lead = {};
  /// Until then nobody else leads, by CLOCK_BOOTTIME; of a standby it means nothing.
  int64_t leads_until_ms = INT64_MAX;
};

/// It may answer as the leader at that instant of CLOCK_BOOTTIME: not for certain longer.
bool leads_at(const BrokerStanding& standing, int64_t boottime_ms);

/// For people: "the broker 'NAME' leads, at WHERE", or that none does yet.
std::string who_leads(const std::string& name, const std::string& where);

/// The row of `brokers`:
/// {"name","endpoint","role","epoch","followed_to","lag_ms","leader","cannot_lead"}. Its copy of
/// the state is as of the event `followed_to`; lag_ms: since it was surely all; cannot_lead: why it
/// could not take over, null where nothing keeps it from that.
Json standing_row(const BrokerStanding& standing, int64_t followed_to, Instant now);

/// What is wrong with the brokers of a list, by their rows: one that could not lead, two of one
/// name. Both are found before the leader is gone only by who asks all.
struct BrokerFault {
  std::string broker;
  std::string what;
  std::string mend;
};
std::vector<BrokerFault> broker_faults(const Json& rows);

}  // namespace leasehold
