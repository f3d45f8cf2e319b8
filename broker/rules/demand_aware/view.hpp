// The input of the rule demand-aware: one lease at an instant, by host and by shape of work.
// broker/core/lease/demand_view.hpp makes it from the state.
#pragma once

#include "broker/rules/demand_aware/shapes.hpp"
#include "common/time/instant.hpp"

namespace leasehold::demand_aware {

struct Settings {
  int64_t delay_ms = 600'000;    // between two regular evaluations
  int64_t min_hold_ms = 30'000;  // between two moves that are not the provider's
  int64_t use_by_ms = 60'000;    // a grant is to be used
  bool provider_first = false;   // the provider's work takes slots in use, idle ones go home
};

struct Side {
  std::vector<Waiting> waiting;    // the oldest first
  std::vector<int32_t> elsewhere;  // idle slots by host, outside the group
  int64_t slots_elsewhere = 0;     // of those hosts, idle or not
  std::vector<Ending> ending;  // of its running work, without what is expected to be wrong of it
  int64_t hosts = 0;           // that work may lie on; 0: not known
};

/// One lease at an instant.
struct View {
  Instant now;
  Settings settings;
  std::array<Side, 2> sides;
  std::vector<IdleRow> rows;      // one a host of the group
  std::vector<int32_t> exported;  // slots of each of them
  int64_t slots = 0;              // of the group, on hosts that both call up
  /// Work is left out that other leases or plans have slots for; some of it counts again then. It
  /// is for the caller, not the rule.
  Instant served_until = kNever;
};

}  // namespace leasehold::demand_aware
