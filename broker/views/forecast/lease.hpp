// A lease as a forecast sees it: what each side has of it on hosts that both may use, what its rule
// does next, what holds it back. For this folder only.
#pragma once

#include <array>

#include "broker/rules/idle_comparison.hpp"
#include "broker/views/forecast/course.hpp"

namespace leasehold::forecasting {

struct LeaseCourseInput {
  const State& state;
  const SlotGroup& group;
  size_t asked = kConsumer;  // the member whose slots are asked for
  std::array<int64_t, 2> held{};
  std::array<int64_t, 2> used{};
  std::array<int64_t, 2> coming{};  // slots on their way to each member
  int64_t due = 0;                  // the most that the consumer may hold on hosts that it may use
  /// The lease's rule; of a rule that reads more than totals, the usual one in its place.
  RuleAnswer (*of_totals)(const IdleCounts&) = idle_comparison;
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
};

/// Also writes to `forecast` what holds the lease back.
LeaseCourseInput lease_course_input(const State& state, const SlotGroup& group, Forecast& forecast);

/// Projects the lease until `slots` are available on the requested side.
Course lease_course(const LeaseCourseInput& input, int64_t slots, Outlook outlook);

}  // namespace leasehold::forecasting
