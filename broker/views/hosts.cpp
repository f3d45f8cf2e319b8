// hosts: the slots of each host of each cluster, and whom they are leased to.
#include <map>

#include "broker/views/rows.hpp"
#include "broker/views/views.hpp"

namespace leasehold {

namespace {

struct HostTotals {
  int64_t exported = 0;
  int64_t unallocated = 0;
  std::map<uint32_t, int64_t> leased_to;  // consumer cluster -> slots it holds
};

/// (cluster, host) -> what is exported of it
using Exports = std::map<std::pair<uint32_t, uint32_t>, HostTotals>;

Exports exports_of(const State& state) {
  Exports exports;
  for (const Group& group : state.groups) {
    const uint32_t provider = group.members[kProvider].cluster;
    for (size_t h = 0; h < group.hosts.size(); ++h) {
      if (group.hosts[h].exported == 0) continue;
      HostTotals& totals = exports[{provider, group.hosts[h].host}];
      totals.exported += group.hosts[h].exported;
      totals.unallocated += group.hosts[h].unallocated;
      for (size_t m = kProvider + 1; m < group.members.size(); ++m) {
        const int32_t held = group.at(h, m).held;
        if (held > 0) totals.leased_to[group.members[m].cluster] += held;
      }
    }
  }
  return exports;
}

const char* host_word(const Cluster& cluster, const Host& host) {
  if (cluster.contact == Contact::lost) return "unknown";
  if (!host.present) return "absent";
  if (host.closed) return "closed";
  return host.facts.up ? "ok" : "down";
}

Json used_on(const Liveness& liveness, const Cluster& cluster, const Host& host) {
  auto known = liveness.clusters.find(cluster.name);
  if (known == liveness.clusters.end()) return nullptr;
  auto used = known->second.used_by_host.find(host.facts.name);
  return used == known->second.used_by_host.end() ? Json(nullptr) : Json(used->second);
}

Json row_of(const State& state, const Liveness& liveness, const Cluster& cluster, const Host& host,
            const HostTotals& totals) {
  Json row;
  row["host"] = host.facts.name;
  row["cluster"] = cluster.name;
  row["local_name"] = host.present ? Json(host.facts.name) : Json(nullptr);
  row["state"] = host_word(cluster, host);
  row["slots"] = host.present ? Json(host.facts.slots) : Json(nullptr);
  row["exported"] = totals.exported;
  row["unallocated"] = totals.unallocated;
  row["used"] = used_on(liveness, cluster, host);
  Json& leased = row["leased_to"] = Json::array();
  for (const auto& [consumer, slots] : totals.leased_to) {
    leased.push_back({{"cluster", state.clusters[consumer].name}, {"slots", slots}});
  }
  row["closed_for"] = host.closed_for;
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
      list.push_back(row_of(state, liveness, cluster, cluster.hosts[h], totals));
    }
  }
  return list;
}

}  // namespace leasehold
