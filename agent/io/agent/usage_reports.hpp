// UsageReports counts whose work uses the slots that the cluster borrows, keeps the counts on disk,
// and reports what is closed until the broker has recorded it. agent/core/usage/usage_count.hpp
// counts, and says how nothing is counted twice or lost.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "agent/core/usage/usage_count.hpp"
#include "agent/io/agent/fate_reports.hpp"
#include "agent/io/state/state_file.hpp"
#include "agent/workload/workload.hpp"
#include "common/time/clock.hpp"

namespace leasehold::agent {

class UsageReports {
 public:
  /// Work is listed so often where the broker learns users, and counts are kept so often.
  static constexpr int64_t kEveryMs = 60'000;

  /// All outlive it. Where no names are reported nothing is counted.
  UsageReports(StateFile& state, const TimeSource& clocks, const ReportedNames& names)
      : state_(state), clocks_(clocks), names_(names) {}

  void restore(SavedUsage saved, int64_t now_ms);
  /// Begins a new session: it is not known whether its broker records any.
  void begin_session() { broker_records_ = false; }
  /// Takes an answer to a heartbeat: the broker has recorded all up to this number; nullopt: it
  /// does not say.
  void on_answer(std::optional<uint64_t> recorded, int64_t now_ms);

  /// Takes a good look.
  void look(const Book& book, const std::vector<GroupUse>& use, int64_t now_ms);
  /// True if it is time for a list of all work.
  bool wants_list(const Book& book, int64_t now_ms) const;
  /// Takes a list of all work, made after that look.
  void list(const Book& book, const std::vector<GroupUse>& use, const WorkList& work,
            const WorkSessions& sessions, int64_t now_ms);
  /// Ends a look: closes and keeps what it is time for, whether there was a list or not.
  void finish(const Book& book, int64_t now_ms);

  /// Returns what the broker has not recorded, in a form that no broker refuses; nullopt: there is
  /// none, or this broker records none.
  std::optional<std::vector<wire::UsedSlots>> unreported() const;

 private:
  UsageMoment moment(int64_t now_ms) const { return {clocks_.wall_time().ms, now_ms}; }
  void keep(int64_t now_ms, bool closed_too);

  StateFile& state_;
  const TimeSource& clocks_;
  ReportedNames names_;
  UsageCount count_;
  uint64_t kept_number_ = 0;  // what is closed up to this number is on disk
  bool closed_unkept_ = false;
  int64_t next_ms_ = INT64_MIN;
  bool broker_records_ = false;  // the broker of this session keeps it
};

/// Reports about work that are repeated until the broker has recorded them.
struct WorkReports {
  /// All outlive it. `names` says what the broker learns of whose work it is.
  WorkReports(Workload& workload, StateFile& state, const TimeSource& clocks,
              const ReportedNames& names)
      : fates(workload, state, clocks, names), usage(state, clocks, names) {}

  void restore(SavedState& saved, int64_t now_ms) {
    fates.restore(std::move(saved.fates));
    usage.restore(std::move(saved.usage), now_ms);
  }
  void begin_session() {
    fates.begin_session();
    usage.begin_session();
  }
  void on_answer(const wire::HeartbeatAnswer& answer, int64_t now_ms) {
    fates.on_answer(answer.ended);
    usage.on_answer(answer.used, now_ms);
  }

  FateReports fates;
  UsageReports usage;
};

}  // namespace leasehold::agent
