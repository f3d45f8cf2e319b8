// UsageCount: whose work used the slots that the cluster borrows: slot-milliseconds of each slot
// group by session, user and account, closed by the hour of the wall clock and numbered.
//
// Counting stays right:
//  1. Each look counts, for each group, the slots in use times the time to the next look: the
//  total.
//  2. Each list of work counts each running job's slots there, from the list before, or from the
//     job's start, to this one: its key's part. The total's rest is others': work that began and
//     ended between two lists, and that of keys beyond kKeysMost.
//  3. Work of which the workload manager names no user is unnamed.
//  4. All of it is on disk once a minute, and before anything of it is said.
//  5. The agent dies: the next one goes on from what was saved. Jobs that still run are counted
//     from then by its first list, as if no agent had died. A total goes on with the lower of the
//     use before and after. What began and ended meanwhile is lost. Nothing is counted twice: no
//     second is in two lists.
//  6. A gap longer than kGapMostMs counts as kGapMostMs: the wall clock alone measures it.
//  7. At each full hour, and when its group is gone, what is counted is closed under the next
//     number, in the same transaction that begins the next count with nothing.
//  8. What is closed is said with heartbeats until a broker answers that its number is recorded,
//     and never changes: said again, it is the same.
//  9. The broker answers so only when the commit is done. It dies before: nothing was answered, and
//     the agent says it again. It dies between commit and answer: it is recorded a second time.
// 10. Whoever adds up (broker/views/clusters/used_by.hpp) takes each number of an agent's state
//     once.
// 11. A copy of the state that is older than what is recorded jumps to the number that the broker
//     answers, and forgets what it counts: that is recorded already. A new state counts from 1,
//     under another state_id.
// 12. A broker that records none gets none; the newest kClosedMost are kept for another.
//
// Pure: agent/io asks the workload manager and keeps the file.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agent/core/limits/book.hpp"
#include "agent/core/work/work_session.hpp"
#include "agent/core/work/work_unit.hpp"
#include "common/time/instant.hpp"
#include "common/wire/message.hpp"

namespace leasehold::agent {

struct UsageKey {
  std::string session;
  std::string user;
  std::string account;
  auto operator<=>(const UsageKey&) const = default;
};

/// The count of one group that is not closed yet.
struct OpenUsage {
  uint64_t generation = 0;
  int64_t since_ms = 0;    // by the wall clock
  int64_t counted_ms = 0;  // so long
  int64_t slots = 0;       // in use at the last look
  int64_t total_slot_ms = 0;
  std::map<UsageKey, int64_t> slot_ms = {};
  bool operator==(const OpenUsage&) const = default;
};

struct SavedUsage {
  std::vector<OpenUsage> open;
  std::vector<wire::UsedSlots> closed;  // that the broker may not have recorded
  uint64_t last_number = 0;
  int64_t saved_ms = 0;                             // by the wall clock
  std::optional<Instant> listed_at = std::nullopt;  // the last list, by the clock of WorkList::now
  bool operator==(const SavedUsage&) const = default;
};

/// One moment by the clocks of the machine.
struct UsageMoment {
  int64_t wall_ms = 0;
  int64_t boottime_ms = 0;
};

class UsageCount {
 public:
  static constexpr size_t kKeysMost = 512;  // of one group in one hour
  static constexpr size_t kClosedMost = 1'000;
  static constexpr uint64_t kNumberMost = uint64_t{1} << 53;  // no count is closed under more
  static constexpr int64_t kGapMostMs = int64_t{24} * 3'600'000;
  static constexpr int64_t kHourMs = 3'600'000;

  /// Goes on with what an agent before counted.
  void restore(SavedUsage saved, UsageMoment now);

  /// Takes a good look: `use` has one entry a group of the book, in its order.
  void look(const Book& book, const std::vector<GroupUse>& use, UsageMoment now);
  /// Takes a list of all work, after that look.
  void list(const Book& book, const std::vector<GroupUse>& use, std::span<const WorkUnit> units,
            const WorkSessions& sessions, Instant list_now, UsageMoment now);
  /// True if anything is counted.
  bool any_open() const { return !kept_.open.empty(); }
  /// True if something is to be closed: a list should come first.
  bool close_due(const Book& book, UsageMoment now) const;
  /// Returns how many counts are lost by it: above kClosedMost the oldest go.
  size_t close(const Book& book, UsageMoment now);

  /// Returns what the broker has not recorded, in order of the numbers, at most kUsedSlotsMost.
  std::vector<wire::UsedSlots> unreported() const;
  /// Notes that the broker has recorded all up to this number, which may be above what an older
  /// copy of the agent's state knows of. True: something changed.
  bool recorded(uint64_t number);
  /// Returns all of it as it is to be kept.
  SavedUsage save(UsageMoment now) const;

 private:
  OpenUsage& begin(uint64_t generation, UsageMoment now);
  void close(const OpenUsage& open);

  SavedUsage kept_;
  std::optional<int64_t> looked_ms_;  // CLOCK_BOOTTIME, as the next
  std::optional<int64_t> listed_ms_;
  bool restored_ = false;  // no look was taken since
};

}  // namespace leasehold::agent
