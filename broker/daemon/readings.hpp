// Readings: who waits for the broker's configuration to be read, and what each of them gets: an
// operator who reloads, SIGHUP, whoever compares a standby's file with what is in force, and a
// take-over. Nobody gets a reading that is older than one that another got before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "broker/daemon/config_reader.hpp"

namespace leasehold {

class Readings {
 public:
  /// nullopt: it is still being read. An Error where it is wrong, or not read for long.
  using Found = std::optional<Result<ConfigRead>>;

  Readings(ConfigReader::Read read, ConfigReader::Where where, const TimeSource& time)
      : reader_(std::move(read), where, time), time_(time) {}

  /// To be called first in each turn. Logs once that a reading is late, and once that it is over.
  void begin_turn();
  /// For an operator. `ticket` is 0 when he asks, and his from then on.
  Found for_operator(uint64_t& ticket, const std::string& by, Instant now);
  /// SIGHUP came. What is being read for an earlier one, for the comparison or for a take-over may
  /// be an older file: it is read once more.
  void ask_by_signal(Instant now);
  /// For SIGHUP, once; nullopt also where none came.
  Found by_signal(Instant now);
  /// For a standby, once each half minute.
  Found own_file(Instant now);
  void ask_own_file_at_once() { own_file_due_ms_ = INT64_MIN; }
  /// For a take-over: read since the broker may lead, which not_to_lead() ends.
  Found to_lead(Instant now);
  void not_to_lead();
  /// The broker leads no more. SIGHUP is not forgotten.
  void drop_all(Instant now);

  /// As begin_turn() found it.
  bool is_stuck() const { return is_stuck_logged_; }
  int fd() const { return reader_.fd(); }
  int64_t next_late_ms() const { return reader_.next_late_ms(); }

 private:
  Found take(uint64_t& ticket, const std::string& by, Instant now);

  ConfigReader reader_;
  const TimeSource& time_;
  // Tickets; 0: nothing is being read.
  uint64_t by_signal_ = 0;
  uint64_t own_file_ = 0;
  uint64_t to_lead_ = 0;
  uint64_t newest_ = 0;  // that anybody got
  int64_t own_file_due_ms_ = INT64_MIN;
  bool is_stuck_logged_ = false;
};

}  // namespace leasehold
