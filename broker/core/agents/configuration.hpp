// The configuration that an agent attributes use by, made from the state. Pure.
#pragma once

#include "broker/core/model/state.hpp"

namespace leasehold {

/// Groups in declaration order, draining ones last (schema/wire/PROTOCOL.md, "Whose slot is used").
wire::Configuration configuration_for(const State& state, uint32_t cluster);

}  // namespace leasehold
