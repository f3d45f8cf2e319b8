// Where two commits differ in their events, in words. Inner header of verify.
#pragma once

#include "broker/record/log_body.hpp"
#include "broker/replay/verify_state.hpp"

namespace leasehold {

/// The first event, or column of one, that is not the same; `at` becomes its number. nullopt: none.
std::optional<Difference> first_difference(const LogBody& recorded, const LogBody& computed,
                                           int64_t first_event, int64_t& at);

}  // namespace leasehold
