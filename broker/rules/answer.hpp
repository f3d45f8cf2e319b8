// RuleAnswer: what any rule says of one lease.
#pragma once

#include <cstdint>

#include "common/reason.hpp"

namespace leasehold {

/// A rule's reason, and the slots that it would move.
struct RuleAnswer {
  Reason reason = Reason::none;
  int32_t slots = 0;
  bool to_consumer = false;  // else they go to the provider
  bool operator==(const RuleAnswer&) const = default;
};

/// True if both move the same slots the same way, or both none, whatever reason each gives.
constexpr bool same_move(const RuleAnswer& a, const RuleAnswer& b) {
  return a.slots == b.slots && (a.slots == 0 || a.to_consumer == b.to_consumer);
}

}  // namespace leasehold
