// How a broker reads its configuration while its loop turns: for operators, for SIGHUP, and, while
// it stands by, for whoever compares its file with what is in force and for a take-over.
#include "broker/ports/operators/reload.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "broker/daemon/broker.hpp"
#include "broker/daemon/record_log.hpp"
#include "common/log.hpp"

namespace leasehold {

namespace {

constexpr const char* kBySignal = "SIGHUP";
constexpr int64_t kOwnFileMs = 30'000;

}  // namespace

/// A reload is refused where it contradicts the hosts that are there, or where the file is another
/// site's. (A start is not: a site whose host shrank must be able to run: exports are clamped.)
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

/// What was read under the ticket `reading` (0: it is asked for now), checked; nullopt: it is still
/// being read. Where a newer reading was put in force meanwhile the file is read once more, so that
/// an older one never takes its place.
std::optional<Result<ConfigRead>> Broker::read_for(uint64_t& reading, const std::string& by) {
  if (reading == 0) reading = reader_.begin(by, now_);
  std::optional<Result<ConfigRead>> read = reader_.take(reading);
  if (!read) return std::nullopt;
  if (reading >= in_force_) return checked(*std::move(read));
  reading = 0;
  return read_for(reading, by);
}

/// What is read for whomever before this signal may be an older file.
void Broker::ask_for_reload() {
  for (uint64_t* const older : {&by_signal_, &own_file_, &to_lead_}) {
    if (*older != 0) reader_.drop(std::exchange(*older, 0));
  }
  by_signal_ = reader_.begin(kBySignal, now_);
}

void Broker::reload_by_signal() {
  if (by_signal_ == 0) return;
  now_ = next_instant();
  std::optional<Result<ConfigRead>> read = read_for(by_signal_, kBySignal);
  if (!read) return;
  const uint64_t reading = std::exchange(by_signal_, 0);
  if (!*read) {
    log_error("reload-refused", {{"why", describe(read->error())}, {"in_force", "unchanged"}});
    return;
  }
  in_force_ = std::max(in_force_, reading);
  reload(**std::move(read));
}

void Broker::reload(ConfigRead config) {
  log_warnings(config.warnings);
  config.loaded.where = "local";
  config.loaded.changes =
      reload_in_words(preview_reload(engine_->state(), agents_.liveness(), config, nullptr, now_));
  feed_configuration(config.loaded, config.access);
}

/// Once when a reading is late and once when the file can be read again.
void Broker::tell_stuck_reading() {
  const bool stuck = reader_.is_stuck();
  agents_.liveness().standing.configuration_stuck = stuck;
  if (stuck == std::exchange(stuck_told_, stuck)) return;
  if (!stuck) return log_info("configuration-read-again");
  log_warn("configuration-not-read",
           {{"why",
             "a file system on which the configuration, or a file that it names, lies does "
             "not answer"},
            {"in_force", "unchanged"},
            {"to_do", "look at that file system; reloads are refused until it answers"}});
}

/// To whoever follows the log, which says what is in force.
void Broker::tell_own_file(Result<ConfigRead> read) {
  own_file_due_ms_ = parts_.time->boottime_ms() + kOwnFileMs;
  if (!parts_.own_file) return;
  parts_.own_file(std::move(read));
  if (!standby_.nobody()) tell_committed();  // who reads the log would wait for its database
}

/// For whoever follows the log, each half minute, and after a signal for all that it says; whoever
/// takes over reads it once more.
void Broker::read_own_file(bool reload_asked) {
  reader_.acknowledge();
  if (reload_asked) ask_for_reload();
  if (by_signal_ != 0) {
    if (auto read = reader_.take(by_signal_)) {
      by_signal_ = 0;
      learn(*std::move(read));
    }
  }
  const bool due = parts_.own_file && parts_.time->boottime_ms() >= own_file_due_ms_;
  if (own_file_ == 0 && due) own_file_ = reader_.begin("start", now_);
  if (own_file_ != 0) {
    if (auto read = reader_.take(own_file_)) {
      own_file_ = 0;
      tell_own_file(*std::move(read));
    }
  }
  tell_stuck_reading();
}

/// The file that a take-over puts in force, read since it may lead; nullopt: not yet.
std::optional<Result<ConfigRead>> Broker::read_to_lead() {
  if (to_lead_ == 0) to_lead_ = reader_.begin("start", now_);
  std::optional<Result<ConfigRead>> read = reader_.take(to_lead_);
  if (!read) return read;
  in_force_ = std::max(in_force_, to_lead_);  // a signal's that is older is not put over it
  to_lead_ = 0;
  return read;
}

}  // namespace leasehold
