#include "agent/core/limits/limits.hpp"

#include <algorithm>
#include <string>

#include "common/canary.hpp"

namespace leasehold::agent {

int32_t kept_limit(const HostLimit& host) {
  return host.lowering ? std::min(host.limit, host.lowering->target) : host.limit;
}

int32_t enforced(const HostLimit& host) {
  return host.frozen ? 0 : std::max(0, kept_limit(host) - host.withheld);
}

Verdict judge(const GroupLimits& group, uint64_t seq) {
  if (seq < group.seq) return Verdict::refused;
  return seq == group.seq ? Verdict::repeated : Verdict::applies;
}

Status check_order(const wire::ConfiguredGroup& configured, const wire::Order& order) {
  std::vector<bool> named(configured.hosts.size(), false);
  const std::string group =
      "order " + std::to_string(order.seq) + " for group " + std::to_string(order.generation);
  for (const wire::OrderedHost& host : order.hosts) {
    if (host.host >= named.size()) {
      return fail(ErrorCode::refused, group + " names host " + std::to_string(host.host) +
                                          "; the group has " + std::to_string(named.size()));
    }
    if (named[host.host]) {
      return fail(ErrorCode::refused,
                  group + " names host " + std::to_string(host.host) + " twice");
    }
    named[host.host] = true;
  }
  return {};
}

namespace {

/// The cluster could use a slot while it was its own, and may still use it as a slot of the group
/// until an order says less. So a new group opens and closes nothing.
/// Contract: a limit for each configured host.
void take_new_exports(GroupLimits& group, const wire::ConfiguredGroup& configured) {
  if (group.role != wire::Role::provider) return;
  for (size_t i = 0; i < configured.hosts.size(); ++i) {
    HostLimit& host = group.hosts[i];
    const int32_t grown = configured.hosts[i].slots - host.exported;
    if (grown <= 0) continue;
    host.exported += grown;
    host.limit += grown;
  }
}

}  // namespace

GroupLimits begin_order(GroupLimits group, const wire::ConfiguredGroup& configured,
                        const wire::Order& order) {
  group.hosts.resize(configured.hosts.size());
  take_new_exports(group, configured);
  for (HostLimit& host : group.hosts) host.settling = false;
  for (const wire::OrderedHost& named : order.hosts) {
    HostLimit& host = group.hosts[named.host];
    if (named.limit >= host.limit) continue;
    host.lowering = OpenLowering{named.lowering, named.limit};
    host.settling = true;
  }
  return group;
}

bool fences_as_before(const GroupLimits& begun, const GroupLimits& before) {
  for (size_t i = 0; i < begun.hosts.size(); ++i) {
    if (!begun.hosts[i].settling) continue;
    if (i >= before.hosts.size() || begun.hosts[i].lowering != before.hosts[i].lowering) {
      return false;
    }
  }
  return true;
}

GroupLimits finish_order(GroupLimits begun, const wire::Order& order,
                         std::span<const int32_t> used) {
  GroupLimits group = std::move(begun);
  for (HostLimit& host : group.hosts) {
    host.lowering.reset();
    host.settling = false;
    host.frozen = false;
  }
  for (const wire::OrderedHost& named : order.hosts) {
    HostLimit& host = group.hosts[named.host];
    if (LEASEHOLD_CANARY(adds_increments) && named.limit > host.limit) {
      host.limit += named.limit;
      continue;
    }
    host.limit = named.limit >= host.limit
                     ? named.limit
                     : std::max(named.limit, std::min(host.limit, used[named.host]));
    if (host.limit > named.limit && named.lowering != wire::Lowering::release) {
      host.lowering = OpenLowering{named.lowering, named.limit};
    }
  }
  group.seq = order.seq;
  group.grace_ms = order.grace_ms;
  return group;
}

bool lower_to_use(GroupLimits& group, std::span<const int32_t> used) {
  bool fell = false;
  for (size_t i = 0; i < group.hosts.size(); ++i) {
    HostLimit& host = group.hosts[i];
    if (!host.lowering || host.settling) continue;
    if (host.lowering->whole && used[i] > 0) continue;
    const int32_t limit = std::max(host.lowering->target, std::min(host.limit, used[i]));
    fell = fell || limit < host.limit;
    host.limit = std::min(host.limit, limit);
    if (host.limit <= host.lowering->target) host.lowering.reset();
  }
  return fell;
}

void keep_configured(GroupLimits& group, const wire::ConfiguredGroup& configured) {
  group.hosts.resize(std::max(group.hosts.size(), configured.hosts.size()));
  if (group.role != wire::Role::provider) return;
  for (size_t i = 0; i < configured.hosts.size(); ++i) {
    HostLimit& host = group.hosts[i];
    const int32_t ended = host.exported - configured.hosts[i].slots;
    if (ended <= 0) continue;
    host.exported -= ended;
    host.limit = std::max(0, host.limit - ended);
  }
}

void close_all(GroupLimits& group) {
  for (HostLimit& host : group.hosts) {
    if (host.limit == 0) continue;
    host.lowering = OpenLowering{wire::Lowering::shrink, 0};
    host.settling = true;
  }
}

void drop_order(GroupLimits& group, const GroupLimits& before) {
  for (size_t i = 0; i < group.hosts.size(); ++i) {
    if (!group.hosts[i].settling) continue;
    group.hosts[i].settling = false;
    group.hosts[i].lowering.reset();
    if (i < before.hosts.size()) group.hosts[i].lowering = before.hosts[i].lowering;
  }
}

}  // namespace leasehold::agent
