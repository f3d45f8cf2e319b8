// The messages between broker and agent, as values. Their bytes are in codec.hpp and schema/wire/.
// Nothing here decides anything. Slots are counts; `*_ms` are milliseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/reason.hpp"
#include "common/tokens.hpp"
#include "common/wire/clock_reading.hpp"
#include "common/wire/demand.hpp"
#include "common/wire/division.hpp"
#include "common/wire/ended_work.hpp"
#include "common/wire/heartbeat_answer.hpp"
#include "common/wire/horizon.hpp"
#include "common/wire/not_up.hpp"
#include "common/wire/used_slots.hpp"

namespace leasehold::wire {

/// Raised if an old reader could misunderstand a new message; new fields alone do not raise it.
inline constexpr int kVersion = 1;

/// The highest epoch. It numbers the leadership of one of several brokers on one database, from 1
/// to this (a signed column and a double hold it). `incarnation`, drawn when it began,
/// distinguishes two with one number. A broker with a database of its own has no epoch.
inline constexpr uint64_t kEpochMost = uint64_t{1} << 53;

/// The ways in which slots above an order's limit are given up (schema/wire/PROTOCOL.md, "Kinds of
/// lowering").
enum class Lowering : uint8_t {
  release = 0,  // idle slots only, now; closed by its first answer
  reclaim = 1,  // with grace, then work is ended; stays open
  shrink = 2,   // as jobs end, no refill, no time limit; stays open
};
constexpr auto tokens_of(Lowering) {
  using enum Lowering;
  return tokens<Lowering>({{release, "release"}, {reclaim, "reclaim"}, {shrink, "shrink"}});
}

/// One host of one slot group as an agent sees it. `host` is its position in the group's
/// configuration (stable for the group's life). limit and used are slots of the group, >= 0.
struct HostState {
  uint32_t host = 0;
  int32_t limit = 0;  // durable at the agent
  int32_t used = 0;   // attributed to the group, up to its limit
  bool up = false;    // this side's workload manager may run work there
  /// For a provider: slots that it counts as the group's; -1: as the configuration says.
  int32_t exported = -1;
  /// For a consumer: what its workload manager says of the host. A provider says it in HostFacts.
  Division division = Division::unsaid;
  bool operator==(const HostState&) const = default;
};

/// One slot group as an agent sees it; its hosts are `first .. first+count` of the block's rows.
struct GroupState {
  uint64_t generation = 0;
  uint64_t seq = 0;        // the highest order applied
  bool ever_used = false;  // sticky: a job of this cluster ran on a slot of the group
  int32_t breach = 0;      // slots in use above every limit on hosts of the group
  uint32_t first = 0;
  uint32_t count = 0;
  bool operator==(const GroupState&) const = default;
};

/// States of many groups in two flat rows. A host absent from its group is unknown to the agent.
struct StateBlock {
  std::vector<GroupState> groups;
  std::vector<HostState> hosts;

