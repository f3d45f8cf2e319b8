#include "agent/io/state/kept_limits.hpp"

#include <algorithm>
#include <string>

#include "agent/core/limits/cap_bounds.hpp"
#include "agent/workload/support/kept_row.hpp"

namespace leasehold::agent {

namespace {

int64_t signed_of(uint64_t value) {
  return static_cast<int64_t>(value);
}

std::optional<OpenLowering> lowering_of(const KeptRow& row) {
  if (row.null(3)) return std::nullopt;
  const auto kind = row.number(3, 0, static_cast<int64_t>(wire::Lowering::shrink));
  return OpenLowering{static_cast<wire::Lowering>(kind), row.slots(4), row.flag(5)};
}

/// The hosts stand one after another, as they were put.
void load_hosts(SQLite::Database& db, GroupLimits& group) {
  const bool whole = db.execAndGet("pragma user_version").getInt() >= 3;  // else read only
  SQLite::Statement rows(db, std::string("select host, slots_limit, slots_exported, lowering, "
                                         "lowering_target, ") +
                                 (whole ? "lowering_whole" : "0") +
                                 " from host_limit where generation = ? order by host");
  rows.bind(1, signed_of(group.generation));
  while (rows.executeStep()) {
    const KeptRow row(rows, "host_limit");
    const auto next = static_cast<int64_t>(group.hosts.size());
    row.number(0, next, next);
    HostLimit& host = group.hosts.emplace_back();
    host.limit = row.slots(1, 0, kCapLimitMax);
    host.exported = row.slots(2);
    host.lowering = lowering_of(row);
  }
}

std::string name_of(uint64_t generation) {
  return "group " + std::to_string(generation);
}

}  // namespace

std::vector<GroupLimits> load_limits(SQLite::Database& db) {
  std::vector<GroupLimits> limits;
  SQLite::Statement groups(
      db, "select generation, role, seq, ever_used, grace_ms from group_limit order by 1");
  while (groups.executeStep()) {
    const KeptRow row(groups, "group_limit");
    GroupLimits& group = limits.emplace_back();
    group.generation = row.bits(0);
    group.role = row.number(1, 0, 1) == 0 ? wire::Role::provider : wire::Role::consumer;
    group.seq = row.bits(2);
    group.ever_used = row.flag(3);
    group.grace_ms = row.length_ms(4);
    load_hosts(db, group);
  }
  return limits;
}

void check_limits(const wire::Configuration& configuration,
                  const std::vector<GroupLimits>& limits) {
  int64_t limits_sum = 0;
  int64_t exports_sum = 0;
  for (const GroupLimits& group : limits) {
    for (const HostLimit& host : group.hosts) {
      limits_sum += host.limit;
      exports_sum += host.exported;
    }
  }
  if (limits_sum > kCapLimitMax || exports_sum > kSlotsMax) {
    throw DamagedRow("the sum of host_limit.slots_limit, or of slots_exported, is more than " +
                     std::to_string(kCapLimitMax) + " or " + std::to_string(kSlotsMax));
  }
  for (const wire::ConfiguredGroup& group : configuration.groups) {
    const auto known = std::find_if(limits.begin(), limits.end(), [&group](const auto& one) {
      return one.generation == group.generation;
    });
    if (known != limits.end() && known->hosts.size() < group.hosts.size()) {
      throw DamagedRow(name_of(group.generation) + " of the configuration has " +
                       std::to_string(group.hosts.size()) + " hosts, and host_limit fewer of them");
    }
  }
}

namespace {

void put_host(SQLite::Statement& put, uint64_t generation, uint32_t position,
              const HostLimit& host) {
  put.bind(1, signed_of(generation));
  put.bind(2, position);
  put.bind(3, host.limit);
  put.bind(4, host.exported);
  if (host.lowering) {
    put.bind(5, static_cast<int>(host.lowering->kind));
    put.bind(6, host.lowering->target);
  } else {
    put.bind(5);
    put.bind(6);
  }
  put.bind(7, host.lowering && host.lowering->whole ? 1 : 0);
  put.exec();
  put.reset();
}

}  // namespace

void forget_limits(SQLite::Database& db, uint64_t generation) {
  for (const char* sql : {"delete from group_limit where generation = ?",
                          "delete from host_limit where generation = ?"}) {
    SQLite::Statement gone(db, sql);
    gone.bind(1, signed_of(generation));
    gone.exec();
  }
}

void put_limits(SQLite::Database& db, const GroupLimits& group) {
  forget_limits(db, group.generation);
  SQLite::Statement put(db, "insert into group_limit values (?, ?, ?, ?, ?)");
  put.bind(1, signed_of(group.generation));
  put.bind(2, static_cast<int>(group.role));
  put.bind(3, signed_of(group.seq));
  put.bind(4, group.ever_used ? 1 : 0);
  put.bind(5, group.grace_ms);
  put.exec();
  SQLite::Statement host(db, "insert into host_limit values (?, ?, ?, ?, ?, ?, ?)");
  for (uint32_t i = 0; i < group.hosts.size(); ++i) {
    put_host(host, group.generation, i, group.hosts[i]);
  }
}

}  // namespace leasehold::agent
