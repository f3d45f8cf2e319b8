// RecordedHistory: a history as a what-if reads it, commit by commit: the state that each commit
// left, what each cluster wanted then, and what flipped. States come from the images: nothing is
// decided again, so that what any version decided can be asked.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>

#include "broker/core/model/state.hpp"
#include "broker/lab/what_if/meter.hpp"
#include "broker/lab/what_if/moment.hpp"
#include "broker/lab/what_if/wants.hpp"
#include "broker/record/history_row.hpp"
#include "broker/store/log/log.hpp"
#include "common/result.hpp"

namespace leasehold {

class FollowedLog;

/// Times transfers that flipped, from their beginning.
class TransferTimes {
 public:
  void take(const HistoryRow& row);
  /// Returns how long an order or its answer takes: a flip takes both twice.
  int64_t answer_ms() const { return count_ == 0 ? 0 : sum_ms_ / count_ / 2; }

 private:
  struct Begun {
    Instant at;
    bool flipped = false;
  };
  std::unordered_map<int64_t, Begun> begun_;  // by slot group
  int64_t count_ = 0;
  int64_t sum_ms_ = 0;
};

class RecordedHistory {
 public:
  /// Reads [since, until); absent: all that is kept. Refused where retention removed the state at
  /// `since`.
  static Result<RecordedHistory> begin(Log& log, std::optional<Instant> since,
                                       std::optional<Instant> until);
  RecordedHistory(RecordedHistory&&) noexcept;
  ~RecordedHistory();

  /// Reads the next commit; false: there are no more. Error (corrupt). `meter` is given what it
  /// moved.
  Result<bool> next(Moment& moment, SiteMeter& meter);

  const State& state() const;
  Instant from() const { return from_; }
  Instant to() const { return to_; }
  /// Returns the number of events read so far, and of all from the beginning, for progress.
  int64_t events() const { return events_; }
  int64_t events_in_all() const { return events_in_all_; }
  /// Returns how much of the waiting work had shapes, until `to`.
  RecordedShapes shapes() { return wants_.shapes(state()); }
  /// To be called before the first next(): shows `meter` the first state, and returns what every
  /// cluster wanted then.
  Moment first(SiteMeter& meter);

 private:
  RecordedHistory(FollowedLog log, std::vector<TimeSetBack> sets);

  Status find_begin(Log& log, std::optional<Instant> since);
  Status begin_at_first(std::optional<Instant> since);
  Status find_end(Log& log, std::optional<Instant> until);
  Status take_events(Moment& moment);
  Status take_input(const HistoryRow& row, Moment& moment, Instant at);
  void take_record(const HistoryRow& row, Instant at);
  void take_move(const HistoryRow& row, SiteMeter& meter);
  void take_plan_move(const HistoryRow& row, SiteMeter& meter);
  Instant counted(Instant at) const;

  std::unique_ptr<FollowedLog> log_;
  std::vector<TimeSetBack> sets_;
  Instant from_;
  Instant to_;
  int64_t first_event_ = 0;  // the event before the first one to read
  int64_t last_event_ = 0;
  int64_t events_ = 0;
  int64_t events_in_all_ = 0;
  HistoryRow row_;
  std::vector<AgentReport> reports_;  // of the commit being read
  std::vector<HistoryRow> moved_;     // records of the commit being read that moved slots
  ReportedWants wants_;
  std::vector<Instant> plan_flips_;  // the last flip, by plan
  TransferTimes transfers_;
};

}  // namespace leasehold
