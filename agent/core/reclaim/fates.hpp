// Fates: how work ended that had to go, or whose end was ordered: queued again, ended well in its
// grace, ended for good, or spared when its slots were not wanted any more. The agent asks after
// each until the end is known or given up as unknown, and keeps it until the broker has it in its
// history. Pure: which work is asked after, when, and
// how an answer is read; agent/io asks and keeps the file. Not when work ends (reclaim.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/limits/book.hpp"
#include "agent/core/reclaim/sets.hpp"
#include "agent/core/work/work_unit.hpp"
#include "common/time/instant.hpp"

namespace leasehold::agent {

/// A run of a job that must go, or that may have to.
struct AskedWork {
  std::string unit;
  std::string called = {};  // as WorkUnit::called
  Instant started = {};
  uint64_t generation = 0;  // the slot group that wants its slots; 0: none, preemption
  Reason reason = Reason::none;
  int32_t slots = 0;
  std::string user = {};
  int64_t told_ms = 0;  // when it was warned or its end ordered, by the wall clock
  bool ordered = false;
  /// Since when it is not listed any more, by CLOCK_BOOTTIME; nullopt: it is listed. Not on disk.
  std::optional<int64_t> gone_ms = std::nullopt;
  std::string session = {};  // the key of its work session
  std::string account = {};
  bool operator==(const AskedWork&) const = default;
};

/// One moment by two clocks: the wall clock, which people may set, tells when something was, and
/// CLOCK_BOOTTIME how long it lasts.
struct FateMoment {
  int64_t wall_ms = 0;
  int64_t boottime_ms = 0;
};

struct SavedFates {
  std::vector<AskedWork> asked;
  std::vector<wire::EndedWork> ended;  // that the broker may not have recorded
  uint64_t last_number = 0;
  bool operator==(const SavedFates&) const = default;
};

/// Returns the jobs on hosts with leased slots that a reclaim would end for good.
std::vector<WorkUnit> final_ones(const Book& book, const std::vector<WorkUnit>& units);

/// Returns the generation of a group that wants back slots that the unit uses; 0: nobody wants
/// them.
uint64_t wanted_for(const Book& book, const ReclaimSets& sets, const WorkUnit& unit);

class Fates {
 public:
  /// A job of which the workload manager knows nothing gets the fate unknown when it is gone for so
  /// long.
  static constexpr int64_t kAskAfterMs = 60'000;
  /// So many are asked after at one look: each takes one call of a program.
  static constexpr size_t kAskedALook = 4;
  /// A job that is not listed for so long and whose end is still not known gets the fate unknown.
  /// Workload managers forget ended jobs sooner (Slurm's MinJobAge is five minutes), and a cluster
  /// that begins thousands of jobs over its limits would else be asked after them for hours.
  static constexpr int64_t kAskedForMs = 600'000;
  /// So many ends are kept for a broker that is away, or that records none; the oldest go first.
  static constexpr size_t kKeptMost = 1'000;

  explicit Fates(SavedFates saved = {}) : kept_(std::move(saved)) {}

  /// Notes that the unit is interrupted, or (`ordered`) that its end is ordered. True: that is new.
  bool ask(const WorkUnit& unit, const std::string& session, uint64_t generation, Reason reason,
           bool ordered, int64_t wall_ms);
  bool any_open() const { return !kept_.asked.empty(); }
  /// Takes a list of all work. Units that wait, or that run in another run, count as queued again.
  /// Units that still run are spared if no reclaim (`under_reclaim`: ids of those under one) and
  /// no order ends them. True: something changed.
  bool look(const std::vector<WorkUnit>& units, const std::vector<std::string>& under_reclaim,
            FateMoment now);
  /// Returns the units to ask the workload manager about now, in turn: those that are listed no
  /// more.
  std::vector<WorkUnit> gone() const;
  /// Takes the workload manager's answer about one of them. True: something changed.
  bool note_end(const std::string& unit, const JobEnd& end, FateMoment now);

  /// Returns what the broker has not recorded, in order of the numbers, at most kEndedMost.
  std::vector<wire::EndedWork> unreported() const;
  /// Notes that the broker has recorded all up to this number, which may be above what an older
  /// copy of the agent's state knows of. True: something changed.
  bool recorded(uint64_t number);
  const SavedFates& kept() const { return kept_; }

 private:
  void record_end(const AskedWork& work, wire::Fate fate, std::optional<int32_t> exit_code,
                  int64_t wall_ms);

  SavedFates kept_;
};

}  // namespace leasehold::agent
