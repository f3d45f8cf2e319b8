#include "agent/core/reclaim/scheduling.hpp"

namespace leasehold::agent {

const char* token(SchedulingPolicy policy) {
  switch (policy) {
    case SchedulingPolicy::proportional:
      return "proportional";
    case SchedulingPolicy::minimum_services:
      return "minimum-services";
    case SchedulingPolicy::priority:
      return "priority";
  }
  return "";  // GCOVR_EXCL_LINE every value of the enum returned above
}

const char* token(Criteria criteria) {
  return criteria == Criteria::policy_default ? "policy-default" : "most-recent-task";
}

const char* token(PreemptionScope scope) {
  return scope == PreemptionScope::lower_or_equal ? "lower-or-equal" : "lower";
}

const char* token(ReclaimOptimization optimization) {
  return optimization == ReclaimOptimization::application ? "application" : "standby";
}

wire::Scheduling scheduling_facts(const SchedulingSettings& settings) {
  return {token(settings.policy), token(settings.criteria), token(settings.preemption_scope),
          token(settings.reclaim_optimization), settings.selective_reclaim};
}

}  // namespace leasehold::agent
