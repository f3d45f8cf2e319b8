// hosts: the slots of each host of each cluster, and which clusters lease them.
#include <map>
#include <optional>

#include "broker/views/leases/divisions.hpp"
#include "broker/views/leases/horizons.hpp"
#include "broker/views/leases/not_up.hpp"
#include "broker/views/leases/order_words.hpp"
#include "broker/views/rows.hpp"
#include "broker/views/views.hpp"

namespace leasehold {

namespace {

struct Leased {
  int64_t slots = 0;     // slots that it holds
  int64_t used = 0;      // slots that its jobs use
  int64_t withheld = 0;  // held slots that it may not use while the host is down
};

struct HostTotals {
  bool in_quarantine = false;
  int64_t exported = 0;
  int64_t unallocated = 0;
  std::map<uint32_t, Leased> leased_to;    // by consumer cluster
  std::map<uint32_t, Instant> down_since;  // consumers that report it down
};

/// Exported slots by (cluster, host).
using Exports = std::map<std::pair<uint32_t, uint32_t>, HostTotals>;

void note_member(HostTotals& totals, const SlotGroup& group, size_t host, size_t member) {
  const Holding& holding = group.at(host, member);
  const uint32_t cluster = group.members[member].cluster;
  if (holding.down_since != kNever) totals.down_since.emplace(cluster, holding.down_since);
  if (holding.held == 0) return;
  Leased& leased = totals.leased_to[cluster];
  leased.slots += holding.held;
  leased.used += holding.used;
  if (holding.withheld) leased.withheld += std::max(0, holding.held - holding.stated);
}

Exports exports_of(const State& state) {
  Exports exports;
  for (const SlotGroup& group : state.slot_groups) {
    const uint32_t provider = group.members[kProvider].cluster;
    for (size_t h = 0; h < group.hosts.size(); ++h) {
      if (group.hosts[h].exported == 0) continue;
      HostTotals& totals = exports[{provider, group.hosts[h].host}];
      totals.in_quarantine = totals.in_quarantine || group.quarantined;
      totals.exported += group.hosts[h].exported;
      totals.unallocated += group.hosts[h].unallocated;
      for (size_t m = kProvider + 1; m < group.members.size(); ++m) {
        note_member(totals, group, h, m);
      }
    }
  }
  return exports;
}

const char* host_word(const Cluster& cluster, const Host& host) {
  if (cluster.contact == Contact::lost) return "unknown";
  if (!host.present) return "absent";
  if (host.closed) return "closed";
  if (host.facts.up) return "ok";
  return host.facts.not_up == wire::NotUp::unsaid ? "down" : token(host.facts.not_up);
}

/// Returns the slots that the owner's own jobs use; nullopt: its agent has not reported it.
std::optional<int64_t> used_by_owner(const Liveness& liveness, const Cluster& cluster,
                                     const Host& host) {
  const auto known = liveness.clusters.find(cluster.name);
  if (known == liveness.clusters.end()) return std::nullopt;
  const auto used = known->second.used_by_host.find(host.facts.name);
  if (used == known->second.used_by_host.end()) return std::nullopt;
  return used->second;
}

/// Adds the slots that all use, and that the owner uses; each lessee's part is in `leased_to`.
void add_used(Json& row, std::optional<int64_t> by_owner, const HostTotals& totals) {
  int64_t by_others = 0;
  for (const auto& [consumer, leased] : totals.leased_to) by_others += leased.used;
  row["used"] = by_owner ? Json(*by_owner + by_others) : Json(nullptr);
  row["used_by_owner"] = by_owner ? Json(*by_owner) : Json(nullptr);
}

/// Lists who reports the host down, or drains it, and what follows from that.
Json down_at(const State& state, const Cluster& cluster, const Host& host,
             const HostTotals& totals) {
  Json list = Json::array();
  if (host.present && !host.facts.up) {
    list.push_back(
        {{"cluster", cluster.name},
         {"since", rows::time(host.down_since)},
         {"why", not_up_words(state, host, "its owner") + ": nobody else starts work there"}});
  }
  for (const auto& [consumer, since] : totals.down_since) {
    list.push_back({{"cluster", state.clusters[consumer].name},
                    {"since", rows::time(since)},
                    {"why", "it is down or drained there: its idle slots go back"}});
  }
  return list;
}

Json closed_for_orders(const Host& host) {
  Json list = Json::array();
  for (size_t i = 0; i < host.closed_for.size(); ++i) {
    Json order = order_json(host.closed_for_orders[i]);
    order["cluster"] = host.closed_for[i];
    list.push_back(std::move(order));
  }
  return list;
}

Json row_of_host(const State& state, const Liveness& liveness, const Cluster& cluster,
                 const Host& host, const HostTotals& totals) {
  Json row;
  row["host"] = host.facts.name;
  row["cluster"] = cluster.name;
  row["local_name"] = host.present ? Json(host.facts.name) : Json(nullptr);
  row["state"] = host_word(cluster, host);
  row["slots"] = host.present ? Json(host.facts.slots) : Json(nullptr);
  row["exported"] = totals.exported;
  row["unallocated"] = totals.unallocated;
  add_used(row, used_by_owner(liveness, cluster, host), totals);
  Json& leased = row["leased_to"] = Json::array();
  for (const auto& [consumer, slots] : totals.leased_to) {
    leased.push_back({{"cluster", state.clusters[consumer].name},
                      {"slots", slots.slots},
                      {"used", slots.used},
                      {"withheld", slots.withheld}});
  }
  row["in_quarantine"] = totals.in_quarantine;
  row["closed_for"] = host.closed_for;
  row["closed"] = host.closed ? order_json(host.closed_order) : Json(nullptr);
  row["closed_for_orders"] = closed_for_orders(host);
  row["down"] = down_at(state, cluster, host, totals);
  row["divisible"] = host.present ? divisible_json(host) : Json(nullptr);
  row["division"] = host.present ? division_json(state, cluster, host) : Json::array();
  row["horizon"] = host.present ? horizon_json(state, host) : Json(nullptr);
  return row;
}

}  // namespace

Json view_hosts(const State& state, const Liveness& liveness, bool exported_only) {
  const Exports exports = exports_of(state);
  Json list = Json::array();
  for (uint32_t c = 0; c < state.clusters.size(); ++c) {
    const Cluster& cluster = state.clusters[c];
    for (uint32_t h = 0; h < cluster.hosts.size(); ++h) {
      auto found = exports.find({c, h});
      const bool is_exported = found != exports.end();
      if (!is_exported && (exported_only || !cluster.hosts[h].present)) continue;
      const HostTotals totals = is_exported ? found->second : HostTotals{};
      list.push_back(row_of_host(state, liveness, cluster, cluster.hosts[h], totals));
    }
  }
  return list;
}

}  // namespace leasehold
