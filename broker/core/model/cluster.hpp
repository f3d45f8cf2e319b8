// Cluster: what the broker knows of one cluster, its hosts and its agent; a part of State
// (state.hpp). Not its slots: those are rows of slot groups. Members below `reset at start` are
// reset by BrokerStarted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/time/instant.hpp"
#include "common/wire/message.hpp"

namespace leasehold {

/// Slots of a cluster's own hosts, by position in Cluster::hosts, ascending.
using IdleBeside = std::vector<std::pair<uint32_t, int32_t>>;

enum class Contact : uint8_t { lost = 0, ok = 1 };

/// An operator's order that holds until another one takes it back, or its time is over.
struct OrderInForce {
  std::string by;
  std::string where;  // where the order came from, as far as is known
  std::string why;    // --reason
  Instant since{INT64_MIN};
  Instant until = kNever;            // the broker takes it back then
  std::optional<Instant> from = {};  // freeze: later than `since`; none: at once
  bool operator==(const OrderInForce&) const = default;
};

/// A borrowing cluster's statement on dividing a host. A cluster that states nothing has no entry.
struct DivisionSaid {
  uint32_t cluster = 0;
  wire::Division division = wire::Division::unsaid;
  bool operator==(const DivisionSaid&) const = default;
};

/// A host of a cluster as its agent reported it; kept when it leaves the inventory (present=false)
/// while something names it (agents/forget_hosts.hpp), else its place is vacant
/// (queries/vacant_hosts.hpp).
struct Host {
  wire::HostFacts facts;
  bool present = false;
  bool closed = false;                               // by an operator, for every consumer
  bool closed_reclaim = false;                       // close --reclaim
  std::vector<std::string> closed_for;               // by an operator, for these consumers
  OrderInForce closed_order = {};                    // where `closed`
  std::vector<OrderInForce> closed_for_orders = {};  // of closed_for[i]
  Instant down_since{INT64_MIN};                     // where not facts.up
  std::vector<DivisionSaid> divisions = {};          // of borrowers, by cluster
  /// Clusters that start nothing there any more, ascending: what they start would not have ended
  /// when the reservation ahead begins (facts.horizon).
  std::vector<uint32_t> barred = {};
  /// The last instant that has come from which work of some borrower there is asked to end for that
  /// reservation (ended_from() in queries/horizons.hpp).
  std::optional<Instant> ending_from = std::nullopt;
};

struct Cluster {
  std::string name;
  bool configured = false;        // named by the configuration in force
  uint64_t seq = 0;               // the last order number used for this cluster; never starts again
  bool draining_imports = false;  // operator: drain; what it holds of others goes back
  bool draining_exports = false;  // operator: drain; what others hold of its hosts comes home
  std::vector<Host> hosts;        // position = id in HostLedger::host
  uint64_t state_id = 0;          // of the last accepted agent
  uint64_t boot = 0;
  /// The longest time that work may go on on leased slots after the last renewal, by every
  /// configuration that the cluster may go by (agents/lease_bounds.hpp). 0: for ever.
  int64_t lease_bound_ms = 0;
  wire::Identity identity;     // of the last accepted agent
  OrderInForce imports_order;  // where draining_imports
  OrderInForce exports_order;  // where draining_exports
  // reset at start
  Contact contact = Contact::lost;
  uint64_t session = 0;
  uint64_t configuration = 0;  // number of the last configuration made for it
  int64_t pending = 0;
  bool degraded = false;
  bool self_expiring = false;
  wire::Fences fences;
  std::string program_version;
  bool chooses = false;  // its agent takes orders with sets (wire::ReclaimSet)
  wire::Scheduling scheduling;
  int64_t configured_lease_ms = 0;  // longest ttl + grace of its last configuration; 0: for ever
  Instant expires_at = kNever;      // lost: when its leased slots return
  bool stopped = false;             // lost: because its agent said that it is being stopped
  /// Agents with this state that another one took over from; the newest ones.
  std::vector<wire::Identity> replaced;
  wire::Identity copy;  // the last copy of its agent's state that was refused
  /// The shapes of its waiting work. nullopt: its agent does not state them; its demand is then
  /// `pending` single slots.
  std::optional<wire::Demand> demand;
  std::optional<wire::Ending> ending;
  /// The value of the last StateReported that had one, kept so that nothing is recorded twice; not
  /// on disk. Decisions read demand_aware::Ledger::elsewhere.
  std::optional<std::vector<int32_t>> idle_elsewhere;
  std::optional<IdleBeside> idle_beside;  // as idle_elsewhere; decisions read Ledger::beside
  // derived
  std::vector<uint32_t> slot_groups;  // with this cluster as a member, in order of creation
  bool has_horizons = false;          // any_horizon() of it (queries/horizons.hpp)
  // These parts of the cluster are not yet written by the store (State::dirty_clusters: of any).
  bool dirty = false;
  bool hosts_dirty = false;
};

}  // namespace leasehold
