// clusters: like LSF's bclusters, seen from each cluster.
#include <map>
#include <optional>

#include "broker/core/model/queries/hosts.hpp"
#include "broker/views/answer.hpp"
#include "broker/views/clusters/contact.hpp"
#include "broker/views/leases/lease_facts.hpp"
#include "broker/views/leases/order_words.hpp"
#include "broker/views/leases/work_shapes.hpp"
#include "broker/views/lists/listings.hpp"
#include "broker/views/rows.hpp"
#include "broker/views/views.hpp"

namespace leasehold {

namespace {

/// The leases of one cluster with one other in one direction.
struct Link {
  int64_t exported = 0;
  int64_t imported = 0;
  int64_t leases = 0;
  int64_t left = 0;           // slots that a drain has still to bring back
  int64_t in_quarantine = 0;  // leases whose use is not known yet
  int64_t unanswered = 0;     // leases whose last order the cluster's agent has not answered yet
  bool made = false;
  Reason reason = Reason::none;  // the reason of the first lease that is not made
};

struct LinkKey {
  uint32_t cluster = 0;
  uint32_t remote = 0;
  bool import = false;
  auto operator<=>(const LinkKey&) const = default;
};

using Links = std::map<LinkKey, Link>;

/// `of` is the link's cluster.
void count_in(Link& link, const SlotGroup& group, const Member& of, bool made) {
  ++link.leases;
  if (group.quarantined) ++link.in_quarantine;
  if (of.seq_stated < of.seq) ++link.unanswered;
  if (made) {
    link.made = true;
  } else if (link.reason == Reason::none) {
    link.reason = group.reason == Reason::none ? Reason::offered : group.reason;
  }
}

Links links_of(const State& state) {
  Links links;
  const LeaseFacts facts(state);
  for (uint32_t g = 0; g < state.slot_groups.size(); ++g) {
    const SlotGroup& group = state.slot_groups[g];
    if (group.phase == Phase::closed) continue;
    const uint32_t provider = group.members[kProvider].cluster;
    for (uint32_t m = kProvider + 1; m < group.members.size(); ++m) {
      const LeaseRef lease{g, m};
      if (facts.has_left(lease)) continue;
      const int64_t held = held_by(group, m);
      const bool made = facts.is_made(lease);
      Link& export_link = links[{provider, group.members[m].cluster, false}];
      count_in(export_link, group, group.members[kProvider], made);
      export_link.exported += facts.exported(lease);
      // A leaf of the provider's own cluster.
      const bool own = group.members[m].cluster == provider;
      export_link.left += own ? 0 : held;
      if (m == kProvider + 1) export_link.left += in_transfer(group);
      Link& import_link = links[{group.members[m].cluster, provider, true}];
      count_in(import_link, group, group.members[m], made);
      import_link.imported += held;
      import_link.left += own ? 0 : held;
    }
  }
  return links;
}

const char* agent_word(const Cluster& cluster, bool refused) {
  if (cluster.contact == Contact::lost) return refused ? "refused" : "lost";
  return cluster.degraded ? "degraded" : "up";
}

const char* status_word(const State& state, const LinkKey& key, const Link& link) {
  if (state.clusters[key.cluster].contact == Contact::lost) return "disc";
  if (key.remote != kNoIndex && state.clusters[key.remote].contact == Contact::lost) return "disc";
  return link.made ? "ok" : "conn";
}

int64_t slots_of_hosts(const Cluster& cluster) {
  int64_t sum = 0;
  for (const Host& host : cluster.hosts) {
    if (host.present) sum += host.facts.slots;
  }
  return sum;
}

/// Returns the slots of each cluster's hosts that it exports to nobody.
std::vector<int64_t> own_slots(const State& state) {
  std::vector<int64_t> own;
  for (const Cluster& cluster : state.clusters) own.push_back(slots_of_hosts(cluster));
  for (const SlotGroup& group : state.slot_groups) {
    const uint32_t provider = group.members[kProvider].cluster;
    for (const HostLedger& host : group.hosts) {
      if (state.clusters[provider].hosts[host.host].present) own[provider] -= host.exported;
    }
  }
  return own;
}

/// Returns the side of an unconnected row whose agent was stopped; nullptr: none was, one is
/// silent.
const Cluster* stopped_side(const State& state, const LinkKey& key) {
  const Cluster& here = state.clusters[key.cluster];
  if (here.stopped) return &here;
  if (key.remote == kNoIndex) return nullptr;
  const Cluster& there = state.clusters[key.remote];
  return there.stopped ? &there : nullptr;
}

/// Returns a reason token and its sentence: a refusal first, then what keeps the leases from being
/// made.
std::pair<Json, Json> why(const State& state, const ClusterLiveness* known, bool refused,
                          const LinkKey& key, const Link& link) {
  if (refused) return {std::string(token(known->refused->reason)), known->refused->message};
  const std::string_view status = status_word(state, key, link);
  if (const Cluster* side = stopped_side(state, key); side != nullptr && status == "disc") {
    return {std::string(token(Reason::agent_stopped)),
            "the agent of " + side->name + " was stopped; its fences stay until it is started"};
  }
  Reason reason = Reason::none;
  if (status == "disc") reason = Reason::report_missing;
  if (status == "conn") reason = link.reason;
  if (reason == Reason::none) return {nullptr, nullptr};
  return {std::string(token(reason)), std::string(sentence(reason))};
}

Json agent_version(const Cluster& cluster, const ClusterLiveness* known) {
  if (known != nullptr && !known->agent_version.empty()) return known->agent_version;
  return rows::text_or_null(cluster.program_version);
}

/// A drain that an operator ordered for the cluster, in the row's direction; in either one for a
/// row without a remote.
struct Drain {
  DrainSide half;
  const OrderInForce& order;
};

std::optional<Drain> drain_of(const Cluster& cluster, const LinkKey& key) {
  const bool alone = key.remote == kNoIndex;
  if (cluster.draining_exports && (alone || !key.import)) {
    return Drain{DrainSide::exports, cluster.exports_order};
  }
  if (cluster.draining_imports && (alone || key.import)) {
    return Drain{DrainSide::imports, cluster.imports_order};
  }
  return std::nullopt;
}

Json drain_json(const Drain& drain) {
  Json json = order_json(drain.order);
  json["half"] = token(drain.half);
  return json;
}

/// One row, and what several of its fields need.
struct LinkRow {
  const State& state;
  const Liveness& liveness;
  const LinkKey& key;
  const Link& link;
  int64_t own;
  const Cluster& cluster = state.clusters[key.cluster];
  const ClusterLiveness* known = known_of(liveness, cluster.name);
  bool refused = shows_refusal(known, liveness.now);
  std::pair<Json, Json> reason_and_detail = why(state, known, refused, key, link);
  bool alone = key.remote == kNoIndex;
  std::optional<Drain> drain = drain_of(cluster, key);
  std::optional<ClockDifference> clock_off = known != nullptr ? known->clock_off : std::nullopt;
};

Json time_or_null(const LinkRow& row, std::optional<Instant> ClusterLiveness::*at) {
  return rows::time(row.known != nullptr ? (row.known->*at).value_or(kNever) : kNever);
}

std::string agent_cell(const Json& row, const char* name) {
  const bool stopped = flag_at(row, "stopped") && part_at(row, name) == "lost";
  return stopped ? "stopped" : columns::text(row, name);
}

/// A broker before `last_contact` sends its last report, which comes only when something changes.
std::string contact_cell(const Json& row, const char* name) {
  return columns::time(row, row.contains(name) ? name : "last_report");
}

constexpr Field<LinkRow> kClusterFields[] = {
    {{"cluster", "CLUSTER"}, [](auto& r) { return r.cluster.name; }},
    {{"remote", "REMOTE"},
     [](auto& r) { return r.alone ? Json() : Json(r.state.clusters[r.key.remote].name); }},
    {{"flow", "FLOW"},
     [](auto& r) { return r.alone ? Json() : Json(r.key.import ? "import" : "export"); }},
    {{"status", "STATUS", kStatus}, [](auto& r) { return status_word(r.state, r.key, r.link); }},
    {{"reason", "REASON"}, [](auto& r) { return r.reason_and_detail.first; }},
    {{"detail"}, [](auto& r) { return r.reason_and_detail.second; }},
    {{"agent", "AGENT", kStatus, 0, agent_cell},
     [](auto& r) { return agent_word(r.cluster, r.refused); }},
    {{"agent_version", "VERSION", kLeft, kOnlyWide},
     [](auto& r) { return agent_version(r.cluster, r.known); }},
    {{"last_report"}, [](auto& r) { return time_or_null(r, &ClusterLiveness::last_report); }},
    {{"last_heard", "LAST HEARD", kLeft, 3, contact_cell},
     [](auto& r) { return rows::time(last_contact(r.liveness, r.cluster.name)); }},
    {{"clock_off_ms", "CLOCK OFF MS", kRight, kOnlyWide},
     [](auto& r) { return r.clock_off ? Json(r.clock_off->middle_ms()) : Json(); }},
    {{"clock_off_error_ms", "CLOCK ERROR MS", kRight, kOnlyWide},
     [](auto& r) { return r.clock_off ? Json(r.clock_off->error_ms()) : Json(); }},
    {{"leases_return"}, [](auto& r) { return rows::time(r.cluster.expires_at); }},
    {{"slots.own", "OWN", kRight, 1}, [](auto& r) { return r.own; }},
    {{"slots.exported", "EXPORTED", kRight}, [](auto& r) { return r.link.exported; }},
    {{"slots.imported", "IMPORTED", kRight}, [](auto& r) { return r.link.imported; }},
    {{"leases", "LEASES", kRight, 2}, [](auto& r) { return r.link.leases; }},
    {{"stopped"}, [](auto& r) { return r.cluster.stopped; }},
    {{"mode"}, [](auto& r) { return rows::mode_word(r.state); }},
    {{"frozen"}, [](auto& r) { return r.state.frozen; }},
    {{"late_since"}, [](auto& r) { return time_or_null(r, &ClusterLiveness::late_since); }},
    {{"draining"}, [](auto& r) { return r.drain.has_value(); }},
    {{"drain"}, [](auto& r) { return r.drain ? drain_json(*r.drain) : Json(); }},
    {{"left"}, [](auto& r) { return r.drain ? Json(r.link.left) : Json(); }},
    {{"in_quarantine"}, [](auto& r) { return r.link.in_quarantine; }},
    {{"unanswered"}, [](auto& r) { return r.link.unanswered; }},
    {{"malformed", "MALFORMED", kRight, kOnlyWide},
     [](auto& r) { return r.known == nullptr ? 0 : r.known->malformed; }},
    {{"dropped", "DROPPED", kRight, kOnlyWide},
     [](auto& r) { return r.known == nullptr ? 0 : r.known->dropped; }},
};

Json link_row(const State& state, const Liveness& liveness, const LinkKey& key, const Link& link,
              int64_t own) {
  return row_json(kClusterFields, LinkRow{state, liveness, key, link, own});
}

}  // namespace

std::span<const columns::Column> cluster_fields() {
  return shown_of<kClusterFields>();
}

Json view_clusters(const State& state, const Liveness& liveness, const std::string& cluster,
                   bool details) {
  const Links links = links_of(state);
  const std::vector<int64_t> own = own_slots(state);
  Json list = Json::array();
  for (uint32_t c = 0; c < state.clusters.size(); ++c) {
    if (!cluster.empty() && state.clusters[c].name != cluster) continue;
    const size_t first = list.size();
    auto link = links.lower_bound({c, 0, false});
    const bool alone = link == links.end() || link->first.cluster != c;
    if (alone && state.clusters[c].configured) {
      list.push_back(link_row(state, liveness, {c, kNoIndex, false}, {}, own[c]));
    }
    for (; link != links.end() && link->first.cluster == c; ++link) {
      list.push_back(link_row(state, liveness, link->first, link->second, own[c]));
    }
    if (!details) continue;
    const Json work = work_json(state.clusters[c]);
    for (size_t row = first; row < list.size(); ++row) list[row]["work"] = work;
  }
  return list;
}

}  // namespace leasehold
