// What an agent says of its clocks (schema/wire/PROTOCOL.md, "Clocks"), as values.
#pragma once

#include <cstdint>

namespace leasehold::wire {

/// What the clocks of an agent's machine showed as a message left, and at what CLOCK_BOOTTIME it
/// had last heard the broker's: the round trip that bounds how far one is from the other.
struct ClockReading {
  int64_t wall_ms = 0;            // since 1970
  int64_t boottime_ms = 0;        // CLOCK_BOOTTIME at the same moment
  int64_t heard_sent_ms = 0;      // sent_ms of the last message of this broker that had it
  int64_t heard_boottime_ms = 0;  // CLOCK_BOOTTIME when that came
  bool operator==(const ClockReading&) const = default;
};

}  // namespace leasehold::wire
