#include "broker/views/standing.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

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
  return row;
}

}  // namespace leasehold
