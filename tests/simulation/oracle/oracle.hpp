// Oracle: checks what must always hold (schema/wire/PROTOCOL.md, "What always holds"), after
// everything that happens in a world. It sees the truth, as nobody in the site can: what workload
// managers really enforce and jobs really use, agents' limits, the ledger. It never changes
// anything.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/simulation/world.hpp"
#include "tests/support/plan_work_checks.hpp"

namespace leasehold::simulation {

enum class Invariant : uint8_t {
  slot_twice,             // 1: enforced or used beyond what the host has, or what is unallocated
  enforced_above_limit,   // 1: enforced <= limit durable at the agent
  limit_changed_unasked,  // 4: without a new order, an open lowering or a new session
  limit_above_held,       // 1: <= held in the ledger
  ledger_sum,   // 2: held + in transfer + unallocated = exported; cached totals; order numbers
  slot_lost,    // 2: after the faults, every slot is with a member that may use it
  number_fell,  // epochs and order numbers rise
  no_inactive_phase,  // a flip's slots pass through the inactive phase
  inactive_too_long,  // with both sides connected
  forgotten,          // 4: an order that an agent has is not in the database
  granted_in_breach,  // 1: while a member uses too many
  drained_gained,     // 4: slots of a drained provider, or for a drained consumer
  down_host_filled,   // 1: others have no room for new work on a host that is down at its owner
  no_reason,          // 6: every decision has one
  history_differs,    // 5: replay gives another result, or the chain is broken
  world_not_quiet,    // 7: something was written or sent though nothing changed
  stopped_by_others,  // 4: a cluster that is no member of a group puts it into quarantine
  host_split,         // both sides got parts of a host that moves as a whole
  took_turns,         // 4: a copy of a state file greets while its first user is connected
  granted_in_vain,    // by demand: no waiting work fits on what was moved
  granted_too_soon,   // by demand: to a member that left such a grant unused and has to wait
  kept_unused,        // by demand, or for a plan's leaf: nobody uses it, and it does not go back
  two_lead,           // heartbeats are answered by a broker that no longer leads
  leader_fell,        // an agent follows a leadership that is not above what it has seen
  indivisible_split,  // 1: a host that may not be split has two holders, or a part of it was lent
  horizon_filled,     // granted where started work may outlast a coming reservation
  ended_in_vain,      // work was ended for waiting work that could not start; in a plan, too
  ended_too_soon,     // before the announced time was over
  work_lost,          // what had to end is not queued again
  own_host_closed,    // though no order named it: its name could be another's
  others_host_open,   // before an order gave a slot of it
  asleep_lent,        // 1: slots of a host that is off are on their way to another cluster
  work_on_off_host,   // 1: of another cluster
  woken_too_soon,     // a host that did not come up, or was lent nothing then
  never_woken,        // 2: after the faults, while work waits that it would be lent for
};
inline constexpr size_t kInvariants = static_cast<size_t>(Invariant::never_woken) + 1;
const char* token(Invariant invariant);

struct Violation {
  Invariant invariant = Invariant::slot_twice;
  std::string what;
  int64_t at_ms = 0;
};

class Oracle : public Observer {
 public:
  explicit Oracle(World& world) : world_(world) {}

  /// Returns the first violation.
  const std::optional<Violation>& violation() const { return violation_; }
  void check_slots();  // called after every event
  /// The faults have stopped: from here on slots must get to their holders
  /// (schema/wire/PROTOCOL.md, "No slot lost").
  void begin_liveness();
  void check_lost();  // called when the time for that is over
  /// Called when work has waited for long without faults.
  void check_woken();
  void violated(Invariant invariant, const std::string& what);

  void recorded(std::span<const Record> batch) override;
  void broker_stepped() override;
  void agent_stepped(const SimulatedCluster& cluster) override;
  void broker_sent(const BrokerProcess& broker, std::span<const uint8_t> bytes) override;
  void note(const std::string& what) override;
  /// Receives notes; unset: they are dropped.
  std::function<void(const std::string&)> trace;
  int64_t checks = 0;
  int64_t orders_seen() const { return orders_; }

 private:
  struct GroupMemory {
    uint64_t epoch = 0;
    Phase phase = Phase::offered;
    bool quarantined = true;
    bool breach = false;
    bool gift = false;     // slots are on their way that need no inactive phase (offers, returns)
    bool drained = false;  // its provider's exports are drained
    int64_t room_down_since_ms = -1;  // for new work of others, on a host that is down
    std::vector<int32_t> consumer_held;
    std::vector<int32_t> in_transfer;
    std::vector<bool> split;  // rows of a lease of whole hosts of which both sides have a part
    std::vector<int32_t> exported;
    std::vector<bool> whole;                        // rows that move whole
    std::vector<bool> indivisible;                  // rows of hosts that may not be split
    std::vector<std::vector<int32_t>> held;         // of those rows, by member
    std::vector<std::vector<int32_t>> closed_held;  // by row and member; -1: not closed to it
    int64_t inactive_since_ms = -1;                 // with both sides connected all the time
    std::optional<demand_aware::Ledger> demand;
    int32_t sent_back = 0;               // slots of an unused grant, this turn
    int64_t unused_since_ms = -1;        // likewise, beyond the time of a grant
    std::array<uint64_t, 2> sessions{};  // of its members, since then
    bool converged = false;              // since begin_liveness()
    std::vector<bool> off;               // rows of hosts that are switched off
    uint64_t last_transfer = 0;
  };
  /// It stands for an agent's own memory of the hosts that it had switched on.
  struct WakeMemory {
    struct Tried {
      int64_t at_ms = 0;
      int64_t wait_ms = 0;  // until the next time
    };
    int64_t starts = 0;
    size_t seen = 0;  // of wake_calls()
    std::map<std::string, Tried> tried;
  };
  /// Slots of a lease that were moved to the consumer for its work and have been idle there since.
  struct Moved {
    struct Slots {
      int32_t slots = 0;
      int64_t use_by_ms = 0;
    };
    std::vector<Slots> unused;   // the oldest first
    uint64_t last_transfer = 0;  // the last one that brought some
    int32_t held = 0;            // by the consumer, the turn before
  };
  /// The limits on one place, over all groups, in the agent's state file.
  struct Limits {
    bool known = false;
    std::map<std::string, int32_t> slots;
  };

