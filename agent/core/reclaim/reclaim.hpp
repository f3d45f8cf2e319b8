// Reclaim: when work ends whose slots are taken back (agent/core/README.md, "Timeline of a
// reclaim"). Each unit that was chosen (choice.hpp) is interrupted at once, with the time left; it
// has the whole grace; then it is ended and requeued, or ended for good where it cannot be
// requeued; it is overdue if it is still there 120 s later. A unit that is gone, or is not needed
// any more, is forgotten: an end in time is like any other end, and its slots are free at once.
// Pure; all times but `started` are CLOCK_BOOTTIME. It neither chooses units nor keeps new work
// away.
//
// A grace that was announced is never shortened; a later order with a longer one extends it. One
// timeline serves all hosts of an agent, so that a job on several is interrupted once.
//
// For a restart of the agent the caller calls save() before it does what steps_at() says, and
// restored() afterwards. The time goes on while no agent runs. In another boot of the machine
// nobody knows how long that was: there the time left when it was saved counts from the restore. It
// is never the whole grace again, unless the machine fell right after the interrupt; save() now and
// then makes the difference smaller.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agent/core/work/work_unit.hpp"
#include "common/time/instant.hpp"

namespace leasehold::agent {

/// "The resource orchestrator allows 120-seconds leeway time for the return" (Symphony, "Resource
/// reclaim").
inline constexpr int64_t kLeewayMs = 120'000;
/// An interrupt that was not delivered, and an end that did not come, are tried again after these
/// times.
inline constexpr int64_t kInterruptAgainMs = 1'000;
inline constexpr int64_t kEndAgainMs = 5'000;

/// A unit that has to end. `started` distinguishes a run of it from the next one.
struct ReclaimVictim {
  std::string unit;
  Instant started = {};
  int64_t grace_ms = 0;
  bool requeueable = true;
  bool ending = false;  // WorkUnit::ending: only waited for, whatever started it
  bool operator==(const ReclaimVictim&) const = default;
};

/// The steps to take, in the order of these fields; each lists its units in the order of the
/// victims.
struct ReclaimSteps {
  std::vector<std::string>
      interrupt;                 // with left_ms(); the caller confirms with note_interrupted()
  std::vector<std::string> end;  // and requeue
  std::vector<std::string> end_for_good;  // cannot be requeued
  std::vector<std::string> overdue;       // an alarm, once for each
  bool changed = false;                   // something that save() keeps
};

/// A unit that was interrupted, as it is kept on disk.
struct SavedVictim {
  std::string unit;
  Instant started = {};
  int64_t grace_ms = 0;
  int64_t left_ms = 0;  // of the grace; below 0: it was over for so long
  int64_t at_ms = 0;    // when that was so
  bool interrupt_done = false;
  bool overdue = false;
  bool operator==(const SavedVictim&) const = default;
};

class ReclaimTimeline {
 public:
  /// Returns what is to be done at `now_ms` for exactly these victims; others are forgotten. A unit
  /// without grace is interrupted and ended in one go.
  ReclaimSteps steps_at(std::span<const ReclaimVictim> victims, int64_t now_ms);
  /// Notes that the unit was interrupted, `late_ms` after the instant that steps_at() was given. It
  /// was promised the time left at that instant, so `late_ms` are added to its grace, unless its
  /// end was asked for already. Until this is called steps_at() asks again while the grace lasts.
  void note_interrupted(const std::string& unit, int64_t late_ms = 0);
  /// Forgets a unit whose end failed again and again: it is chosen again, or another is.
  void forget(const std::string& unit) { notified_.erase(unit); }
  /// Returns when steps_at() has more to say; INT64_MAX: time alone changes nothing.
  int64_t next_ms() const;
  bool empty() const { return notified_.empty(); }
  /// Returns the ids of those given units that are ending, or that are under a reclaim and still
  /// run; the one that must end first comes first.
  std::vector<std::string> under_reclaim(std::span<const WorkUnit> units) const;
  /// Returns the time until the unit is ended, at least 0; nullopt: it is under no reclaim.
  std::optional<int64_t> left_ms(const std::string& unit, int64_t now_ms) const;

  std::vector<SavedVictim> save(int64_t now_ms) const;
  static ReclaimTimeline restored(std::span<const SavedVictim> saved, bool same_boot,
                                  int64_t now_ms);

 private:
  struct Notified {
    Instant started;
    int64_t grace_ms = 0;
    int64_t end_ms = 0;
    int64_t interrupt_again_ms = INT64_MAX;
    std::optional<int64_t> end_again_ms = std::nullopt;  // its end was asked for
    bool overdue = false;
  };
  Notified& notify(const ReclaimVictim& victim, int64_t now_ms, ReclaimSteps& steps);

  std::map<std::string, Notified> notified_;
};

}  // namespace leasehold::agent
