// How a broker goes on whose database took a commit no more: from what the database has, once it
// takes one again (schema/wire/PROTOCOL.md, "Nothing acknowledged is forgotten").
#include <array>

#include "broker/daemon/broker.hpp"
#include "broker/daemon/own_file.hpp"
#include "common/log.hpp"

namespace leasehold {

namespace {

constexpr int64_t kRetryMs = 1000;
constexpr int64_t kAnswerMs = 50;

bool is_of_database(const Error& error) {
  return error.code == ErrorCode::io || error.code == ErrorCode::corrupt;
}

}  // namespace

/// Of several brokers: a file of another site that names this database by mistake would remove
/// every cluster, and all leases with them.
Status Broker::check_clusters(const BrokerConfig& config) const {
  if (standby_.is_alone() || parts_.adopt) return {};
  const std::string why = why_no_candidate(config, engine_->state().config);
  return why.empty() ? Status{} : fail(ErrorCode::usage, why);
}

Status Broker::reopen() {
  return reopen(parts_.read_configuration("start", parts_.time->wall_time()));
}

/// Of several brokers a file that cannot be read is no trouble of the database, and keeps this one
/// from taking the leader's row: it holds back no other that could lead.
Status Broker::reopen(Result<ConfigRead> own) {
  Status opened = own ? Status{} : tl::unexpected(own.error());
  if (!opened && !standby_.is_alone()) {
    opened.error().code = ErrorCode::usage;
    opened.error().message =
        "this broker's configuration cannot be put in force: " + opened.error().message;
  }
  if (opened) opened = check_own_clock();
  if (opened) opened = open(*std::move(own));
  if (opened) {
    if (standby_.is_alone()) log_info("database-reopened");
    return opened;
  }
  engine_.reset();
  standby_.not_taken(opened.error());
  const std::string why = describe(opened.error());
  if (standby_.is_alone() || is_of_database(opened.error())) {
    tell_trouble(why);
  } else {
    tell_not_taken(why);
  }
  return opened;
}

/// Until then no order leaves.
bool Broker::reopen_until_good(Signals& signals) {
  while (!signals.stop()) {
    reader_.acknowledge();
    auto own = read_to_lead();
    if (own && reopen(*own)) return true;
    hold_out(signals, own ? kRetryMs : kAnswerMs);
    tell_stuck_reading();
  }
  return false;
}

/// Until the next try. Questions are answered as of the last event meanwhile; whoever orders is
/// told why nothing is done.
void Broker::hold_out(Signals& signals, int64_t most_ms) {
  tell_standing(false);
  for (int64_t waited_ms = 0; waited_ms < most_ms && !signals.stop(); waited_ms += kAnswerMs) {
    now_ = parts_.time->wall_time();
    read_questions();
    const std::array<int, 1> fds{signals.fd()};
    Channel::wait({}, fds, kAnswerMs);
    watchdog_.alive(parts_.time->boottime_ms());
    signals.read();
  }
}

}  // namespace leasehold
