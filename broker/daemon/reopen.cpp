// How a broker puts a newer configuration in force, and how it goes on after a commit failed: it
// loads what the database has, once that takes commits again (schema/wire/PROTOCOL.md, "Nothing
// acknowledged is forgotten").
#include <array>
#include <nlohmann/json.hpp>

#include "broker/daemon/broker.hpp"
#include "broker/daemon/own_file.hpp"
#include "broker/daemon/record_log.hpp"
#include "broker/ports/operators/reload.hpp"
#include "common/log.hpp"

namespace leasehold {

namespace {

constexpr int64_t kRetryMs = 1000;
constexpr int64_t kAnswerMs = 50;

bool is_of_database(const Error& error) {
  return error.code == ErrorCode::io || error.code == ErrorCode::corrupt;
}

}  // namespace

/// If several brokers share the database, another site's file that names it by mistake is refused:
/// it would remove every cluster, and all leases with them.
Status Broker::check_clusters(const BrokerConfig& config) const {
  if (standby_.is_alone() || parts_.adopt) return {};
  const std::string why = why_no_candidate(config, engine_->state().config);
  return why.empty() ? Status{} : fail(ErrorCode::usage, why);
}

/// Refuses a reload that contradicts the hosts that are known, or whose file is another site's. A
/// start is not refused for its hosts: a site whose host shrank must run, so exports are clamped.
Result<ConfigRead> Broker::checked(Result<ConfigRead> config) const {
  if (!config) return config;
  if (Status known = check_clusters(config->loaded.config); !known) {
    return tl::unexpected(known.error());
  }
  InventoryFindings found = parts_.check_inventory(config->loaded.config, engine_->state());
  if (!found.errors.empty()) return tl::unexpected(joined(found.errors));
  config->warnings.insert(config->warnings.end(), found.warnings.begin(), found.warnings.end());
  return config;
}

void Broker::reload_by_signal() {
  Readings::Found read = readings_.by_signal(now_);
  if (!read) return;
  now_ = next_instant();
  Result<ConfigRead> config = checked(*std::move(read));
  if (!config) {
    log_error("reload-refused",
              {{"why", describe(config.error())}, {"then", "the configuration in force stays"}});
    return;
  }
  log_warnings(config->warnings);
  config->loaded.where = "local";
  config->loaded.changes =
      reload_in_words(preview_reload(engine_->state(), agents_.liveness(), *config, nullptr, now_));
  feed_configuration(config->loaded, config->access);
}

/// Logs each new trouble once; a broker that is alone logs every attempt.
void Broker::log_trouble(const std::string& trouble) {
  if (parts_.bulletin && !trouble.empty()) parts_.bulletin->trouble({trouble, ""});
  if (trouble == logged_.database && !standby_.is_alone()) return;
  logged_.database = trouble;
  if (trouble.empty()) return log_info("database-recovered");
  log_error("database-unavailable", {{"why", trouble},
                                     {"then", "nothing moves, and work goes on"},
                                     {"do", "repair the database, or the way to it"}});
}

/// Logs each new reason once, until somebody leads. A broker that is alone takes nothing over: its
/// database is there, and its file is not.
void Broker::log_not_taken(const std::string& why) {
  if (parts_.bulletin && standby_.is_alone() && !why.empty()) parts_.bulletin->trouble({"", why});
  if (why == logged_.not_taken) return;
  logged_.not_taken = why;
  if (why.empty()) return;
  if (!standby_.is_alone())
    return log_warn("take-over-failed", {{"why", why}, {"then", "it is tried again"}});
  log_error(
      "reload-refused",
      {{"why", why}, {"then", "nothing is in force: no order leaves until the file can be read"}});
}

Status Broker::reopen() {
  return reopen(parts_.read_configuration("start", parts_.time->wall_time()));
}

/// A file that cannot be read is no fault of the database. If several brokers share that, it keeps
/// this one from taking the leader's row, and so leaves the row to others that could lead.
Status Broker::reopen(Result<ConfigRead> own) {
  const bool has_file = own.has_value();
  Status opened = has_file ? Status{} : tl::unexpected(own.error());
  if (!opened) {
    opened.error().code = ErrorCode::usage;
    opened.error().message =
        "this broker's configuration cannot be put in force: " + opened.error().message;
  }
  if (opened) opened = check_own_clock();
  if (opened) opened = open(*std::move(own));
  if (opened) {
    log_not_taken("");
    if (standby_.is_alone()) {
      readings_.not_by_signal();
      log_info("database-reopened");
    }
    return opened;
  }
  engine_.reset();
  standby_.not_taken(opened.error());
  const std::string why = describe(opened.error());
  if ((standby_.is_alone() && has_file) || is_of_database(opened.error())) {
    log_trouble(why);
  } else {
    log_not_taken(why);
  }
  return opened;
}

/// Tries until the store is open again; no order leaves before. False: it is to end.
bool Broker::reopen_until_good(Signals& signals) {
  while (!signals.stop()) {
    refuse_reloads();
    readings_.begin_turn();
    Readings::Found own = readings_.to_lead(parts_.time->wall_time());
    const bool is_read = own.has_value();
    if (is_read && reopen(*std::move(own))) return true;
    hold_out(signals, is_read ? kRetryMs : kAnswerMs);
  }
  return false;
}

/// Waits until the next try. Questions are answered as of the last event meanwhile; changes are
/// refused with the reason why nothing is committed.
void Broker::hold_out(Signals& signals, int64_t most_ms) {
  publish_role(false);
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
