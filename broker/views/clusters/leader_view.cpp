#include "broker/views/clusters/leader_view.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "broker/views/answer.hpp"
#include "broker/views/lists/listings.hpp"
#include "broker/views/rows.hpp"

namespace leasehold {

bool leads_at(const LeaderView& leader_view, int64_t boottime_ms) {
  return leader_view.role != BrokerRole::standby && !leader_view.nobody &&
         boottime_ms < leader_view.leads_until_ms;
}

std::string contact_elsewhere(const LeaderView& leader_view, const std::string& cluster) {
  if (!leader_view.others) return "";
  for (const KnownBroker& other : *leader_view.others) {
    const auto& in_contact = other.clusters;
    if (std::find(in_contact.begin(), in_contact.end(), cluster) != in_contact.end()) {
      return other.name;
    }
  }
  return "";
}

ClockDifference own_difference(const ClockDifference& from_broker, const LeaderView& leader_view) {
  const int64_t dates_ahead_ms = leader_view.dates_ahead_ms;
  const ClockDifference from_wall = from_broker.plus({dates_ahead_ms, dates_ahead_ms});
  ClockDifference least = from_broker;
  const auto consider = [&least](const ClockDifference& other) {
    if (std::abs(other.surely_ms()) < std::abs(least.surely_ms())) least = other;
  };
  consider(from_wall);
  if (leader_view.ahead_of_server) consider(from_wall.plus(*leader_view.ahead_of_server));
  return least;
}

std::string who_leads(const std::string& name, const std::string& where) {
  if (name.empty()) return "which broker leads is not known yet";
  return "the broker '" + name + "' leads, at " + where;
}

std::string describe(const NobodyLeads& nobody) {
  return "nobody leads since " + format_utc(nobody.since) + ", because " + nobody.why + "; " +
         nobody.help;
}

std::string who_leads(const LeaderView& leader_view) {
  return leader_view.nobody ? describe(*leader_view.nobody)
                            : who_leads(leader_view.leader, leader_view.leader_endpoint);
}

std::optional<Error> only_in_database(const LeaderView& leader_view) {
  if (!leader_view.nobody || !leader_view.nobody->unread) return std::nullopt;
  return Error{ErrorCode::io,
               "past instants are read from the database, which cannot be read now: " +
                   describe(*leader_view.nobody),
               {},
               0,
               0};
}

Json nobody_json(const std::optional<NobodyLeads>& nobody) {
  if (!nobody) return nullptr;
  return {{"since", format_utc(nobody->since)}, {"why", nobody->why}, {"help", nobody->help}};
}

std::optional<NobodyLeads> nobody_from_json(const Json& json) {
  const Result<Instant> since = parse_time(text_at(json, "since"), {});
  if (!since) return std::nullopt;
  return NobodyLeads{*since, text_at(json, "why"), text_at(json, "help")};
}

namespace {

struct BrokerRow {
  const LeaderView& view;
  int64_t followed_to;
  Instant now;
  bool alone = view.role == BrokerRole::alone;
};

Json lag_of(const BrokerRow& row) {
  if (row.view.role != BrokerRole::standby) return 0;
  if (row.followed_to < row.view.log_end) return nullptr;
  return std::max<int64_t>(0, row.now - row.view.looked);
}

constexpr Field<BrokerRow> kBrokerFields[] = {
    {{"name", "BROKER"}, [](auto& r) { return r.view.name; }},
    {{"endpoint", "ENDPOINT"}, [](auto& r) { return r.view.endpoint; }},
    {{"role", "ROLE", kStatus}, [](auto& r) { return token(r.view.role); }},
    {{"epoch", "EPOCH", kRight}, [](auto& r) { return r.alone ? Json() : Json(r.view.epoch); }},
    {{"followed_to", "FOLLOWED", kRight}, [](auto& r) { return r.followed_to; }},
    {{"lag_ms", "LAG_MS", kRight}, lag_of},
    {{"leader", "LEADER"},
     [](auto& r) { return r.alone || r.view.nobody ? Json() : Json(r.view.leader); }},
    {{"nobody_leads"}, [](auto& r) { return nobody_json(r.view.nobody); }},
    {{"cannot_lead"}, [](auto& r) { return rows::text_or_null(r.view.cannot_lead); }},
    {{"agents", "AGENTS", kRight}, [](auto& r) { return r.alone ? Json() : Json(r.view.agents); }},
    {{"clock_off_ms", "CLOCK OFF MS", kRight},
     [](auto& r) {
       const auto& ahead = r.view.ahead_of_server;
       return ahead ? Json(ahead->middle_ms()) : Json();
     }},
    {{"clock_off_error_ms"},
     [](auto& r) {
       const auto& ahead = r.view.ahead_of_server;
       return ahead ? Json(ahead->error_ms()) : Json();
     }},
};

}  // namespace

std::span<const columns::Column> broker_fields() {
  return shown_of<kBrokerFields>();
}

Json broker_row(const LeaderView& leader_view, int64_t followed_to, Instant now) {
  return row_json(kBrokerFields, BrokerRow{leader_view, followed_to, now});
}

std::vector<BrokerFault> broker_faults(const Json& rows) {
  std::vector<BrokerFault> faults;
  std::map<std::string, std::string> endpoint_of;
  for (const Json& row : rows) {
    const std::string name = text_at(row, "name");
    const std::string why = text_at(row, "cannot_lead");
    if (!why.empty()) {
      faults.push_back(
          {name, "it could not take over: " + why,
           "correct that on its machine; until then it cannot take over from the leader"});
    }
    const std::string endpoint = text_at(row, "endpoint");
    const auto [first, fresh] = endpoint_of.emplace(name, endpoint);
    if (name.empty() || fresh || first->second == endpoint) continue;
    faults.push_back({name, "two brokers have this name, at " + first->second + " and " + endpoint,
                      "give one of them another [broker] name, and start it again"});
  }
  return faults;
}

bool brokers_need_person(const Json& rows) {
  const bool somebody_leads = std::any_of(rows.begin(), rows.end(), [](const Json& row) {
    const Json& role = part_at(row, "role");
    return role == "leader" || role == "alone";
  });
  return !somebody_leads || !broker_faults(rows).empty();
}

}  // namespace leasehold
