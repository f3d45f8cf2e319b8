#include "broker/lab/simulate/rules.hpp"

namespace leasehold {

std::string simulation_rule_names(std::string_view last) {
  std::string names;
  for (size_t i = 0; i < kSimulationRules.size(); ++i) {
    if (i > 0) names += i + 1 == kSimulationRules.size() ? " " + std::string(last) + " " : ", ";
    names += kSimulationRules[i].name;
  }
  return names;
}

}  // namespace leasehold
