#include "broker/core/model/config.hpp"

namespace leasehold {

const char* token(LeaseType type) {
  return type == LeaseType::shared ? "shared" : "exclusive";
}

const char* token(RuleKind rule) {
  switch (rule) {
    case RuleKind::exclusive:
      return "exclusive";
    case RuleKind::idle_comparison:
      return "idle-comparison";
    case RuleKind::demand_aware:
      break;
  }
  return "demand-aware";
}

}  // namespace leasehold
