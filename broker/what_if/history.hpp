// RecordedHistory: a history as a what-if reads it, commit by commit: the state that each commit
// left, what each cluster wanted then, and what flipped. States come from the images: nothing is
// decided again, so that what any version decided can be asked.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>

#include "broker/core/model/state.hpp"
#include "broker/record/history_row.hpp"
#include "broker/store/log/log.hpp"
#include "broker/what_if/meter.hpp"
#include "broker/what_if/moment.hpp"
#include "common/result.hpp"

namespace leasehold {

class FollowedLog;

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
  /// The number of events read so far, and of all from the beginning, for progress.
  int64_t events() const { return events_; }
  int64_t events_in_all() const { return events_in_all_; }
  /// Returns how much of the waiting work had shapes, until `to`.
  ShapesTold shapes();
  /// To be called before the first next(): shows `meter` the first state, and returns what every
  /// cluster wanted then.
  Moment first(SiteMeter& meter);

 private:
  using HostKey = std::array<uint32_t, 3>;  // cluster, provider, host
  /// An agent that reported in the commit being read.
  struct Heard {
    std::string cluster;
    bool reported = false;  // it also reported what waits
    int64_t pending = 0;
    bool anew = false;  // its first message of a session
    std::optional<std::vector<int32_t>> elsewhere = std::nullopt;
    std::optional<wire::Demand> demand = std::nullopt;
  };
  /// The kinds of facts that a cluster reports of its waiting work, from `since` on.
  struct Telling {
    Instant since;
    bool waits = false;
    bool shapes = false;
    bool elsewhere = false;
  };

  RecordedHistory(FollowedLog log, std::vector<TimeSetBack> sets);

  void begin_elsewhere();
  Status find_begin(Log& log, std::optional<Instant> since);
  Status begin_at_first(std::optional<Instant> since);
  Status find_end(Log& log, std::optional<Instant> until);
  Status take_events(Moment& moment);
  Status take_input(const HistoryRow& row, Moment& moment, Instant at);
  void take_record(const HistoryRow& row, Instant at);
  void take_move(const HistoryRow& row, SiteMeter& meter);
  void take_plan_move(const HistoryRow& row, SiteMeter& meter);
  void time_transfer(const HistoryRow& row);
  void hear(const Heard& heard, Moment& moment, SiteMeter& meter);
  Want want_of(uint32_t cluster, Instant at);
  int64_t needs_of(uint32_t cluster, int64_t idle);
  int64_t run_time(uint32_t cluster, int64_t used, Instant at);
  std::vector<wire::Demand> take_passing(const std::string& cluster);
  void note_telling(uint32_t cluster, Instant at);
  void note_hosts(Moment& moment, uint32_t cluster);
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
  std::vector<Heard> heard_;
  std::vector<HistoryRow> moved_;  // records of the commit being read that moved slots
  std::vector<int64_t> pending_;   // by cluster, as last reported
  /// The slots that a cluster used from then on.
  struct Used {
    int64_t slots = 0;
    Instant since;
    int64_t started = 0;  // slots that came into use
    SlotMs sum = 0;
  };
  std::vector<Used> used_;  // by cluster
  struct Waits {
    int64_t pending = 0;
    int64_t idle = 0;
    int64_t needs = 0;
  };
  std::vector<Waits> waits_;                                    // by cluster
  std::vector<std::optional<std::vector<int32_t>>> elsewhere_;  // by cluster, as last reported
  std::vector<Telling> tellings_;                               // by cluster
  ShapesTold told_;
  std::set<HostKey> down_;  // hosts that clusters report down
  /// The beginning of a transfer that flipped, by slot group.
  struct Begun {
    Instant at;
    bool flipped = false;
  };
  std::unordered_map<int64_t, Begun> begun_;
  std::vector<Instant> plan_flips_;  // the last flip, by plan
  int64_t transfers_ = 0;
  int64_t transfers_ms_ = 0;
};

}  // namespace leasehold
