// FateReports finds out what became of work that had to end, keeps it on disk, and reports it until
// the broker has recorded it. It asks the workload manager; agent/core/reclaim/fates.hpp decides
// which work is asked after, and how an answer is read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/limits/book.hpp"
#include "agent/core/reclaim/fates.hpp"
#include "agent/core/reclaim/reclaim.hpp"
#include "agent/core/reclaim/sets.hpp"
#include "agent/core/work/work_session.hpp"
#include "agent/io/agent/reported_names.hpp"
#include "agent/io/state/state_file.hpp"
#include "agent/workload/workload.hpp"
#include "common/time/clock.hpp"

namespace leasehold::agent {

/// One look after which work may be ended.
struct WorkLook {
  const Book& book;
  const ReclaimSets& sets;
  const WorkList& work;
  const WorkSessions& sessions;  // of that work
  int64_t now_ms = 0;
};

class FateReports {
 public:
  /// All outlive it. `names` says what the broker learns of whose jobs they were.
  FateReports(Workload& workload, StateFile& state, const TimeSource& clocks,
              const ReportedNames& names)
      : workload_(workload), state_(state), clocks_(clocks), names_(names) {}

  void restore(SavedFates saved) { fates_ = Fates(std::move(saved)); }
  /// Begins a new session: it is not known whether its broker records what became of work.
  void begin_session() { broker_records_ = false; }
  /// Takes an answer to a heartbeat: the broker has recorded all up to this number; nullopt: it
  /// does not say.
  void on_answer(std::optional<uint64_t> recorded);

  /// Notes why slots of the group are wanted back, as its last order says.
  void note_reason(uint64_t generation, Reason reason) { reasons_[generation] = reason; }
  /// Begins to ask after all work that these steps interrupt or end. Contract: the steps have not
  /// been taken, so that work which dies meanwhile is asked after too.
  void note_asked(const WorkLook& look, const ReclaimSteps& steps);
  /// Begins to ask after one unit that is preempted, of that session. True: that is news, and
  /// keep() must follow.
  bool note_preempted(const WorkUnit& unit, const std::string& session);
  void keep();

  bool any_open() const { return fates_.any_open(); }
  /// Asks what became of work that is gone. `under_reclaim` holds the ids of units that are under a
  /// reclaim.
  void look(const WorkList& work, const std::vector<std::string>& under_reclaim);

  /// Returns ended work that the broker has not recorded, in a form that no broker refuses;
  /// nullopt: there is none, or this broker records none.
  std::optional<std::vector<wire::EndedWork>> unreported() const;

 private:
  JobEnd end_of(const WorkUnit& job);

  Workload& workload_;
  StateFile& state_;
  const TimeSource& clocks_;
  ReportedNames names_;
  Fates fates_;
  std::map<uint64_t, Reason> reasons_;  // by generation
  bool broker_records_ = false;         // the broker of this session keeps what became of work
};

}  // namespace leasehold::agent
