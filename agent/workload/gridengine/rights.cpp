#include "agent/workload/gridengine/rights.hpp"

#include "agent/workload/support/user_name.hpp"

namespace leasehold::agent {

Result<std::vector<std::string>> rights_lacking(const GridEngineCell& cell) {
  std::vector<std::string> lacking;
  const Result<bool> manager = cell.lists("-sm", user_name());
  if (!manager) return tl::unexpected(manager.error());
  if (!*manager) {
    lacking.push_back("user " + user_name() + " is no manager of the cell '" + cell.cell_name() +
                      "', so it cannot set slots of queues or requeue other users' jobs; " +
                      "right would be: qconf -am " + user_name());
  }
  const std::string host = cell.local_host();
  if (host.empty()) return lacking;
  const Result<bool> administrative = cell.lists("-sh", host);
  if (!administrative) return tl::unexpected(administrative.error());
  if (!*administrative) {
    lacking.push_back("host " + host + " is no administrative host of the cell '" +
                      cell.cell_name() + "', so qconf changes nothing from here; " +
                      "right would be: qconf -ah " + host);
  }
  return lacking;
}

}  // namespace leasehold::agent
