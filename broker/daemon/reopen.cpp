// How a broker goes on whose database took a commit no more: from what the database has, once it
// takes one again (schema/wire/PROTOCOL.md, "Nothing acknowledged is forgotten").
#include <array>

#include "broker/daemon/broker.hpp"
#include "common/log.hpp"

namespace leasehold {

namespace {

constexpr int64_t kRetryMs = 1000;
constexpr int64_t kAnswerMs = 50;

}  // namespace

Status Broker::reopen() {
  Status opened = open();
  if (opened) {
    if (standby_.is_alone()) log_info("database-reopened");
    return opened;
  }
  engine_.reset();
  standby_.not_taken();
  tell_trouble(describe(opened.error()));
  return opened;
}

/// Until then no order leaves.
bool Broker::reopen_until_good(Signals& signals) {
  while (!signals.stop()) {
    const Status opened = reopen();
    if (opened) return true;
    hold_out(signals, opened.error());
  }
  return false;
}

/// Until the next try. Whoever asks meanwhile is told why there is no answer.
void Broker::hold_out(Signals& signals, const Error& error) {
  const Error why{ErrorCode::io,
                  "the broker holds everything back: " + describe(error) +
                      ". Leases stay as they are; it tries again each second and goes on by itself",
                  {},
                  0,
                  0};
  for (int64_t waited_ms = 0; waited_ms < kRetryMs && !signals.stop(); waited_ms += kAnswerMs) {
    operators_.refuse_all(why);
    const std::array<int, 1> fds{signals.fd()};
    Channel::wait({}, fds, kAnswerMs);
    watchdog_.alive(parts_.time->boottime_ms());
    signals.read();
  }
}

}  // namespace leasehold
