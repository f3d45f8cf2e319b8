// State: all the broker knows, as one value. Changed by step() alone; kept in the database by
// broker/store/store.hpp; read by evaluation, views and replay.
//
// Indices (uint32_t) are positions in State's vectors: clusters and groups are never moved or
// reused while the process lives; a closed group stays as a tombstone until the next start.
// Members are durable, in the database, unless they are marked. Those marked `derived` are made
// from the others. Those marked `reset at start` are reset by BrokerStarted, on a restart and in a
// replay alike, so that both go on from the same state; turn/restart.hpp says what a warm start
// keeps.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "broker/core/model/cluster.hpp"
#include "broker/core/model/config.hpp"
#include "broker/core/model/containers/copy_ptr.hpp"
#include "broker/core/model/containers/index_set.hpp"
#include "broker/core/model/containers/inline_vector.hpp"
#include "broker/core/model/effect.hpp"
#include "broker/core/model/lease_summary.hpp"
#include "broker/core/model/shadow.hpp"
#include "broker/core/model/slots/allocation.hpp"
#include "broker/core/model/slots/holding.hpp"
#include "broker/core/model/slots/holding_index.hpp"
#include "broker/core/model/slots/numbers.hpp"
#include "broker/core/model/slots/transfer.hpp"
#include "broker/rules/demand_aware/ledger.hpp"
#include "common/large_pages.hpp"
#include "common/reason.hpp"
#include "common/time/instant.hpp"
#include "common/tokens.hpp"
#include "common/wire/message.hpp"

