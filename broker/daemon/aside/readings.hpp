// Readings keeps the readings of the broker's configuration that are under way, one for each
// purpose: an operator's reload, SIGHUP, the comparison of a standby's file with the configuration
// in force, and a take-over. No purpose gets a reading older than one that was given out before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "broker/daemon/aside/config_reader.hpp"

namespace leasehold {

class Readings {
 public:
  /// nullopt: the file is still being read. Error: it is wrong, or was not read in time.
  using Found = std::optional<Result<ConfigRead>>;

  Readings(ConfigReader::Read read, ConfigReader::Where where, const TimeSource& time)
      : reader_(std::move(read), where, time), time_(time) {}

  /// Begins a turn, before all other calls. Logs once that readings are stuck, and once that they
  /// no longer are.
  void begin_turn();
  /// Reads for `by`. `ticket` is 0 in the first call, which sets it; the caller passes it again
  /// until there is a result.
  Found read_for(uint64_t& ticket, const std::string& by, Instant now);
  /// Asks for a reading for SIGHUP. Readings for an earlier SIGHUP, for the comparison or for a
  /// take-over may have read an older file: they are begun again. Those for SIGHUP and for a
  /// take-over are so no more than one time, so that signals that come again and again keep off
  /// neither: the file of a later signal is read behind them.
  void ask_by_signal(Instant now);
  /// Returns the result for SIGHUP, given once; nullopt also if none came.
  Found by_signal(Instant now);
  /// Reads for a standby's comparison, half a minute after the last result; nullopt also until
  /// then.
  Found own_file(Instant now);
  /// Reads for a take-over: after it became known that the broker may lead. The result of a
  /// reading for SIGHUP that began later is the take-over's, too. not_to_lead() gives up the
  /// reading.
  Found to_lead(Instant now);
  void not_to_lead();
  /// Gives up what SIGHUP asked for: the file was just put in force.
  void not_by_signal();
  /// Gives up what only a standby reads.
  void begin_to_lead();
  /// Gives up all readings, for the broker has ceased to lead; the one for SIGHUP is begun again.
  void drop_all(Instant now);

  /// True if the last begin_turn() found that readings are stuck.
  bool is_stuck() const { return is_stuck_logged_; }
  int fd() const { return reader_.fd(); }
  int64_t next_late_ms() const { return reader_.next_late_ms(); }

 private:
  /// A reading that a signal may begin again, one time.
  struct Reading {
    uint64_t ticket = 0;  // 0: nothing is being read
    bool again = false;
  };
  bool begin_again(Reading& reading);

  ConfigReader reader_;
  const TimeSource& time_;
  Reading by_signal_;
  bool signal_waits_ = false;  // one came that by_signal_ does not answer
  uint64_t own_file_ = 0;      // a ticket; 0: nothing is being read
  Reading to_lead_;
  Found read_to_lead_;   // the result for a signal, which is the take-over's, too
  uint64_t newest_ = 0;  // the highest ticket that had a result
  int64_t next_own_file_ms_ = INT64_MIN;
  bool is_stuck_logged_ = false;
};

}  // namespace leasehold
