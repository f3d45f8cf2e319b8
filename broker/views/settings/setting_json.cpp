#include "broker/views/settings/setting_json.hpp"

#include "broker/config/week.hpp"

namespace leasehold {

std::string setting_name(const KeyRow& row) {
  return std::string(row.name) + (row.notes.unit == Unit::milliseconds ? "_ms" : "");
}

Json setting_json(const Shares& shares) {
  Json list = Json::array();
  for (const Share& share : shares) {
    list.push_back({{"cluster", share.cluster}, {"shares", share.shares}});
  }
  return list;
}

Json setting_json(const std::vector<WeekWindow>& windows) {
  Json list = Json::array();
  for (const WeekWindow& window : windows) {
    Json days = Json::array();
    for (const uint8_t day : window.days) days.push_back(day_text(day));
    list.push_back({{"days", std::move(days)},
                    {"from", clock_text(window.from_min)},
                    {"to", clock_text(window.to_min)}});
  }
  return list;
}

}  // namespace leasehold