namespace leasehold {

/// `inactive`: a release of the lease's slots is under way.
enum class Phase : uint8_t { offered = 0, active = 1, inactive = 2, draining = 3, closed = 4 };
constexpr auto tokens_of(Phase) {
  using enum Phase;
  return tokens<Phase>({{offered, "offered"},
                        {active, "active"},
                        {inactive, "inactive"},
                        {draining, "draining"},
                        {closed, "closed"}});
}

/// A group's row of one host. The position of the row in the group is its number on the wire, for
/// good. Other groups may have rows of the same host.
///
/// The ledger is these numbers, Holding::held and Holding::due. Only these change it:
///
/// | lower_to_stated (agents/reported.cpp)        | held -> in_transfer: a statement            |
/// | return_slots (agents/expiry.cpp)             | the same: a lease expired, `forget`         |
/// | grant, grant_unallocated (ledger/claims.hpp) | in_transfer, unallocated -> held            |
/// | grant_dues (ledger/claims.hpp)               | the same; in_transfer <-> unallocated       |
/// | raise_exports, drop_surplus_exports          | exported and just_exported, with the        |
/// | (ledger/export_counts.hpp)                   | provider's held; unallocated slots leave    |
/// | set_ledger (agents/quarantine.cpp)           | held, in_transfer, unallocated and          |
/// |                                              | just_exported, as members state             |
/// | agents/stated_exports.cpp                    | in quarantine: exported, and with it        |
/// |                                              | in_transfer, unallocated, held and          |
/// |                                              | just_exported                               |
/// | exports/reconcile.cpp                        | target                                      |
/// | ledger/clamp_dues.cpp                        | just_exported -> 0, when its use is known   |
///
/// Only these change Holding::due, of a plan's members:
///
/// | ledger/clamp_dues.hpp                        | before an evaluation: to what members can   |
/// |                                              | have; the provider's: to what it uses       |
/// | change_due (plan/cycle.cpp)                  | moves that the evaluation decided           |
/// | leave_row (plan/unneeded.cpp)                | less: slots that a leaf does not need       |
/// | plan/owner_hosts.cpp                         | from borrowers to the owner's waiting job   |
/// | ledger/renominate.cpp                        | to other hosts, by what an agent chose      |
/// | stand_for (exports/plan_groups.cpp)          | -> 0: the member is no leaf any more        |
struct HostLedger {
  uint32_t host = 0;        // in the provider's Cluster::hosts
  int32_t exported = 0;     // durable: held by members + in transfer + unallocated
  int32_t target = 0;       // durable: what the configuration wants exported
  int32_t in_transfer = 0;  // durable
  int32_t unallocated = 0;  // durable; of a plan: nobody's, and nobody may use them
  /// Durable; of a plan: exported and with the provider, but what runs there is not known yet.
  int32_t just_exported = 0;
};

/// One member of a group. Member 0 is the provider. In a lease member 1 is the consumer; in a
/// resource plan the others are the clusters of its leaves, and the provider may be one of those
/// too.
struct Member {
  uint32_t cluster = 0;
  uint32_t plan_consumer =
      kNoIndex;      // durable; of a plan: in ResourceGroupLedger::consumers; kNoIndex: no leaf
  uint64_t seq = 0;  // durable: of the last order to (group, cluster)
  // reset at start, but for ever_used, order_index and window_ends
  uint64_t seq_stated = 0;         // seq of its last statement in the present session
  Instant ordered_at;              // when the last order was issued
  int32_t breach = 0;              // slots it uses above its limits, as it states
  uint32_t order_index = 0;        // in Effects::orders, to be checked: that batch may be over
  bool ever_used = false;          // durable
  bool known_since_start = false;  // since then it said hello or expired, or it is new
  bool trusted = false;   // it has no more than it stated: no order on its way can raise it
  bool reported = false;  // a report of the present session named the group
  /// Orders that this member was sent are unknown: another member has shown that the group's ledger
  /// is an older one, or of a provider an operator's word stands for its statement. Until its own
  /// has come nothing of it returns by itself, and of a provider nothing counts as free.
  bool doubted = false;
  bool chooses = false;  // its last order had sets, which the next one replaces
  /// Durable: it starts nothing more on the group's hosts, because its work might outlast the
  /// policy's window (queries/horizons.hpp).
  bool window_ends = false;
};

// Sized in place for a lease, which usually has one host. A holding stands at [row * members +
// member].
using Members = InlineVector<Member, 2>;
using HostLedgers = InlineVector<HostLedger, 1>;
using Holdings = InlineVector<Holding, 2>;

inline constexpr uint8_t kProvider = 0;
inline constexpr uint8_t kConsumer = 1;

/// One slot group: the ledger of one export policy with one consumer (a lease), or with all leaves
/// of a plan. Rare parts are boxed, so that the common case stays small.
struct SlotGroup {
  // An evaluation that finds another reason writes the members from here to `numbers`, so they stay
  // first and side by side: of a group that is only recorded lease/prefetch.hpp fetches no more.
  uint32_t grid = 0;
  Phase phase = Phase::offered;
  Reason reason = Reason::none;        // of the last evaluation
  bool dirty = false;                  // not yet written by the store
  bool quarantined = false;            // reset at start
  uint64_t epoch = 0;                  // rises with each change of the ledger
  Instant evaluated_at{INT64_MIN};     // when `reason` was recorded
  Numbers numbers;                     // of the last recorded evaluation
  uint64_t generation = 0;             // never given to another group
  uint32_t policy = kNoIndex;          // index in State::policies (kept when the policy is gone)
  uint32_t resource_group = kNoIndex;  // durable; in State::resource_groups; kNoIndex: a lease
  Instant since;                       // of the phase
  Instant last_flip{INT64_MIN};
  int64_t flips = 0;
  Members members;
  Holdings holdings;
  HostLedgers hosts;
  bool breach = false;  // reset at start: someone uses or states more than it was given
  Transfers transfers;
  mutable CopyPtr<HoldingIndex> holding_index;  // derived; of a plan: holding_index(group)
  CopyPtr<Shadow> shadow;                // of a lease whose policy has one, once it was asked
  CopyPtr<demand_aware::Ledger> demand;  // of a lease under demand-aware, once it was evaluated

