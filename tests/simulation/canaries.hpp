// Canaries: mistakes that somebody could make, planted in the programs by a switch that exists only
// in the copy that is built for tests (common/canary.hpp). The simulation is worth something only
// if it finds each of them.
#pragma once

#include <string>
#include <vector>

namespace leasehold::simulation {

struct CanaryKind {
  std::string name;
  std::string description;
  int brokers = 1;  // brokers of the sites in which it can be found
};

/// Returns all canaries; empty: this program was built without.
std::vector<CanaryKind> canaries();
/// Returns false if there is none of that name.
bool plant(const std::string& name);
int list_canaries();

}  // namespace leasehold::simulation
