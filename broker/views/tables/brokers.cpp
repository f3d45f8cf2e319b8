#include "broker/views/tables/brokers.hpp"

#include <nlohmann/json.hpp>

#include "broker/views/clusters/leader_view.hpp"

namespace leasehold {

namespace {

std::vector<columns::Column> broker_columns() {
  const auto of = [](const char* key) {
    return [key](const Json& row) { return columns::text(row, key); };
  };
  return {{"BROKER", of("name")},
          {"ENDPOINT", of("endpoint")},
          {"ROLE", of("role"), false, true},
          {"EPOCH", of("epoch"), true},
          {"FOLLOWED", of("followed_to"), true},
          {"LAG_MS", of("lag_ms"), true},
          {"LEADER", of("leader")},
          {"AGENTS", of("agents"), true},
          {"CLOCK OFF MS", of("clock_off_ms"), true}};
}

}  // namespace

std::string brokers_text(const Json& rows, const TableStyle& style) {
  if (rows.empty()) return "no broker answered\n";
  std::string text = columns::render(rows, broker_columns(), style);
  for (const BrokerFault& fault : broker_faults(rows)) {
    text += fault.broker + ": " + fault.what + "\n";
  }
  return text;
}

}  // namespace leasehold
