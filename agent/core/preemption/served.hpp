// Served: shapes of waiting work for which others' work was ended (preemption.hpp), and which of
// them have not started since. Such a shape waits before anything ends for it again, and twice as
// long each time: it may wait for something that its workload manager does not report. Pure.
//
// A shape has started once work of its session, at least as wide as its tasks, runs that began
// after others' work was ended: it is forgotten then. A shape of which nothing waits any more is
// forgotten when its waiting time is over.
//
// For a restart of the agent the caller calls save() before the work ends, and restored()
// afterwards; times are kept as in ReclaimTimeline (reclaim.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "agent/core/preemption/preemption.hpp"
#include "agent/core/work/work_session.hpp"
#include "common/time/instant.hpp"

namespace leasehold::agent {

/// A shape that waits, as it is kept on disk.
struct SavedServed {
  ShapeKey shape = {};
  Instant since = {};  // when others' work was ended for it last, by the workload manager's clock
  int64_t wait_ms = 0;
  int64_t left_ms = 0;  // of the wait; below 0: it was over for so long
  int64_t at_ms = 0;    // when that was so
  bool operator==(const SavedServed&) const = default;
};

class Served {
 public:
  /// By then a scheduler has placed work on slots that came free.
  static constexpr int64_t kFirstWaitMs = 60'000;
  static constexpr int64_t kLongestWaitMs = 64 * kFirstWaitMs;

  /// Forgets shapes that have started or wait no more: work as wide of the session began, or fewer
  /// of its tasks wait, for a task of an array may run as a session of its own. True: it forgot
  /// some.
  bool look(std::span<const WorkUnit> units, const WorkSessions& sessions, int64_t now_ms);
  /// Notes that work ends for these, at `now` by the clock of WorkUnit::started. Returns the shapes
  /// for which some was ended before, in vain, with how long they wait now.
  std::map<ShapeKey, int64_t> note(std::span<const Preemption> chosen, Instant now, int64_t now_ms);
  /// Returns the shapes for which nothing ends yet.
  std::set<ShapeKey> backing_off(int64_t now_ms) const;

  std::vector<SavedServed> save(int64_t now_ms) const;
  static Served restored(std::span<const SavedServed> saved, bool same_boot, int64_t now_ms);

  bool operator==(const Served&) const = default;

 private:
  struct Wait {
    Instant since;
    int64_t wait_ms = 0;
    int64_t until_ms = 0;
    int64_t tasks = 0;  // of the shape that waited at the last look; 0: not seen yet
    bool operator==(const Wait&) const = default;
  };

  std::map<ShapeKey, Wait> waits_;
};

}  // namespace leasehold::agent
