#include "broker/views/tables/brokers.hpp"

#include <nlohmann/json.hpp>

#include "broker/views/clusters/leader_view.hpp"
#include "broker/views/lists/listings.hpp"

namespace leasehold {

std::string brokers_text(const Json& rows, const TableStyle& style) {
  if (rows.empty()) return "no broker answered\n";
  std::string text = columns::render(rows, columns_of(listings::kBrokers), style);
  for (const BrokerFault& fault : broker_faults(rows)) {
    text += fault.broker + ": " + fault.what + "\n";
  }
  return text;
}

}  // namespace leasehold
