// Says for people why a host is not up at its owner. For the .cpp files of the views.
#pragma once

#include <string>

#include "broker/core/model/state.hpp"

namespace leasehold {

/// Returns "power saving of east has switched it off". Contract: the host is not up.
std::string not_up_words(const State& state, const Host& host, const std::string& owner);

/// Returns what brings the host up again. Contract: the host is not up.
std::string up_again_words(const Host& host, const std::string& owner);

/// Says how many slots of sleeping hosts the consumer of a lease could have while its work waits;
/// "": there are none, or nothing waits.
std::string asleep_words(const State& state, const SlotGroup& lease);

}  // namespace leasehold
