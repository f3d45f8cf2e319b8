// A lease as a forecast sees it: what each side has of it on hosts that both may use, what its rule
// does next, what holds it back. For this folder only.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "broker/rules/demand_aware/decide.hpp"
#include "broker/rules/idle_comparison.hpp"
#include "broker/views/forecast/course.hpp"

namespace leasehold::forecasting {

/// One host of the lease. Nothing is held of a host that is not up for both sides.
struct LeaseHost {
  std::array<HostSlots, 2> of;  // by member
  int64_t cap = 0;              // the most that the consumer may hold
  /// By member: it begins nothing there from then on, because of a reservation that is to begin,
  /// or has; 0: since before.
  std::array<int64_t, 2> closed_ms{kNotAtAll, kNotAtAll};
};

struct LeaseCourseInput {
  const State& state;
  const SlotGroup& group;
  Instant now;
  size_t asked = kConsumer;                               // the member whose slots are asked for
  std::optional<wire::DemandBucket> like = std::nullopt;  // Forecast::like
  std::vector<LeaseHost> hosts = {};                      // in the group's order
  std::array<std::vector<OnHost>, 2> coming{};            // slots on their way to each member
  std::array<std::vector<HostSlots>, 2> own{};            // hosts of each that are not the lease's
  /// The lease's rule, if it reads totals. If neither agent tells shapes, of a rule that reads
  /// work, too, the usual one in its place.
  RuleAnswer (*of_totals)(const IdleCounts&) = idle_comparison;
  /// Set if the rule reads work; `view`: what does not change as time goes on.
  demand_aware::Answer (*of_work)(const demand_aware::View&, const demand_aware::Ledger&) = nullptr;
  demand_aware::View view = {};
  int64_t grace_ms = 0;  // of work that the rule ends
  bool exclusive = false;
  bool returns_to_provider = false;    // the consumer's slots go back as its work leaves them
  bool moves = true;                   // the rule may move slots
  bool moves_in_early_outlook = true;  // only what lasts forbids moves there
  int64_t moves_from_ms = 0;           // moves begin no sooner
  int64_t next_ms = 0;                 // the next evaluation
  int64_t delay_ms = 0;                // between evaluations
  int64_t ends_ms = kNotAtAll;         // end of the policy's window
  FreezeAhead freeze = {};

  const Cluster& cluster(size_t member) const {
    return state.clusters[group.members[member].cluster];
  }
  int64_t held(size_t member) const {
    int64_t slots = 0;
    for (const LeaseHost& host : hosts) slots += host.of[member].held;
    return slots;
  }
  int64_t idle(size_t member) const {
    int64_t slots = 0;
    for (const LeaseHost& host : hosts) slots += host.of[member].held - host.of[member].used;
    return slots;
  }
};

/// Also writes to `forecast` what holds the lease back.
LeaseCourseInput lease_course_input(const State& state, const SlotGroup& group, Forecast& forecast);

/// Projects the lease until `slots` are available on the requested side.
Course lease_course(const LeaseCourseInput& input, int64_t slots, Outlook outlook);

}  // namespace leasehold::forecasting
