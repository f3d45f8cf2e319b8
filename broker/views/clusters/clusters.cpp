// clusters: like LSF's bclusters, seen from each cluster.
#include <map>
#include <optional>

#include "broker/views/clusters/contact.hpp"
#include "broker/views/leases/order_words.hpp"
#include "broker/views/leases/work_shapes.hpp"
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

/// A member of a plan needs no first job: it already has the slots that it is due.
bool is_made(const SlotGroup& group) {
  return group.resource_group != kNoIndex ? group.phase != Phase::offered
                                          : group.members[kConsumer].ever_used;
}

/// `of` is the link's cluster.
void count_in(Link& link, const SlotGroup& group, const Member& of) {
  ++link.leases;
  if (group.quarantined) ++link.in_quarantine;
  if (of.seq_stated < of.seq) ++link.unanswered;
  if (is_made(group)) {
    link.made = true;
  } else if (link.reason == Reason::none) {
    link.reason = group.reason == Reason::none ? Reason::offered : group.reason;
  }
}

int64_t held_by(const SlotGroup& group, size_t member) {
  int64_t sum = 0;
  for (size_t host = 0; host < group.hosts.size(); ++host) sum += group.at(host, member).held;
  return sum;
}

Links links_of(const State& state) {
  Links links;
  for (const SlotGroup& group : state.slot_groups) {
    if (group.phase == Phase::closed) continue;
    const uint32_t provider = group.members[kProvider].cluster;
    for (uint32_t m = kProvider + 1; m < group.members.size(); ++m) {
      const int64_t held = held_by(group, m);
      // The cluster of a leaf that the plan no longer names stays a member until its slots are
      // back.
      if (group.resource_group != kNoIndex && group.members[m].plan_consumer == kNoIndex &&
          held == 0)
        continue;
      Link& export_link = links[{provider, group.members[m].cluster, false}];
      count_in(export_link, group, group.members[kProvider]);
      export_link.exported += group.resource_group == kNoIndex ? exported(group) : held;
      // A leaf of the provider's own cluster.
      const bool own = group.members[m].cluster == provider;
      export_link.left += own ? 0 : held;
      if (m == kProvider + 1) export_link.left += in_transfer(group);
      Link& import_link = links[{group.members[m].cluster, provider, true}];
      count_in(import_link, group, group.members[m]);
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
  Half half;
  const OrderInForce& order;
};

std::optional<Drain> drain_of(const Cluster& cluster, const LinkKey& key) {
  const bool alone = key.remote == kNoIndex;
  if (cluster.draining_exports && (alone || !key.import)) {
    return Drain{Half::exports, cluster.exports_order};
  }
  if (cluster.draining_imports && (alone || key.import)) {
    return Drain{Half::imports, cluster.imports_order};
  }
  return std::nullopt;
}

Json drain_json(const Drain& drain) {
  Json json = order_json(drain.order);
  json["half"] = token(drain.half);
  return json;
}

Json link_row(const State& state, const Liveness& liveness, const LinkKey& key, const Link& link,
              int64_t own) {
  const Cluster& cluster = state.clusters[key.cluster];
  const ClusterLiveness* known = known_of(liveness, cluster.name);
  const bool refused = shows_refusal(known, liveness.now);
  const char* status = status_word(state, key, link);
  auto [reason, detail] = why(state, known, refused, key, link);
  const bool alone = key.remote == kNoIndex;
  Json row;
  row["cluster"] = cluster.name;
  row["remote"] = alone ? Json(nullptr) : Json(state.clusters[key.remote].name);
  row["flow"] = alone ? Json(nullptr) : Json(key.import ? "import" : "export");
  row["status"] = status;
  row["reason"] = std::move(reason);
  row["detail"] = std::move(detail);
  row["agent"] = agent_word(cluster, refused);
  row["agent_version"] = agent_version(cluster, known);
  row["last_report"] =
      known != nullptr && known->last_report ? rows::time(*known->last_report) : Json(nullptr);
  const Instant heard = last_contact(liveness, cluster.name);
  row["last_heard"] = heard == kNever ? Json(nullptr) : rows::time(heard);
  const bool measured = known != nullptr && known->clock_off;
  row["clock_off_ms"] = measured ? Json(known->clock_off->middle_ms()) : Json(nullptr);
  row["clock_off_error_ms"] = measured ? Json(known->clock_off->error_ms()) : Json(nullptr);
  row["leases_return"] =
      cluster.expires_at == kNever ? Json(nullptr) : rows::time(cluster.expires_at);
  row["slots"] = {{"own", own}, {"exported", link.exported}, {"imported", link.imported}};
  row["leases"] = link.leases;
  row["stopped"] = cluster.stopped;
  row["mode"] = rows::mode_word(state);
  row["frozen"] = state.frozen;
  row["late_since"] =
      known != nullptr && known->late_since ? rows::time(*known->late_since) : Json(nullptr);
  const std::optional<Drain> drain = drain_of(cluster, key);
  row["draining"] = drain.has_value();
  row["drain"] = drain ? drain_json(*drain) : Json(nullptr);
  row["left"] = drain ? Json(link.left) : Json(nullptr);
  row["in_quarantine"] = link.in_quarantine;
  row["unanswered"] = link.unanswered;
  row["malformed"] = known == nullptr ? 0 : known->malformed;
  row["dropped"] = known == nullptr ? 0 : known->dropped;
  return row;
}

}  // namespace

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
