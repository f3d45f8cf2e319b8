// The broker's additions to the rows of keys that both programs share (common/config/keys/key.hpp):
// the policies of a plan that know a key, and keys that are refused. The tables are daemon.hpp,
// exports.hpp and plan.hpp; config/check and config/plan check keys against each other.
#pragma once

#include <string_view>

#include "broker/rules/plan/plan.hpp"
#include "common/config/keys/key.hpp"

namespace leasehold {

/// A bit for each policy of a plan.
using PolicySet = KeyVariants;
constexpr PolicySet policy_bit(PlanPolicy policy) {
  return static_cast<PolicySet>(1U << static_cast<unsigned>(policy));
}

/// The value that says the same as leaving a key out.
enum class Neutral : uint8_t { empty_list, no_time, zero, one };

/// A key that this version knows and does not carry out yet: it is refused, with `message`, unless
/// its value says the same as leaving it out.
struct LaterKey {
  std::string_view section;
  std::string_view name;
  std::string_view message;
  Neutral neutral;
};

}  // namespace leasehold
