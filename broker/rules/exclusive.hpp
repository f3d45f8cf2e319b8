// exclusive: LSF's default lease. A fixed number of slots is the consumer's; slots move only until
// it has all of them, and never back by themselves (LSF, "Shared lease", About: by default …).
// Pure.
#pragma once

#include <cstdint>

#include "broker/rules/answer.hpp"

namespace leasehold {

/// Slots that the consumer is still due on one host.
/// may_hold: the most that it may hold there; due: what it is due already, there or on its way.
constexpr int32_t exclusive_missing(int32_t may_hold, int32_t due) {
  return may_hold > due ? may_hold - due : 0;
}

/// The slots that the consumer is due and does not hold.
struct Shortfall {
  bool any = false;     // the consumer holds less than it is due on some host
  int32_t movable = 0;  // slots of those that can move now
};

constexpr RuleAnswer exclusive(const Shortfall& shortfall) {
  if (!shortfall.any) return {Reason::complete, 0, false};
  return {Reason::exclusive_due, shortfall.movable, true};
}

}  // namespace leasehold
