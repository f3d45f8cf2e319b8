// Describes in words where two commits differ in their events. For verify only.
#pragma once

#include "broker/record/log_body.hpp"
#include "broker/replay/verify_state.hpp"

namespace leasehold {

/// Returns the first difference in an event or one of its columns, and sets `at` to the event's
/// number. nullopt: there is none.
std::optional<Difference> first_difference(const LogBody& recorded, const LogBody& computed,
                                           int64_t first_event, int64_t& at);

}  // namespace leasehold