  struct GroupLimitsMemory {
    agent::GroupLimits limits;
    /// By row, under this order: a lowering was open when no later order was being applied.
    std::vector<bool> lowering;
  };

  std::string line_of(const Record& row) const;
  std::string rows_of(const SlotGroup& group) const;
  void check_remembered(const State& state);
  void doubt(uint32_t cluster);
  void note_batch(const State& state, const Record& row);
  int32_t taken(const ClusterWorkload& workload, const Place& place) const;
  void check_host(const SimulatedCluster& owner, const Place& host);
  std::string taken_by_others(const SimulatedCluster& owner, const std::string& host) const;
  int32_t unallocated_on(const std::string& host, int32_t slots) const;
  void note_unallocated(const State& state);
  void check_group(const State& state, const SlotGroup& group, GroupMemory& memory);
  void check_drained(const State& state, const SlotGroup& group, const GroupMemory& memory,
                     int32_t rose);
  bool may_have_room(const std::string& cluster, uint64_t generation, uint32_t row) const;
  bool has_room_down(const State& state, const SlotGroup& group) const;
  void check_down(const State& state, const SlotGroup& group, GroupMemory& memory);
  void check_whole(const State& state, const SlotGroup& group, GroupMemory& memory);
  void check_indivisible(const State& state, const SlotGroup& group, GroupMemory& memory);
  void check_off(const std::string& host, const SimulatedCluster& borrower, int32_t used);
  void check_asleep(const State& state, const SlotGroup& group, GroupMemory& memory);
  void check_wakes(const SimulatedCluster& cluster);
  static void forget_wakes(const SimulatedCluster& cluster, WakeMemory& memory);
  void check_horizons(const State& state, const SlotGroup& group, GroupMemory& memory);
  void check_inactive(const State& state, const SlotGroup& group, GroupMemory& memory);
  void check_demand(const State& state, const SlotGroup& group, GroupMemory& memory);
  void check_grant(const State& state, const SlotGroup& group);
  void check_back_offs(const State& state, const SlotGroup& group, const GroupMemory& memory);
  void check_unused(const State& state, const SlotGroup& group, GroupMemory& memory);
  void note_moved(const State& state, const SlotGroup& group);
  int32_t kept_in_vain(const State& state, const SlotGroup& group) const;
  void check_unasked(const SimulatedCluster& cluster, const agent::Agent& agent);
  bool may_change(const GroupLimitsMemory& before, const agent::GroupLimits& now, size_t row,
                  bool configured) const;
  static void remember(GroupLimitsMemory& memory, const agent::GroupLimits& now);
  void check_enforced(const SimulatedCluster& cluster, const agent::Agent& agent);
  void check_held(const State& state, uint32_t cluster, const agent::Agent& agent);
  void check_peers(const State& state);
  void check_followed(const SimulatedCluster& cluster);
  void check_work(const SimulatedCluster& cluster);
  void check_plans(const State& state);
  void check_end(const SimulatedCluster& cluster, const EndedJob& job);
  static bool all_connected(const State& state, const SlotGroup& group);
  bool overused() const;
  bool converged(const State& state, const SlotGroup& group) const;

  World& world_;
  std::optional<Violation> violation_;
  std::unordered_map<uint64_t, GroupMemory> groups_;
  std::unordered_map<uint64_t, Moved> moved_;  // by generation; they outlast restarts
  struct AgentMemory {
    uint64_t session = 0;
    uint64_t configuration = 0;
    std::map<uint64_t, GroupLimitsMemory> groups;
  };
  std::map<std::string, AgentMemory> agents_;
  std::map<std::string, WakeMemory> wakes_;   // by cluster
  std::map<std::string, size_t> ended_seen_;  // of each cluster's ended()
  struct Unallocated {
    int32_t slots = 0;
    int32_t host_slots = 0;  // as the broker knows the host
  };
  std::map<std::string, Unallocated> unallocated_;  // by "host@provider"
  std::vector<uint64_t> seq_;
  /// The values after the turn before, in one start of the core.
  struct PeerMemory {
    uint64_t incarnation = 0;
    std::map<uint64_t, bool> quarantined;           // by generation
    std::map<uint32_t, wire::Identity> identities;  // by cluster
    std::vector<uint32_t> database_older;           // clusters that showed it, this turn
    std::vector<uint32_t> quarantine_over;          // groups, this turn
  };
  PeerMemory peers_;
  int64_t reign_ = 0;
  struct Followed {
    agent::Leadership highest;
    int64_t starts = 0;
  };
  std::map<std::string, Followed> followed_;  // by cluster
  int64_t begun_ = 0;
  test::PlanWorkWatch plan_work_;
  bool live_ = false;
  int64_t orders_ = 0;
};

}  // namespace leasehold::simulation
