// Canaries: mistakes that someone could make, planted in the programs by a switch that exists only
// in the copy of them that is built for tests (common/canary.hpp). The simulation is worth
// something only if it finds each.
#pragma once

#include <string>
#include <vector>

namespace leasehold::simulation {

struct CanaryKind {
  std::string name;
  std::string description;
  int brokers = 1;  // of the sites in which it can be found
};

/// Empty: this program was built without.
std::vector<CanaryKind> canaries();
/// False: there is none of that name.
bool plant(const std::string& name);
int list_canaries();

}  // namespace leasehold::simulation
