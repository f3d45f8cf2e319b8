// Where two states differ in their durable part, in words. Inner header of verify.
#pragma once

#include <optional>

#include "broker/core/state.hpp"
#include "broker/replay/verify.hpp"

namespace leasehold {

/// The first durable part that is not the same; nullopt: none.
std::optional<Difference> first_difference(const State& recorded, const State& computed);

}  // namespace leasehold
