#include "agent/core/work/scheduling.hpp"

namespace leasehold::agent {

wire::Scheduling scheduling_facts(const SchedulingSettings& settings) {
  return {token(settings.policy), token(settings.criteria), token(settings.preemption_scope),
          token(settings.reclaim_optimization), settings.selective_reclaim};
}

}  // namespace leasehold::agent
