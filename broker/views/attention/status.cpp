// status: the whole site on one screen.
#include <algorithm>
#include <map>

#include "broker/core/agents/lease_bounds.hpp"
#include "broker/views/attention/attention.hpp"
#include "broker/views/attention/needs.hpp"
#include "broker/views/clusters/contact.hpp"
#include "broker/views/leases/order_words.hpp"
#include "broker/views/rows.hpp"
#include "broker/views/views.hpp"
#include "common/version.hpp"

namespace leasehold {

namespace {

Json drained(const State& state) {
  Json list = Json::array();
  const auto add = [&list](const Cluster& cluster, DrainSide half, const OrderInForce& order) {
    Json row = order_json(order);
    row["cluster"] = cluster.name;
    row["half"] = token(half);
    list.push_back(std::move(row));
  };
  for (const Cluster& cluster : state.clusters) {
    if (cluster.draining_exports) add(cluster, DrainSide::exports, cluster.exports_order);
    if (cluster.draining_imports) add(cluster, DrainSide::imports, cluster.imports_order);
  }
  return list;
}

int64_t hosts_closed(const State& state) {
  int64_t closed = 0;
  for (const Cluster& cluster : state.clusters) {
    closed += std::count_if(cluster.hosts.begin(), cluster.hosts.end(), [](const Host& host) {
      return host.closed || !host.closed_for.empty();
    });
  }
  return closed;
}

Json silent_row(const State& state, const Cluster& cluster, Instant contact_at) {
  Json row;
  row["cluster"] = cluster.name;
  row["agent"] = cluster.contact == Contact::ok ? "silent" : cluster.stopped ? "stopped" : "lost";
  row["last_heard"] = rows::time(contact_at);
  row["then"] = nullptr;
  row["at"] = nullptr;
  if (cluster.contact == Contact::ok) {
    row["then"] = "it counts as lost (agent_timeout)";
    row["at"] = rows::time(contact_at + state.config.agent_timeout_ms);
  } else if (cluster.expires_at != kNever) {
    row["then"] = "what it leases returns to its providers";
    row["at"] = rows::time(cluster.expires_at);
  }
  return row;
}

/// Lists clusters that are lost, or silent for half of agent_timeout; a database knows only the
/// lost ones.
Json silent(const State& state, const Liveness& liveness) {
  Json list = Json::array();
  for (const Cluster& cluster : state.clusters) {
    if (!cluster.configured) continue;
    const Instant contact_at = last_contact(liveness, cluster.name);
    const bool late = is_late(state, contact_at, attention::now_of(state, liveness));
    if (cluster.contact == Contact::lost || late) {
      list.push_back(silent_row(state, cluster, contact_at));
    }
  }
  return list;
}

struct Sums {
  int64_t leases = 0;
  std::map<Phase, int64_t> by_phase;
  int64_t breaches = 0;
  int64_t transfers = 0;
  Instant oldest = kNever;
  int64_t exported = 0, provider = 0, consumers = 0, in_transfer = 0, unallocated = 0;
  int64_t provider_used = 0, consumers_used = 0;
};

void add_rows(Sums& sums, const SlotGroup& group) {
  for (size_t row = 0; row < group.hosts.size(); ++row) {
    sums.exported += group.hosts[row].exported;
    sums.in_transfer += group.hosts[row].in_transfer;
    sums.unallocated += group.hosts[row].unallocated;
    for (size_t m = 0; m < group.members.size(); ++m) {
      const Holding& holding = group.at(row, m);
      (m == kProvider ? sums.provider : sums.consumers) += holding.held;
      (m == kProvider ? sums.provider_used : sums.consumers_used) +=
          std::min(holding.used, holding.held);
    }
  }
}

Sums sums_of(const State& state) {
  Sums sums;
  for (uint32_t g = 0; g < state.slot_groups.size(); ++g) {
    const SlotGroup& group = state.slot_groups[g];
    if (group.phase == Phase::closed) continue;
    const auto leases = static_cast<int64_t>(leases_of(state, g).size());
    sums.leases += leases;
    sums.by_phase[group.phase] += leases;
    sums.breaches += group.breach ? 1 : 0;
    for (const Transfer& transfer : group.transfers) {
      ++sums.transfers;
      sums.oldest = std::min(sums.oldest, transfer.since);
    }
    add_rows(sums, group);
  }
  return sums;
}

Json clusters_of(const State& state) {
  int64_t all = 0, up = 0, degraded = 0, pending = 0;
  for (const Cluster& cluster : state.clusters) {
    if (!cluster.configured) continue;
    ++all;
    up += cluster.contact == Contact::ok ? 1 : 0;
    degraded += cluster.contact == Contact::ok && cluster.degraded ? 1 : 0;
    pending += cluster.pending;
  }
  return {{"all", all}, {"up", up}, {"degraded", degraded}, {"pending", pending}};
}

Json leases_json(const Sums& sums) {
  Json phases = Json::object();
  for (const Phase phase : {Phase::offered, Phase::active, Phase::inactive, Phase::draining}) {
    const auto found = sums.by_phase.find(phase);
    phases[std::string(token(phase))] = found == sums.by_phase.end() ? 0 : found->second;
  }
  return {{"all", sums.leases}, {"by_phase", std::move(phases)}, {"in_breach", sums.breaches}};
}

Json slots_json(const Sums& sums) {
  return {{"exported", sums.exported},
          {"provider", sums.provider},
          {"provider_used", sums.provider_used},
          {"consumers", sums.consumers},
          {"consumers_used", sums.consumers_used},
          {"in_transfer", sums.in_transfer},
          {"unallocated", sums.unallocated}};
}

Json tables_json(const TablesStatus& of) {
  return {{"file", of.file},
          {"made", of.made ? rows::time(*of.made) : Json(nullptr)},
          {"every_ms", of.every_ms},
          {"failing", rows::text_or_null(of.failing)}};
}

}  // namespace

Json view_status(const State& state, const Liveness& liveness) {
  const Sums sums = sums_of(state);
  const bool live = liveness.agents_known;
  Json status;
  status["broker"] = state.config.name;
  status["version"] = kVersion;
  status["time"] = rows::time(attention::now_of(state, liveness));
  status["started"] = live ? rows::time(state.started) : Json(nullptr);
  status["mode"] = rows::mode_word(state);
  status["frozen"] = state.frozen ? order_json(state.freeze_order) : Json(nullptr);
  status["drained"] = drained(state);
  status["hosts_closed"] = hosts_closed(state);
  status["clusters"] = clusters_of(state);
  status["silent"] = silent(state, liveness);
  status["leases"] = leases_json(sums);
  status["slots"] = slots_json(sums);
  status["transfers"] = {{"open", sums.transfers}, {"oldest_since", rows::time(sums.oldest)}};
  const auto& tables = liveness.leader_view.tables;
  status["tables"] = tables ? tables_json(*tables) : Json(nullptr);
  status["attention"] = view_attention(state, liveness).size();
  status["freeze_ahead"] = state.freeze_ahead ? order_json(*state.freeze_ahead) : Json(nullptr);
  return status;
}

}  // namespace leasehold
