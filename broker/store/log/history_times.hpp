// Finds the event that an instant means. Times rise with ids, except where an operator set a wrong
// clock's history back (broker/core/clock_set.hpp); an instant means the latest stretch that it
// lies in.
#pragma once

#include <cstdint>

#include "common/result.hpp"
#include "common/time/instant.hpp"

namespace leasehold {

class Log;

/// Returns the first event with a time not below `at`, of the latest stretch that begins by then;
/// one more than the last of that stretch if there is none. Error (corrupt): a row cannot be read.
Result<int64_t> first_event_at(Log& log, Instant at);

}  // namespace leasehold
