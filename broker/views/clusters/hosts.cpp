// hosts: the slots of each host of each cluster, and which clusters lease them.
#include <map>
#include <optional>

#include "broker/core/model/queries/horizons.hpp"
#include "broker/views/answer.hpp"
#include "broker/views/leases/divisions.hpp"
#include "broker/views/leases/horizons.hpp"
#include "broker/views/leases/not_up.hpp"
#include "broker/views/leases/order_words.hpp"
#include "broker/views/lists/listings.hpp"
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
  /// Consumers that start nothing there any more before the export's window ends.
  std::map<uint32_t, Instant> window_ends;
};

/// Maps (cluster, host) to exported slots.
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
  const std::vector<Interval> windows = last_windows(state);
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
        if (!group.members[m].window_ends || group.policy >= windows.size()) continue;
        totals.window_ends.emplace(group.members[m].cluster, windows[group.policy].to);
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

struct HostRow {
  const State& state;
  const Cluster& cluster;
  const Host& host;
  const HostTotals& totals;
  std::optional<int64_t> by_owner;  // slots
};

/// Returns the slots that all use, the owner and lessees.
Json used_of(const HostRow& row) {
  if (!row.by_owner) return nullptr;
  int64_t used = *row.by_owner;
  for (const auto& [consumer, leased] : row.totals.leased_to) used += leased.used;
  return used;
}

Json leased_to_json(const HostRow& row) {
  Json list = Json::array();
  for (const auto& [consumer, leased] : row.totals.leased_to) {
    list.push_back({{"cluster", row.state.clusters[consumer].name},
                    {"slots", leased.slots},
                    {"used", leased.used},
                    {"withheld", leased.withheld}});
  }
  return list;
}

std::string host_cell(const Json& row, const char* name) {
  return columns::text(row, name) + "@" + columns::text(row, "cluster");
}

std::string leased_to_cell(const Json& row, const char* name) {
  std::string list;
  for (const Json& lessee : list_at(row, name)) {
    list += (list.empty() ? "" : " ") + columns::text(lessee, "cluster") + "=" +
            columns::text(lessee, "slots");
  }
  return list.empty() ? "-" : list;
}

Json window_ends_json(const State& state, const HostTotals& totals) {
  Json list = Json::array();
  for (const auto& [cluster, at] : totals.window_ends) {
    list.push_back({{"cluster", state.clusters[cluster].name}, {"at", rows::time(at)}});
  }
  return list;
}

constexpr Field<HostRow> kHostFields[] = {
    {{"host", "HOST", kLeft, 0, host_cell}, [](auto& r) { return r.host.facts.name; }},
    {{"cluster"}, [](auto& r) { return r.cluster.name; }},
    {{"local_name"}, [](auto& r) { return r.host.present ? Json(r.host.facts.name) : Json(); }},
    {{"state", "STATE", kStatus}, [](auto& r) { return host_word(r.cluster, r.host); }},
    {{"slots", "SLOTS", kRight},
     [](auto& r) { return r.host.present ? Json(r.host.facts.slots) : Json(); }},
    {{"exported", "EXPORTED", kRight}, [](auto& r) { return r.totals.exported; }},
    {{"unallocated", "UNALLOCATED", kRight, 1}, [](auto& r) { return r.totals.unallocated; }},
    {{"used", "USED", kRight}, used_of},
    {{"used_by_owner", "BY OWNER", kRight, 2}, [](auto& r) { return rows::or_null(r.by_owner); }},
    {{"leased_to", "LEASED TO", kLeft, 0, leased_to_cell}, leased_to_json},
    {{"in_quarantine"}, [](auto& r) { return r.totals.in_quarantine; }},
    {{"closed_for"}, [](auto& r) { return r.host.closed_for; }},
    {{"closed"}, [](auto& r) { return r.host.closed ? order_json(r.host.closed_order) : Json(); }},
    {{"closed_for_orders"}, [](auto& r) { return closed_for_orders(r.host); }},
    {{"down"}, [](auto& r) { return down_at(r.state, r.cluster, r.host, r.totals); }},
    {{"divisible"}, [](auto& r) { return r.host.present ? divisible_json(r.host) : Json(); }},
    {{"division"},
     [](auto& r) {
       return r.host.present ? division_json(r.state, r.cluster, r.host) : Json::array();
     }},
    {{"horizon"},
     [](auto& r) { return r.host.present ? horizon_json(r.state, r.cluster, r.host) : Json(); }},
    {{"window_ends"}, [](auto& r) { return window_ends_json(r.state, r.totals); }},
};

}  // namespace

std::span<const columns::Column> host_fields() {
  return shown_of<kHostFields>();
}

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
      list.push_back(
          row_json(kHostFields, HostRow{state, cluster, cluster.hosts[h], totals,
                                        used_by_owner(liveness, cluster, cluster.hosts[h])}));
    }
  }
  return list;
}

}  // namespace leasehold
