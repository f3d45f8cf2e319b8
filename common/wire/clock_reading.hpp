// ClockReading is what an agent reports of its clocks (schema/wire/PROTOCOL.md, "Clocks").
#pragma once

#include <cstdint>

namespace leasehold::wire {

/// The clocks of an agent's machine when a message left, and the CLOCK_BOOTTIME at which it last
/// received the broker's clock: the round trip bounds the difference of the two clocks.
struct ClockReading {
  int64_t wall_ms = 0;            // since 1970
  int64_t boottime_ms = 0;        // CLOCK_BOOTTIME at the same moment
  int64_t heard_sent_ms = 0;      // sent_ms of this broker's last message that had it
  int64_t heard_boottime_ms = 0;  // CLOCK_BOOTTIME when that message came
  bool operator==(const ClockReading&) const = default;
};

}  // namespace leasehold::wire
