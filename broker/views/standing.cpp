#include "broker/views/standing.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "broker/views/answer.hpp"
#include "broker/views/rows.hpp"

namespace leasehold {

bool leads_at(const BrokerStanding& standing, int64_t boottime_ms) {
  return standing.role != BrokerRole::standby && boottime_ms < standing.leads_until_ms;
}

std::string who_leads(const std::string& name, const std::string& where) {
  if (name.empty()) return "no broker leads yet";
  return "the broker '" + name + "' leads, at " + where;
}

Json standing_row(const BrokerStanding& standing, int64_t followed_to, Instant now) {
  const bool alone = standing.role == BrokerRole::alone;
  Json row;
  row["name"] = standing.name;
  row["endpoint"] = standing.endpoint;
  row["role"] = token(standing.role);
  row["epoch"] = alone ? Json(nullptr) : Json(standing.epoch);
  row["followed_to"] = followed_to;
  const bool all = followed_to >= standing.log_end;
  row["lag_ms"] = standing.role != BrokerRole::standby ? Json(0)
                  : all ? Json(std::max<int64_t>(0, now - standing.looked))
                        : Json(nullptr);
  row["leader"] = alone ? Json(nullptr) : Json(standing.leader);
  row["cannot_lead"] = rows::text_or_null(standing.cannot_lead);
  return row;
}

std::vector<BrokerFault> broker_faults(const Json& rows) {
  std::vector<BrokerFault> faults;
  std::map<std::string, std::string> endpoint_of;
  for (const Json& row : rows) {
    const std::string name = text_at(row, "name");
    const std::string why = text_at(row, "cannot_lead");
    if (!why.empty()) {
      faults.push_back({name, "it could not take over: " + why,
                        "mend that on its machine; nobody follows the leader by it until then"});
    }
    const std::string endpoint = text_at(row, "endpoint");
    const auto [first, fresh] = endpoint_of.emplace(name, endpoint);
    if (name.empty() || fresh || first->second == endpoint) continue;
    faults.push_back({name, "two brokers have this name, at " + first->second + " and " + endpoint,
                      "give one of them another [broker] name, and start it again"});
  }
  return faults;
}

}  // namespace leasehold
