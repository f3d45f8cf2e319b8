// The messages between broker and agent, as values. Their bytes: codec.hpp and schema/wire/.
// Nothing here decides anything. Slots are counts of slots, `*_ms` milliseconds.
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

namespace leasehold::wire {

/// Raised when an old reader could misunderstand a new message; new fields alone do not raise it.
inline constexpr int kVersion = 1;

/// Of several brokers on one database one leads at a time: `epoch` numbers its leadership, 1 to
/// this (a signed row of a database, and a double, hold it), and `incarnation`, drawn when it
/// began, tells two of one number apart. Without an epoch: a broker with a database of its own.
inline constexpr uint64_t kEpochMost = uint64_t{1} << 53;

/// How slots above an order's limit are given up (schema/wire/PROTOCOL.md, "Kinds of lowering").
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
  /// Provider: slots of the host that it counts as the group's; -1: as the configuration says.
  int32_t exported = -1;
  /// Consumer: what its workload manager makes of the host. A provider says it in HostFacts.
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

/// broker -> agent, answer to any message of an unknown session: say hello, echoing this.
struct Welcome {
  uint64_t incarnation = 0;  // random, new at each start of the broker, and of each leadership
  std::string broker;
  std::string program_version;
  std::optional<uint64_t> epoch = std::nullopt;   // of the leadership, with that incarnation
  std::optional<int64_t> sent_ms = std::nullopt;  // by the broker's clock; an older one lacks it
};

/// What an adapter can fence besides slots.
struct Fences {
  bool memory = false;
  bool swap = false;
  bool resources = false;
  bool operator==(const Fences&) const = default;
};

/// Where an agent runs and what it keeps its state in: tells a copy of a state file from the file.
struct Identity {
  std::string machine;   // a hash of the machine's id; "": of an older release, not known
  std::string boot;      // of the machine's kernel: another one after each boot
  uint64_t file = 0;     // the state file's number in its file system: a copy has another
  uint64_t process = 0;  // random, drawn when the process starts
  bool operator==(const Identity&) const = default;
};

/// How a cluster chooses the work that ends, for people. "": an agent that does not say.
struct Scheduling {
  std::string policy;  // the tokens of its [scheduling] table
  std::string criteria;
  std::string preemption_scope;
  std::string reclaim_optimization;
  bool selective_reclaim = false;
  bool operator==(const Scheduling&) const = default;
};

/// agent -> broker, opens a session.
struct Hello {
  std::string cluster;
  uint64_t incarnation = 0;
  uint64_t state_id = 0;  // random, made with the agent's state file
  uint64_t boot = 0;      // durable, +1 at each start and each new session
  uint64_t session = 0;   // random, fresh for each hello
  bool has_state = true;  // false: the state file was lost; limits below were found enforced
  std::string program_version;
  std::string workload;  // "simulated", "slurm", …
  bool self_expiring = false;
  Fences fences;
  int64_t settle_ms = 0;
  StateBlock state;      // every group it holds a limit of
  int64_t lease_ms = 0;  // as in Report
  Identity identity;
  int64_t wall_ms = 0;   // its machine's wall clock, since 1970; 0: not said
  bool chooses = false;  // it takes orders with sets
  Scheduling scheduling = {};
  /// The highest leadership that it has kept. nullopt: it knows of none.
  std::optional<uint64_t> seen_epoch = std::nullopt;
  std::optional<uint64_t> seen_incarnation = std::nullopt;
  /// What works there, and not as one may think: sentences for people. nullopt: nothing is said.
  std::optional<std::vector<std::string>> cautions = std::nullopt;
  std::optional<ClockReading> clock = std::nullopt;  // nullopt: not said
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
  /// The first reservation of others that begins later. nullopt: none, or an agent that says none.
  std::optional<Horizon> horizon = std::nullopt;
  NotUp not_up = NotUp::unsaid;  // where not `up`
  bool operator==(const HostFacts&) const = default;
};

/// agent -> broker: the cluster's own hosts; sent after hello and when a fact changes, whole.
/// `host` in Report.hosts is a position in this list.
struct Inventory {
  uint64_t session = 0;
  std::vector<HostFacts> hosts;
};

/// Use of one of the cluster's own hosts by its own jobs, of all its slots.
struct HostUse {
  uint32_t host = 0;
  int32_t used = 0;
  bool up = false;
  bool operator==(const HostUse&) const = default;
};

/// agent -> broker: what changed since the report numbered one lower; `full`: everything.
/// A group named in it is given whole.
struct Report {
  uint64_t session = 0;
  uint64_t number = 0;
  bool full = false;
  uint64_t configuration = 0;  // the configuration it was attributed by
  int64_t pending = 0;         // slots wanted, not had, that leased hosts could serve
  int64_t running = 0;         // slots in use by the cluster's jobs, wherever they are
  bool degraded = false;       // the workload manager has not answered `degraded_after` times
  StateBlock state;
  std::vector<HostUse> hosts;
  /// Work on leased slots has ended so long after the sending of the last heartbeat that was
  /// answered, whether the agent lives or not: the lease_ttl that its workload manager goes by and
  /// the longest grace there. 0: never.
  int64_t lease_ms = 0;
  /// nullopt: as the session told last; before it did: `pending` single slots, and no known ends.
  std::optional<Demand> demand = std::nullopt;
  std::optional<Ending> ending = std::nullopt;
};

/// agent -> broker, answer to an order (and whenever an open lowering lowers a limit): one group.
struct State {
  uint64_t session = 0;
  uint64_t configuration = 0;
  StateBlock state;
  /// +1 each of the session, from 1. nullopt: an older agent, which does not count them.
  std::optional<uint64_t> number = std::nullopt;
};

/// agent -> broker: alive, and `report` is the last report it sent.
struct Heartbeat {
  uint64_t session = 0;
  uint64_t number = 0;  // +1 each
  uint64_t report = 0;
  /// The agent's last word: it is being stopped. Not answered; its fences stand.
  bool stopping = false;
  /// Of a knock (session 0): as in Hello.
  std::optional<uint64_t> seen_epoch = std::nullopt;
  std::optional<uint64_t> seen_incarnation = std::nullopt;
  /// Work that has ended, by number, above the last that the broker said is recorded.
  std::optional<std::vector<EndedWork>> ended = std::nullopt;
  std::optional<ClockReading> clock = std::nullopt;  // nullopt: not said
  /// Since the last whole look at the workload manager began. nullopt: an agent that does not say.
  std::optional<int64_t> look_age_ms = std::nullopt;
  /// Of the last word to a broker that does not lead: whose agent was there. nullopt: not said.
  std::optional<std::string> cluster = std::nullopt;
};

enum class Role : uint8_t { provider = 0, consumer = 1 };
constexpr auto tokens_of(Role) {
  using enum Role;
  return tokens<Role>({{provider, "provider"}, {consumer, "consumer"}});
}

struct ConfiguredHost {
  std::string name;   // as its provider calls it
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
  int64_t grace_ms = 0;  // what work gets to finish when the lease ends by itself
};

/// Instances of a shared resource: a provider fences them, a consumer may use them.
struct ConfiguredResource {
  std::string name;
  Role role = Role::provider;
  std::string peer;
  int64_t instances = 0;
};

/// broker -> agent: by what to attribute use. Groups in declaration order, draining ones last.
struct Configuration {
  uint64_t session = 0;
  uint64_t number = 0;
  bool observe = false;  // attribute and report, enforce nothing
  int64_t agent_timeout_ms = 0;
  std::vector<ConfiguredGroup> groups;
  std::vector<ConfiguredResource> resources;
  /// Leased slots close so long after the sending of the last heartbeat (or hello) that was
  /// answered. 0: never.
  int64_t lease_ttl_ms = 0;
  std::optional<uint64_t> epoch = std::nullopt;  // the leadership that says so
  std::optional<uint64_t> incarnation = std::nullopt;
  /// A leader that does not answer for so long is one no more. nullopt: there are no others.
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

/// A reclaim for a set of hosts: what their limits may add up to in the end, an absolute number.
/// The agent chooses the work that ends, and lowers its limits by itself down to the sum.
struct ReclaimSet {
  int64_t sum = 0;
  int64_t grace_ms = 0;
  bool whole_hosts = false;    // each host keeps its limit or is given up to the last slot
  std::vector<SetHost> hosts;  // idle slots are given from the first on
  bool operator==(const ReclaimSet&) const = default;
};

/// broker -> agent: absolute limits of one group, or of all groups of a plan that its sets are
/// about. Replaces every earlier order for each of them.
struct Order {
  uint64_t session = 0;
  uint64_t generation = 0;
  uint64_t seq = 0;
  int64_t grace_ms = 0;  // for reclaim
  std::vector<OrderedHost> hosts;
  uint64_t configuration = 0;  // limits count exports as this one does; another: not applied
  std::vector<OrderPart> parts = {};
  /// Hold while the last order of every group they name is this one. No host stands in two; each
  /// stands among the hosts of its group above.
  std::vector<ReclaimSet> sets = {};
  std::optional<uint64_t> epoch = std::nullopt;  // the leadership that says so
  std::optional<uint64_t> incarnation = std::nullopt;
  std::optional<Reason> reason = std::nullopt;  // why slots are reclaimed, for people
};

/// broker -> agent: a message was not taken. `message` names what would be right.
struct Refusal {
  Reason reason = Reason::none;
  std::string message;
  int version = kVersion;                         // the sender's wire version
  std::optional<int64_t> sent_ms = std::nullopt;  // as in Welcome, of one that does not lead
};

using Message = std::variant<Welcome, Hello, Inventory, Report, State, Heartbeat, HeartbeatAnswer,
                             Configuration, Order, Refusal>;

}  // namespace leasehold::wire
