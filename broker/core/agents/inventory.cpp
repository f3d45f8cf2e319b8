#include "broker/core/agents/inventory.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "broker/core/agents/forget_hosts.hpp"
#include "broker/core/exports/policies.hpp"
#include "broker/core/exports/reconcile.hpp"
#include "broker/core/ledger/orders.hpp"
#include "broker/core/model/queries/horizons.hpp"
#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/vacant_hosts.hpp"

namespace leasehold {

namespace {

using HostIds = std::unordered_map<std::string, size_t>;

HostIds ids_by_name(const Cluster& cluster) {
  HostIds ids;
  for (size_t id = 0; id < cluster.hosts.size(); ++id) {
    if (!is_vacant(cluster.hosts[id])) ids.emplace(cluster.hosts[id].facts.name, id);
  }
  return ids;
}

/// Finds hosts by their names; one that is not known takes the first vacant place.
class HostPlaces {
 public:
  explicit HostPlaces(Cluster& cluster) : cluster_(cluster), ids_(ids_by_name(cluster)) {}

  /// Returns nullptr for an unknown host.
  Host* find(const std::string& name) {
    const auto known = ids_.find(name);
    return known == ids_.end() ? nullptr : &cluster_.hosts[known->second];
  }
  Host& take(const std::string& name) {
    if (Host* known = find(name)) return *known;
    const size_t place = next_vacant();
    if (place == cluster_.hosts.size()) cluster_.hosts.emplace_back();
    ids_.emplace(name, place);
    return cluster_.hosts[place];
  }

 private:
  size_t next_vacant() {
    while (next_ < cluster_.hosts.size() && !is_vacant(cluster_.hosts[next_])) ++next_;
    return next_;
  }

  Cluster& cluster_;
  HostIds ids_;
  size_t next_ = 0;
};

/// The changes of a host's facts that concern slots which are lent already.
struct Turned {
  bool up = false;       // its owner calls it up or down
  bool divided = false;  // it may be divided and could not be, or the other way round
};

Turned take_facts(Host& host, const wire::HostFacts& facts, Instant now) {
  const Turned turned{
      host.facts.up != facts.up,
      is_indivisible(host.facts.division) != is_indivisible(facts.division),
  };
  if (turned.up) host.down_since = facts.up ? Instant{INT64_MIN} : now;
  host.facts = facts;
  host.present = true;
  return turned;
}

/// Other members start nothing on a host that its owner drains or that is down. When it is up again
/// they have what they hold.
void follow_hosts(Turn& turn, uint32_t cluster, const std::vector<Turned>& turned) {
  const std::vector<uint32_t> groups = turn.state.clusters[cluster].slot_groups;
  for (const uint32_t g : groups) {
    const SlotGroup& group = turn.group(g);
    if (group.members[kProvider].cluster != cluster) continue;
    const auto any = [&](bool Turned::*how) {
      return std::any_of(group.hosts.begin(), group.hosts.end(),
                         [&](const HostLedger& row) { return turned[row.host].*how; });
    };
    if (any(&Turned::divided)) group_changed(turn, g);
    if (!any(&Turned::up)) continue;
    mark_summary_stale(turn.state, g);  // even if no order follows
    for (size_t m = kProvider + 1; m < group.members.size(); ++m) issue_order(turn, g, m);
  }
}

/// Returns the hosts that the state calls present and that are not named.
std::vector<std::string> gone_from(const Cluster& cluster,
                                   const std::vector<wire::HostFacts>& named) {
  std::unordered_set<std::string_view> names;
  for (const wire::HostFacts& facts : named) names.insert(facts.name);
  std::vector<std::string> gone;
  for (const Host& host : cluster.hosts) {
    if (host.present && !names.contains(host.facts.name)) gone.push_back(host.facts.name);
  }
  return gone;
}

std::vector<wire::HostFacts> changed_of(const Cluster& cluster,
                                        const std::vector<wire::HostFacts>& hosts) {
  const HostIds ids = ids_by_name(cluster);
  std::vector<wire::HostFacts> changed;
  for (const wire::HostFacts& facts : hosts) {
    const auto found = ids.find(facts.name);
    const Host* known = found == ids.end() ? nullptr : &cluster.hosts[found->second];
    if (known == nullptr || !known->present || known->facts != facts) changed.push_back(facts);
  }
  return changed;
}

void record_inventory(Turn& turn, uint32_t cluster) {
  std::array<int64_t, 3> sums{};  // hosts, up, slots
  for (const Host& host : turn.state.clusters[cluster].hosts) {
    if (!host.present) continue;
    ++sums[0];
    sums[1] += host.facts.up ? 1 : 0;
    sums[2] += host.facts.slots;
  }
  record_cluster(turn, RecordKind::inventory, cluster, Reason::none).numbers = {
      sums[0], sums[1], sums[2], 0, 0, 0};
}

bool provides(const State& state, uint32_t cluster) {
  const std::vector<uint32_t>& groups = state.clusters[cluster].slot_groups;
  return std::any_of(state.policies.begin(), state.policies.end(),
                     [&](const PolicyState& policy) { return policy.provider == cluster; }) ||
         std::any_of(groups.begin(), groups.end(), [&](uint32_t g) {
           return state.slot_groups[g].members[kProvider].cluster == cluster;
         });
}

/// Every host that is named has these facts now; of those that are gone is known what somebody
/// names.
void take_inventory(Turn& turn, uint32_t index, const std::vector<wire::HostFacts>& hosts,
                    const std::vector<std::string>& gone) {
  Cluster& cluster = turn.state.clusters[index];
  HostPlaces places(cluster);
  std::vector<Turned> turned(cluster.hosts.size());
  for (const std::string& name : gone) {
    if (Host* host = places.find(name)) host->present = false;
  }
  for (const wire::HostFacts& facts : hosts) {
    Host& host = places.take(facts.name);
    turned.resize(cluster.hosts.size());
    turned[static_cast<size_t>(&host - cluster.hosts.data())] = take_facts(host, facts, turn.now);
  }
  cluster.has_horizons = any_horizon(cluster);
  touch_hosts(turn, index);
  record_inventory(turn, index);
  // A cluster that provides nothing changes no export: each of thousands of leaves would have all
  // groups looked through.
  if (turn.state.window_next > turn.now && !provides(turn.state, index)) return;
  allocate_slots(turn, true);
  reconcile(turn);
  follow_hosts(turn, index, turned);
}

}  // namespace

std::optional<Event> inventory_news(const State& state, uint32_t cluster, uint64_t session,
                                    const std::vector<wire::HostFacts>& hosts) {
  const Cluster& known = state.clusters[cluster];
  std::vector<wire::HostFacts> changed = changed_of(known, hosts);
  std::vector<std::string> gone = gone_from(known, hosts);
  if (changed.empty() && gone.empty()) return std::nullopt;
  if (changed.size() + gone.size() >= hosts.size()) {
    return InventoryReported{known.name, session, hosts};
  }
  return InventoryChanged{known.name, session, std::move(changed), std::move(gone)};
}

void inventory_reported(Turn& turn, const InventoryReported& event) {
  const uint32_t index = find_cluster(turn.state, event.cluster);
  take_inventory(turn, index, event.hosts, gone_from(turn.state.clusters[index], event.hosts));
  forget_hosts(turn, index);
}

void inventory_changed(Turn& turn, const InventoryChanged& event) {
  const uint32_t index = find_cluster(turn.state, event.cluster);
  take_inventory(turn, index, event.hosts, event.gone);
  forget_hosts(turn, index);
}

}  // namespace leasehold
