// Shadow: what a rule that is decided beside the one in force said of a lease, and what that one
// said of the same numbers. Nothing is ever ordered by it (lease/shadow.hpp decides and records).
#pragma once

#include <array>
#include <cstdint>

#include "broker/core/model/config.hpp"
#include "broker/core/model/lease_summary.hpp"
#include "common/time/instant.hpp"

namespace leasehold {

/// The last of a lease that was recorded. Durable.
struct Shadow {
  RuleKind rule{};  // in force
  RuleKind shadow{};
  RuleAnswer in_force;
  RuleAnswer answer;  // the shadow's
  Totals totals;      // that both were made from
  uint64_t epoch = 0;
  Instant evaluated_at{INT64_MIN};
};

/// Returns the numbers of the shadow's record (number_names).
std::array<int64_t, 6> shadow_numbers(const Shadow& shadow);

}  // namespace leasehold
