// Which settings of a consumer, and which switches of a group, mean something under which policy
// (broker/rules/plan/README.md, "Not defined"). Pure. Not what they mean.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "broker/rules/plan/plan.hpp"

namespace leasehold {

/// A bit for each policy.
using PolicySet = uint8_t;
constexpr PolicySet policy_bit(PlanPolicy policy) {
  return static_cast<PolicySet>(1U << static_cast<unsigned>(policy));
}

/// Those that know the configuration's key; a key that none is asked about is known to all.
PolicySet policies_with(std::string_view key);
/// For people: `ownership`, `ownership or hybrid`.
std::string policy_words(PolicySet policies);

}  // namespace leasehold