  /// Returns the holding for a change. In a plan's group it counts as changed, even if it is only
  /// read: who only reads calls std::as_const(group).at().
  Holding& at(size_t row, size_t member) {
    const size_t place = row * members.size() + member;
    if (holding_index) holding_index->touch(holdings[place], place);
    return holdings[place];
  }
  const Holding& at(size_t row, size_t member) const {
    return holdings[row * members.size() + member];
  }
};

/// A policy that has, or had, groups. `config` is the one in force, or the last one that was.
struct PolicyState {
  ExportPolicy config;
  bool configured = false;  // named by the configuration in force
  bool open = true;         // inside its windows
  bool chosen = false;      // `select`: the hosts were chosen
  uint32_t provider = kNoIndex;
  /// The slots that the policy gives each share of the distribution; durable for `select`. Not what
  /// a plan's members are due (Holding::due).
  Allocation allocation;
};

/// Slots that a consumer borrowed, by lender.
struct LentSlots {
  uint32_t lender = kNoIndex;  // in ResourceGroupLedger::consumers
  int64_t slots = 0;
  bool operator==(const LentSlots&) const = default;
};

/// Positions in `numbers`: a plan's last recorded evaluation of one consumer.
enum class ConsumerNumber : uint8_t { demand, allocated, quota, borrowed, lent, shared };

/// A leaf was given slots for its waiting work, and some shapes left such slots unused.
struct PlanWork {
  demand_aware::Ledger grants;  // the leaf is its consumer
  int64_t beside = 0;           // slots that it had idle besides at the last grant, for no work
};

/// A consumer of a plan as it is carried out: a node of the tree. Kept when it leaves the plan.
struct PlanConsumerLedger {
  std::string path;
  bool configured = false;           // named by the plan in force
  uint32_t priority = 0;             // derived: place among the leaves; kNoIndex: no leaf
  Reason reason = Reason::none;      // of the last recorded evaluation
  std::array<int64_t, 6> numbers{};  // of the same, by ConsumerNumber
  Instant evaluated_at{INT64_MIN};   // when those were recorded
  std::vector<LentSlots> loans;      // ownership: what it borrowed, by lender
  // Anti-flap.
  Instant gained_at{INT64_MIN};      // when it last gained slots
  Instant backoff_until{INT64_MIN};  // it gets nothing before
  int32_t backoffs = 0;              // reclaims in a row that made it wait
  CopyPtr<PlanWork> work;            // of a leaf that was given slots for shapes of work
};

/// Counts how often slots went to and fro between two consumers of a plan (anti-flap).
struct PairFlips {
  uint32_t from = 0;  // in ResourceGroupLedger::consumers; of the last move
  uint32_t to = 0;
  int64_t flips = 0;  // moves against the direction of the one before
  Instant moved_at;
  int32_t in_a_row = 0;  // flips since the pair last stayed as it was for long
};

struct ReadyPlan;  // queries/ready_plan.hpp

/// A resource group as it is carried out. `name` finds its ResourceGroup in the configuration.
/// Its slots lie in one slot group per export policy (SlotGroup::resource_group).
struct ResourceGroupLedger {
  std::string name;
  bool configured = false;
  uint32_t variant = 0;  // durable: of the plan, at the last evaluation
  uint32_t grid = 0;
  std::vector<PlanConsumerLedger> consumers;  // by first mention; positions stay
  std::vector<PairFlips> pairs;
  Instant evaluated_at{INT64_MIN};
  bool evaluate_flag = false;  // reset at start: something changed since
  /// Reset at start: when idle slots go to demand that a report showed, or the time of a grant or
  /// of a back-off ends.
  Instant react_at = kNever;
  bool dirty = false;  // not yet written by the store
  // derived
  std::vector<uint32_t> slot_groups;             // slot groups that are not closed, as declared
  std::unordered_map<uint64_t, size_t> pair_at;  // place in `pairs`, by both consumers
  int64_t grace_most_ms = 0;                     // of any consumer, in any window
  std::shared_ptr<const ReadyPlan> ready;        // the plan in force; nullptr: none is
};

/// An evaluation schedule, of all groups evaluated at the same instants: anchor + k * delay.
struct Grid {
  int64_t delay_ms = 0;
  Instant anchor;
  Instant next = kNever;  // set at a start
  Instant last{INT64_MIN};
  IndexSet changed;  // groups to look at: an unchanged one cannot decide otherwise
  /// An evaluation of very many takes several steps: those below have had their turn. 0: none is
  /// under way.
  uint32_t cursor = 0;
};

inline constexpr uint64_t kToReact = 0;  // no transfer has that number

struct Deadline {
  Instant at;
  uint32_t group = 0;
  uint64_t transfer = 0;  // kToReact: of the group's demand_aware::Ledger
};

/// A group whose lost member's slots are yet to return: so many end at once that they take turns.
struct Returning {
  uint32_t group = 0;
  uint32_t cluster = 0;
  Reason reason = Reason::none;
};

struct State {
  BrokerConfig config;
  ResolvedWindows windows;
  Instant started;           // reset at start: of this process
  Instant now;               // of the last event
  uint64_t incarnation = 0;  // reset at start
  uint64_t generation_next = 0;
  uint64_t transfer_next = 1;
  bool frozen = false;
  OrderInForce freeze_order;                 // where frozen
  std::optional<OrderInForce> freeze_ahead;  // begins at its `from`, as if it were given then
  std::vector<Cluster> clusters;
  std::vector<PolicyState> policies;
  std::vector<ResourceGroupLedger> resource_groups;
  LargeVector<SlotGroup> slot_groups;   // declaration order, then creation
  LargeVector<LeaseSummary> summaries;  // derived: of slot_groups[i]; beyond its end: stale
  std::vector<Grid> grids;
  std::vector<Deadline> deadlines;   // a heap, soonest first; entries may be out of date
  std::vector<Returning> returning;  // reset at start; first come, first served
  uint32_t returned = 0;             // reset at start: how many of `returning` are done
  Instant returning_next = kNever;   // reset at start: when the next ones have their turn
  uint64_t generation_base = 0;      // groups_by_generation[g - base] = index
  std::vector<uint32_t> groups_by_generation;
  std::unordered_map<std::string, uint32_t> cluster_index;
  std::unordered_map<std::string, uint32_t> policy_index;
  Instant expiry_next = kNever;          // derived: the soonest Cluster::expires_at
  Instant window_next = kNever;          // derived: when a policy next opens or closes
  Instant operator_order_next = kNever;  // derived: when an order next ends, or a freeze begins
  Instant horizon_next =
      kNever;                   // derived: when a reservation or a window's end next closes a host
  uint32_t groups_waiting = 0;  // derived: groups that wait for slots another export still has
  std::vector<uint32_t> stale_summaries;  // derived: to be rebuilt when the step ends
  // The store has not yet written these.
  std::vector<uint32_t> dirty_groups;
  bool dirty_clusters = false;
  bool dirty_config = false;
  bool dirty_resource_groups = false;  // of any ResourceGroupLedger
};

/// Returns the cached summary of a lease; nullptr: it is stale, and the group has to be read.
inline const LeaseSummary* fresh_summary(const State& state, uint32_t group) {
  return group < state.summaries.size() && !state.summaries[group].stale ? &state.summaries[group]
                                                                         : nullptr;
}

/// These return the index, or kNoIndex if there is none.
uint32_t find_cluster(const State& state, const std::string& name);
uint32_t find_policy(const State& state, const std::string& name);
uint32_t find_slot_group(const State& state, uint64_t generation);
uint32_t find_resource_group(const State& state, const std::string& name);

/// One lease: a slot group with one of its members that is not the provider (of a plan it may be
/// the provider too: slots of its own that it has as a leaf).
struct LeaseRef {
  uint32_t group = kNoIndex;
  uint32_t member = kNoIndex;
};
/// Returns the newest lease of that id; group kNoIndex: there is none.
LeaseRef find_lease_member(const State& state, const std::string& id);
/// Returns the newest group of a lease id, or kNoIndex.
uint32_t find_lease(const State& state, const std::string& id);
/// Returns "<policy>:<consumer>" for a lease. For a plan: "<resource group>:<path>", with
/// "@<policy>" if its slots come from several export policies; with kNoIndex all its members,
/// without path.
std::string lease_id(const State& state, const SlotGroup& group, uint32_t member);
std::string lease_id(const State& state, const SlotGroup& group);
/// Returns lease_id and ".<generation>".
std::string group_id(const State& state, const SlotGroup& group);
/// Returns the member that is `cluster`, or kNoIndex.
uint32_t member_of(const SlotGroup& group, uint32_t cluster);
int32_t slots_of(const Wanted& wanted);
int32_t in_transfer(const SlotGroup& group);
int32_t unallocated(const SlotGroup& group);
int32_t exported(const SlotGroup& group);

}  // namespace leasehold
