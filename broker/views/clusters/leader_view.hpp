// LeaderView: the role of a broker among those of its database, for people and for operators
// who asked the wrong one. The event loop keeps it; no log records it and no decision reads it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/views/json.hpp"
#include "common/result.hpp"
#include "common/time/clock_difference.hpp"
#include "common/time/instant.hpp"
#include "common/tokens.hpp"

namespace leasehold {

enum class BrokerRole : uint8_t {
  alone,    // it has its database to itself
  leader,   // it decides
  standby,  // another broker decides, or none yet
};
constexpr auto tokens_of(BrokerRole) {
  using enum BrokerRole;
  return tokens<BrokerRole>({{alone, "alone"}, {leader, "leader"}, {standby, "standby"}});
}

/// The broker knows of no leader.
struct NobodyLeads {
  Instant since;        // when that was first known
  std::string why;      // what keeps brokers from leading
  std::string help;     // a sentence: what would end it, or what ends it by itself
  bool unread = false;  // the database cannot be asked: what only it has is not available
};

/// Another broker of the database, as it registered itself a moment ago (broker/store/roll.hpp).
struct KnownBroker {
  std::string name;
  int64_t agents = 0;  // agents that report to it, or connect though it does not lead
  std::vector<std::string> clusters;  // clusters of these agents, where they said whose they are
};

/// The readable tables that a broker makes now and then (broker/daemon/tables_timer.hpp). Times
/// are of its machine's clock.
struct TablesStatus {
  std::string file;
  int64_t every_ms = 0;
  std::optional<Instant> made;  // when the file was made last; nullopt: there is none
  std::string failing;          // why it could not be made since; "": it could
  Instant failing_since;
};

struct LeaderView {
  BrokerRole role = BrokerRole::alone;
  std::string name;      // the name of this broker
  std::string endpoint;  // the address for its operators
  int64_t epoch = 0;     // the leader's; 0: there was none, or it is alone
  std::string leader;    // the leader's name; "" where it is alone
  std::string leader_endpoint;
  int64_t log_end = 0;  // the last event in the database, read at `looked`
  Instant looked;       // when `log_end` was read
  /// The reason why a standby could not lead if it were its turn; "": nothing keeps it from
  /// leading.
  std::string cannot_lead = {};
  /// No other broker leads until then, by CLOCK_BOOTTIME; it has no meaning for a standby.
  int64_t leads_until_ms = INT64_MAX;
  std::shared_ptr<const std::vector<KnownBroker>> others = {};  // nullptr: it knows of none
  int64_t agents = 0;  // as KnownBroker::agents, for this broker
  /// The time by which this machine's wall clock is ahead of the database server's, and of those of
  /// agents that connect though this broker does not lead; nullopt: not known.
  std::optional<ClockDifference> ahead_of_server = {};
  std::optional<ClockDifference> ahead_of_visiting_agents = {};
  /// The time by which the dates of its events are ahead of that wall clock, because they go on
  /// where the log ends.
  int64_t dates_ahead_ms = 0;
  /// The file system of its configuration does not answer.
  bool configuration_stuck = false;
  std::shared_ptr<const TablesStatus> tables = {};  // nullptr: it makes none
  /// nullopt: there is a leader, or it is not known yet.
  std::optional<NobodyLeads> nobody;
};

/// Returns the name of another broker to which the cluster's agent reports; "": none is known.
std::string contact_elsewhere(const LeaderView& leader_view, const std::string& cluster);

/// Returns the part of an agent's clock difference that is the agent's own fault: the smallest of
/// its differences from the dates of events, from the broker's wall clock and from the database
/// server's.
ClockDifference own_difference(const ClockDifference& from_broker, const LeaderView& leader_view);

/// True if the broker may answer as the leader at that instant of CLOCK_BOOTTIME; it cannot be sure
/// for longer.
bool leads_at(const LeaderView& leader_view, int64_t boottime_ms);

/// Returns "the broker 'NAME' leads, at WHERE", or that the leader is not known.
std::string who_leads(const std::string& name, const std::string& where);
/// Returns "nobody leads since …, because …; … would help".
std::string describe(const NobodyLeads& nobody);
/// Says who leads, or that nobody does.
std::string who_leads(const LeaderView& leader_view);

/// Returns why data that only the database has (the past) is not available; nullopt: it may be
/// asked.
std::optional<Error> only_in_database(const LeaderView& leader_view);

/// Returns {"since","why","help"}; null: there is a leader.
Json nobody_json(const std::optional<NobodyLeads>& nobody);
/// Reads nobody_json() from another broker's answer; nullopt: it does not say that nobody leads.
std::optional<NobodyLeads> nobody_from_json(const Json& json);

/// Returns the row of `brokers`: {"name","endpoint","role","epoch","followed_to","lag_ms","leader",
/// "nobody_leads","cannot_lead","agents","clock_off_ms","clock_off_error_ms"}. Its copy of the
/// state is as of the event `followed_to`; lag_ms is the time since it was surely complete;
/// cannot_lead is why it could not take over, null where nothing keeps it from that.
Json broker_row(const LeaderView& leader_view, int64_t followed_to, Instant now);

/// A fault that the rows of several brokers show: one that could not lead, or two of one name.
/// Before the leader is gone, only a client that asks all brokers can find them.
struct BrokerFault {
  std::string broker;
  std::string what;
  std::string remedy;
};
std::vector<BrokerFault> broker_faults(const Json& rows);
/// True if nobody leads, or there is such a fault.
bool brokers_need_person(const Json& rows);

}  // namespace leasehold
