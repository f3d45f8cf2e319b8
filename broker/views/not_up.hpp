// Why a host is not up at its owner, as people are told. For the .cpp files of the views.
#pragma once

#include <string>

#include "broker/core/model/state.hpp"

namespace leasehold {

/// "power saving of east has switched it off". Contract: the host is not up.
std::string not_up_words(const Host& host, const std::string& owner);

/// What has it up again. Contract: as above.
std::string up_again_words(const Host& host, const std::string& owner);

/// Slots of a lease on hosts that are asleep, for which work of its consumer waits; "": there are
/// none, or nothing waits.
std::string asleep_words(const State& state, const SlotGroup& lease);

}  // namespace leasehold
