// Finished: which shrinks and reclaims of a group have all that they want, after a statement of one
// member. Not how they are closed: transfers.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "broker/core/model/state.hpp"

namespace leasehold {

/// Numbers of those whose slots have all come and been handed over, in order. Of a plan, which may
/// have very many open, those of the member that spoke and those that waited before are looked at.
std::vector<uint64_t> finished_transfers(const SlotGroup& group, size_t member);

}  // namespace leasehold
