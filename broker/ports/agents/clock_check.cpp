#include "broker/ports/agents/clock_check.hpp"

#include <cstdlib>
#include <optional>

#include "broker/core/agents/takeover.hpp"
#include "common/log.hpp"

namespace leasehold {

void ClockCheck::check(Peer& peer) {
  const std::optional<ClockDifference>& off = peer.clock.meter.difference();
  turn_.liveness_of(peer.cluster).clock_off = off;
  correct_ages(peer);
  const int64_t surely_ms =
      off ? own_difference(*off, turn_.liveness().leader_view).surely_ms() : 0;
  if (!off || off->most_ms() < kClockDiffersMs) peer.clock.warned = false;
  if (std::abs(surely_ms) < kClockDiffersMs || peer.clock.warned || !turn_.may_log()) return;
  peer.clock.warned = true;
  const Instant now = turn_.time();
  log_warn("clock-differs", {{"cluster", peer.cluster},
                             {"agent", format_utc(now + off->middle_ms())},
                             {"broker", format_utc(now)},
                             {"error_ms", off->error_ms()},
                             {"why", "the clock of one of the two machines is wrong"},
                             {"do", "let both machines follow a time server"}});
}

/// The correction stays one number for as long as it may be right, so that equal statements stay
/// equal. When it changes, the agent has to state everything again.
void ClockCheck::correct_ages(Peer& peer) {
  const std::optional<ClockDifference>& off = peer.clock.meter.difference();
  if (!off) return;
  const int64_t known_ms = peer.clock.ages_off_ms;
  const ClockDifference wrong{off->low_ms - known_ms, off->high_ms - known_ms};
  if (std::abs(wrong.surely_ms()) < wire::kOldestStepMs) return;
  peer.clock.ages_off_ms = off->middle_ms();
  if (peer.reports.report_known) replies_.ask_for_all(peer);
}

}  // namespace leasehold