  std::span<const HostState> hosts_of(const GroupState& group) const {
    return std::span(hosts).subspan(group.first, group.count);
  }
  void clear() {
    groups.clear();
    hosts.clear();
  }
  bool operator==(const StateBlock&) const = default;
};

/// broker -> agent, the answer to a message of an unknown session: asks for a hello with its echo.
struct Welcome {
  uint64_t incarnation = 0;  // random, drawn at each start of the broker and for each leadership
  std::string broker;
  std::string program_version;
  std::optional<uint64_t> epoch = std::nullopt;   // of the leadership with that incarnation
  std::optional<int64_t> sent_ms = std::nullopt;  // by the broker's clock; an older broker lacks it
};

/// Lists what an adapter can fence besides slots.
struct Fences {
  bool memory = false;
  bool swap = false;
  bool resources = false;
  bool operator==(const Fences&) const = default;
};

/// Identifies an agent's machine, process and state file, so that a copy of a state file shows.
struct Identity {
  std::string machine;   // a hash of the machine's id; "": unknown, from an older release
  std::string boot;      // the kernel's boot id: it changes with each boot
  uint64_t file = 0;     // the state file's inode number: a copy has another
  uint64_t process = 0;  // random, drawn when the process starts
  bool operator==(const Identity&) const = default;
};

/// The settings by which a cluster chooses the work that ends, for people. "": the agent does not
/// say.
struct Scheduling {
  std::string policy;  // the tokens of its [scheduling] table
  std::string criteria;
  std::string preemption_scope;
  std::string reclaim_optimization;
  bool selective_reclaim = false;
  bool operator==(const Scheduling&) const = default;
};

/// agent -> broker: opens a session.
struct Hello {
  std::string cluster;
  uint64_t incarnation = 0;
  uint64_t state_id = 0;  // random, made with the agent's state file
  uint64_t boot = 0;      // durable, +1 at each start and each new session
  uint64_t session = 0;   // random, fresh for each hello
  // false: the state file was lost, and the limits below were found enforced
  bool has_state = true;
  std::string program_version;
  std::string workload;  // "simulated", "slurm", …
  bool self_expiring = false;
  Fences fences;
  int64_t settle_ms = 0;
  StateBlock state;      // every group of which it holds a limit
  int64_t lease_ms = 0;  // as in Report
  Identity identity;
  int64_t wall_ms = 0;   // its machine's wall clock, since 1970; 0: not reported
  bool chooses = false;  // it takes orders with sets
  Scheduling scheduling = {};
  /// The highest epoch that it has kept. nullopt: it knows of none.
  std::optional<uint64_t> seen_epoch = std::nullopt;
  std::optional<uint64_t> seen_incarnation = std::nullopt;
  /// Sentences for people on settings that work unexpectedly. nullopt: none is reported.
  std::optional<std::vector<std::string>> cautions = std::nullopt;
  std::optional<ClockReading> clock = std::nullopt;  // nullopt: not reported
};

/// A host with the facts that selections may ask for.
struct HostFacts {
  std::string name;
  std::string type;
  std::string model;
  int32_t slots = 0;
  int64_t mem_mb = 0;
  int64_t swap_mb = 0;
  std::vector<std::string> booleans;                           // resources that the host has
  std::vector<std::pair<std::string, int64_t>> numbers_milli;  // numeric ones, in thousandths
  bool up = true;
  Division division = Division::unsaid;
  /// The first reservation of others, until it ends. nullopt: there is none, or the agent reports
  /// none.
  std::optional<Horizon> horizon = std::nullopt;
  NotUp not_up = NotUp::unsaid;  // set only if the host is not `up`
  bool operator==(const HostFacts&) const = default;
};

/// agent -> broker: the cluster's own hosts; sent after hello and when a fact changes, whole.
/// `host` in Report.hosts is a position in this list.
struct Inventory {
  uint64_t session = 0;
  std::vector<HostFacts> hosts;
};

/// Use of one of the cluster's own hosts by its own jobs, over all its slots.
struct HostUse {
  uint32_t host = 0;
  int32_t used = 0;
  bool up = false;
  bool operator==(const HostUse&) const = default;
};

/// agent -> broker: the changes since the report with the previous number; with `full`, everything.
/// Each group in it is complete.
struct Report {
  uint64_t session = 0;
  uint64_t number = 0;
  bool full = false;
  uint64_t configuration = 0;  // the configuration by which use was attributed
  int64_t pending = 0;         // slots wanted, not had, that leased hosts could serve
  int64_t running = 0;         // slots in use by the cluster's jobs, wherever they are
  bool degraded = false;       // the workload manager has not answered `degraded_after` times
  StateBlock state;
  std::vector<HostUse> hosts;
  /// The time after the sending of the last answered heartbeat by which all work on leased slots
  /// has ended, whether the agent lives or not: the lease_ttl that its workload manager follows
  /// plus the longest grace there. 0: never.
  int64_t lease_ms = 0;
  /// nullopt: as last reported in the session, or else `pending` single slots and no known ends.
  std::optional<Demand> demand = std::nullopt;
  std::optional<Ending> ending = std::nullopt;
};

/// agent -> broker, the answer to an order (also sent when an open lowering lowers a limit).
struct State {
  uint64_t session = 0;
  uint64_t configuration = 0;
  StateBlock state;
  /// Counts up from 1 in the session. nullopt: an older agent, which does not count them.
  std::optional<uint64_t> number = std::nullopt;
};

/// agent -> broker: the agent is alive, and `report` is the last report that it sent.
struct Heartbeat {
  uint64_t session = 0;
  uint64_t number = 0;  // +1 each
  uint64_t report = 0;
  /// The agent's last message: it is being stopped. It is not answered; the fences stay.
  bool stopping = false;
  /// In a heartbeat without a session (session 0): as in Hello.
  std::optional<uint64_t> seen_epoch = std::nullopt;
  std::optional<uint64_t> seen_incarnation = std::nullopt;
  /// Work that has ended, by number, above the last that the broker reported as recorded.
  std::optional<std::vector<EndedWork>> ended = std::nullopt;
  std::optional<ClockReading> clock = std::nullopt;  // nullopt: not reported
  /// Time since the last complete poll of the workload manager began. nullopt: not reported.
  std::optional<int64_t> look_age_ms = std::nullopt;
  /// The agent's cluster, in the last message to a broker that does not lead; else nullopt.
  std::optional<std::string> cluster = std::nullopt;
  /// The use of borrowed slots, by number, above the last that the broker reported as
  /// recorded.
  std::optional<std::vector<UsedSlots>> used = std::nullopt;
};

/// The side of a slot group or of a shared resource that a cluster is on.
enum class Role : uint8_t { provider = 0, consumer = 1 };
constexpr auto tokens_of(Role) {
  using enum Role;
  return tokens<Role>({{provider, "provider"}, {consumer, "consumer"}});
}

struct ConfiguredHost {
  std::string name;   // its provider's name of it
  int32_t slots = 0;  // slots of this host exported in the group now
  bool draining = false;
};

struct ConfiguredGroup {
  uint64_t generation = 0;
  std::string lease;  // "<policy>:<consumer>"
  Role role = Role::provider;
  std::string peer;  // the other cluster
  bool shared = true;
  bool draining = false;
  int64_t mem_mb = 0;   // per host, to the consumer alone
  int64_t swap_mb = 0;  // per host, to the consumer alone
  std::vector<ConfiguredHost> hosts;
  int64_t grace_ms = 0;  // time that work has to finish when the lease expires by itself
};

/// Instances of a shared resource: a provider fences them, a consumer may use them.
struct ConfiguredResource {
  std::string name;
  Role role = Role::provider;
  std::string peer;
  int64_t instances = 0;
};

/// broker -> agent: how to attribute use. Groups are in declaration order, draining ones last.
struct Configuration {
  uint64_t session = 0;
  uint64_t number = 0;
  bool observe = false;  // attribute and report, enforce nothing
  int64_t agent_timeout_ms = 0;
  std::vector<ConfiguredGroup> groups;
  std::vector<ConfiguredResource> resources;
  /// Leased slots close this long after the last answered heartbeat (or hello) left. 0: never.
  int64_t lease_ttl_ms = 0;
  std::optional<uint64_t> epoch = std::nullopt;  // of the leadership that sends it
  std::optional<uint64_t> incarnation = std::nullopt;
  /// A leader that does not answer for this long leads no more. nullopt: there is one broker.
  std::optional<int64_t> leader_ttl_ms = std::nullopt;
};

struct OrderedHost {
  uint32_t host = 0;
  int32_t limit = 0;  // absolute
  Lowering lowering = Lowering::release;
  bool operator==(const OrderedHost&) const = default;
};

/// Limits of one more group that an order covers.
struct OrderPart {
  uint64_t generation = 0;
  std::vector<OrderedHost> hosts;
  bool operator==(const OrderPart&) const = default;
};

struct SetHost {
  uint64_t generation = 0;
  uint32_t host = 0;
  bool operator==(const SetHost&) const = default;
};

/// A reclaim for a set of hosts: the absolute sum that their limits may have in the end. The agent
/// chooses the work that ends and lowers its limits by itself down to the sum.
struct ReclaimSet {
  int64_t sum = 0;
  int64_t grace_ms = 0;
  bool whole_hosts = false;    // each host keeps its limit or is given up to the last slot
  std::vector<SetHost> hosts;  // idle slots are given up from the first host on
  bool operator==(const ReclaimSet&) const = default;
};

/// broker -> agent: absolute limits of one group, or of all groups of a plan that its sets concern.
/// It replaces every earlier order for each of them.
struct Order {
  uint64_t session = 0;
  uint64_t generation = 0;
  uint64_t seq = 0;
  int64_t grace_ms = 0;  // for a reclaim
  std::vector<OrderedHost> hosts;
  // limits count exports as this configuration does; under another it is not applied
  uint64_t configuration = 0;
  std::vector<OrderPart> parts = {};
  /// Each set is valid while the last order of every group it names is this one. No host is in two
  /// sets; each is among the hosts of its group above.
  std::vector<ReclaimSet> sets = {};
  std::optional<uint64_t> epoch = std::nullopt;  // of the leadership that sends it
  std::optional<uint64_t> incarnation = std::nullopt;
  std::optional<Reason> reason = std::nullopt;  // why slots are reclaimed, for people
};

/// broker -> agent: a message was refused. `message` says what would be right.
struct Refusal {
  Reason reason = Reason::none;
  std::string message;
  int version = kVersion;                         // the sender's wire version
  std::optional<int64_t> sent_ms = std::nullopt;  // as in Welcome, from a broker that does not lead
};

using Message = std::variant<Welcome, Hello, Inventory, Report, State, Heartbeat, HeartbeatAnswer,
                             Configuration, Order, Refusal>;

}  // namespace leasehold::wire
