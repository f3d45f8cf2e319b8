// BrokerStanding: what a broker is among those of its database, for people and those who ask
// elsewhere. Kept by the loop, told beside what no log keeps; no decision reads it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/views/json.hpp"
#include "common/clock_difference.hpp"
#include "common/instant.hpp"
#include "common/result.hpp"
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

/// That nobody leads, as far as a broker knows.
struct NobodyLeads {
  Instant since;        // when it was first known
  std::string why;      // what keeps brokers from it
  std::string help;     // a sentence: what would end it, or what ends it by itself
  bool unread = false;  // the database cannot be asked: what it alone has is not to be had
};

/// Another broker of the database, by what it told a moment ago (broker/store/roll.hpp).
struct KnownBroker {
  std::string name;
  int64_t agents = 0;                 // that it hears, or that come to it though it does not lead
  std::vector<std::string> clusters;  // of these, where they said whose they are
};

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
  std::shared_ptr<const std::vector<KnownBroker>> others = {};  // nullptr: it knows of none
  int64_t agents = 0;  // as KnownBroker::agents, of this one
  /// What its machine's wall clock is ahead of: the database server's, and the agents' that come to
  /// it though it does not lead; nullopt: not known.
  std::optional<ClockDifference> ahead_of_server = {};
  std::optional<ClockDifference> ahead_of_knocks = {};
  /// So much what it dates events by is ahead of that wall clock: time goes on where the log ends.
  int64_t dates_ahead_ms = 0;
  bool configuration_stuck = false;  // its file cannot be read: the disk does not answer
  /// nullopt: somebody leads, or it is not known yet.
  std::optional<NobodyLeads> nobody;
};

/// Where another broker of the database hears the agent of that cluster: its name; else "".
std::string heard_elsewhere(const BrokerStanding& standing, const std::string& cluster);

/// What of an agent's difference from the broker's clock is the agent's own fault: of its
/// differences from what events are dated by, from the broker's wall clock and from the database
/// server's the one that is nearest to none.
ClockDifference own_difference(const ClockDifference& from_broker, const BrokerStanding& standing);

/// It may answer as the leader at that instant of CLOCK_BOOTTIME: not for certain longer.
bool leads_at(const BrokerStanding& standing, int64_t boottime_ms);

/// For people: "the broker 'NAME' leads, at WHERE", or that it is not known.
std::string who_leads(const std::string& name, const std::string& where);
/// For people: "nobody leads since …, because …; … would help".
std::string describe(const NobodyLeads& nobody);
/// The same: who leads, or that nobody does.
std::string who_leads(const BrokerStanding& standing);

/// Of what only the database has (the past): why it is not to be had; nullopt: it may be asked.
std::optional<Error> only_in_database(const BrokerStanding& standing);

/// {"since","why","help"}; null: somebody leads.
Json nobody_json(const std::optional<NobodyLeads>& nobody);
/// The reverse, of another broker's answer; nullopt: it does not say that nobody leads.
std::optional<NobodyLeads> nobody_from_json(const Json& json);

/// The row of `brokers`: {"name","endpoint","role","epoch","followed_to","lag_ms","leader",
/// "nobody_leads","cannot_lead","agents","clock_off_ms","clock_off_error_ms"}. Its copy of the
/// state is as of the event `followed_to`; lag_ms: since it was surely all; cannot_lead: why it
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
