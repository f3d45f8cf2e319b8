#include "broker/views/policy_settings.hpp"

#include "broker/rules/distribution.hpp"
#include "broker/views/rows.hpp"

namespace leasehold {

namespace {

const char* const kDays[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

std::string clock_text(int32_t minutes) {
  std::string text = "00:00";
  text[0] = static_cast<char>('0' + minutes / 600);
  text[1] = static_cast<char>('0' + minutes / 60 % 10);
  text[3] = static_cast<char>('0' + minutes % 60 / 10);
  text[4] = static_cast<char>('0' + minutes % 10);
  return text;
}

Json windows_of(const ExportPolicy& policy) {
  Json list = Json::array();
  for (const WeekWindow& window : policy.windows) {
    Json days = Json::array();
    for (uint8_t day : window.days) days.push_back(kDays[day % 7]);
    list.push_back({{"days", std::move(days)},
                    {"from", clock_text(window.from_min)},
                    {"to", clock_text(window.to_min)}});
  }
  return list;
}

Json distribution_of(const ExportPolicy& policy) {
  Json list = Json::array();
  for (const Share& share : policy.distribution) {
    list.push_back({{"cluster", share.cluster}, {"shares", share.shares}});
  }
  return list;
}

}  // namespace

Json policy_settings(const ExportPolicy& policy) {
  const bool selects = !policy.select.empty();
  Json settings;
  settings["provider"] = policy.provider;
  settings["hosts"] = policy.hosts;
  settings["slots_per_host"] = selects ? Json(nullptr) : Json(policy.slots_per_host);
  settings["by_host"] = selects ? Json(nullptr) : Json(policy.by_host);
  settings["select"] = rows::text_or_null(policy.select);
  settings["nhosts"] = selects ? Json(policy.nhosts) : Json(nullptr);
  settings["distribution"] = distribution_of(policy);
  settings["type"] = token(policy.type);
  settings["rule"] = token(policy.rule);
  settings["initial_slots"] = policy.initial_slots;
  settings["reclaim_grace_ms"] = policy.reclaim_grace_ms;
  settings["mem_mb"] = policy.mem_mb;
  settings["swap_mb"] = policy.swap_mb;
  settings["reselect"] = policy.reselect;
  settings["window"] = windows_of(policy);
  settings["timezone"] = policy.timezone;
  return settings;
}

Json hosts_dealt(const ExportPolicy& policy) {
  std::vector<int64_t> shares;
  Json dealt = Json::object();
  for (const Share& share : policy.distribution) {
    shares.push_back(share.shares);
    dealt[share.cluster] = Json::array();
  }
  const auto receivers = deal(static_cast<uint32_t>(policy.hosts.size()), shares);
  for (size_t i = 0; i < receivers.size(); ++i) {
    dealt[policy.distribution[receivers[i]].cluster].push_back(policy.hosts[i]);
  }
  return dealt;
}

}  // namespace leasehold
