// Shadow: what a rule that is decided beside the one in force said of a lease, and what that one
// said of the same numbers. Nothing is ever ordered by it (lease/shadow.hpp decides and records).
#pragma once

#include <array>
#include <cstdint>

#include "broker/core/model/config.hpp"
#include "broker/core/model/lease_line.hpp"
#include "common/instant.hpp"
#include "common/reason.hpp"

namespace leasehold {

/// What a rule says of one lease: why, and what it would move.
struct RuleAnswer {
  Reason reason = Reason::none;
  int32_t slots = 0;
  bool to_consumer = false;  // where it moves any
  bool operator==(const RuleAnswer&) const = default;
};

/// The same slots the same way, or both none, whatever each calls it.
constexpr bool same_move(const RuleAnswer& a, const RuleAnswer& b) {
  return a.slots == b.slots && (a.slots == 0 || a.to_consumer == b.to_consumer);
}

/// The last of a lease that was recorded. Durable.
struct Shadow {
  RuleKind rule = RuleKind::exclusive;  // in force
  RuleKind shadow = RuleKind::exclusive;
  RuleAnswer in_force;
  RuleAnswer answer;  // the shadow's
  Totals totals;      // that both were made from
  uint64_t epoch = 0;
  Instant evaluated_at{INT64_MIN};
};

/// As its record has them (number_names).
std::array<int64_t, 6> shadow_numbers(const Shadow& shadow);

}  // namespace leasehold
