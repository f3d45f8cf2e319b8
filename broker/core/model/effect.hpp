// Effects: everything the broker does to the world. Filled by step(), carried out by a shell only
// after the batch that they belong to is committed. Flat rows, reused: no allocation in the long
// run.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "broker/core/model/containers/index_set.hpp"
#include "common/index.hpp"
#include "common/reason.hpp"
#include "common/wire/message.hpp"

namespace leasehold {

/// One more group of an order.
struct SendPart {
  uint64_t generation = 0;  // 0: a later order of the same batch replaced it
  uint32_t first = 0;       // rows of Effects::ordered
  uint32_t count = 0;
};

/// An order, to be sent to the agent of `cluster` if its session is still this one. Generation 0: a
/// later order of the same batch replaced it.
struct SendOrder {
  uint32_t cluster = kNoIndex;
  uint64_t session = 0;
  uint64_t generation = 0;
  uint64_t seq = 0;
  int64_t grace_ms = 0;
  Reason reason = Reason::none;  // why slots are reclaimed, where any are
  uint32_t first = 0;            // rows of Effects::ordered
  uint32_t count = 0;
  uint32_t first_part = 0;  // of Effects::parts
  uint32_t parts = 0;
  uint32_t first_set = 0;  // of Effects::sets
  uint32_t sets = 0;
};

/// The agent of `cluster` needs a new configuration (agents/configuration.hpp makes it).
struct SendConfiguration {
  uint32_t cluster = kNoIndex;
};

/// Kinds of records: the history's vocabulary. Tokens: record_token().
enum class RecordKind : uint8_t {
  broker_started,
  config_loaded,
  windows_resolved,
  agent_up,
  agent_lost,
  inventory,
  group_created,
  group_draining,
  group_closed,
  lease_offered,
  lease_made,
  evaluation,  // the reason found, when it changed; numbers: number_names()
  flip,        // an evaluation moved slots: they were released
  observed,    // observe mode: what would have been moved
  transfer_started,
  transfer_released,
  transfer_granted,
  transfer_done,
  transfer_failed,
  exported,  // the slots exported of a host changed
  breach,
  breach_over,
  quarantine_over,
  database_older,
  alarm,
  operator_command,
  lease_expired,     // of a cluster: it was not renewed in time; of a group: its slots came back
  consumer,          // of a plan: what an evaluation found for one consumer, when it changed
  plan_changed,      // of a resource group: another window or a reloaded plan is in force
  clock_set,         // history goes on at an earlier instant: a wrong clock had made the later ones
  operator_refused,  // somebody tried what he may not do, or what cannot be done
  shadow,            // what a lease's shadow said beside the rule in force, when it changed
  work_ended,        // a job whose slots were wanted, and what became of it
  slots_used,        // whose work used borrowed slots, for a stretch of time
};
inline constexpr int kRecordKindCount = static_cast<int>(RecordKind::slots_used) + 1;

/// An operator's request in words that people use, or what became of a job. Empty: nothing to say.
struct Audit {
  std::string by;
  std::string where;    // whence: an address, or "local"
  std::string verb;     // "drain"
  std::string object;   // "east", "big1@east", a lease
  std::string options;  // "--provider --until 2026-11-22T18:00:00.000Z"
  std::string why;      // the reason given, or why it was refused
  std::string job = {};
  std::string user = {};  // whose job, where its site tells
  std::string fate = {};  // token
  std::optional<int64_t> exit_code = std::nullopt;
  std::string session = {};  // as `user`
  std::string account = {};
  bool operator==(const Audit&) const = default;
};

/// One line of history: what was decided or happened, with the numbers it was made from.
struct Record {
  RecordKind kind = RecordKind::evaluation;
  Reason reason = Reason::none;
  uint32_t group = kNoIndex;     // index of a slot group
  uint32_t member = kNoIndex;    // of it, where its group has several leases (State, lease_id)
  uint32_t plan = kNoIndex;      // in State::resource_groups, where the record is of no slot group
  uint32_t consumer = kNoIndex;  // in ResourceGroupLedger::consumers of that plan
  uint32_t cluster = kNoIndex;   // for records of a cluster
  uint32_t from = kNoIndex;      // cluster that gives, kNoIndex: none
  uint32_t to = kNoIndex;        // cluster that gets
  int32_t slots = 0;
  uint64_t epoch = 0;
  std::array<int64_t, 6> numbers{};
  std::shared_ptr<const Audit> audit = nullptr;  // of what operators did and tried, and of jobs
  Reason rule_reason = Reason::none;             // of a shadow: what the rule in force found there
};

/// The meaning of Record::numbers by kind (JSON keys; "" = not used).
using NumberNames = std::array<const char*, 6>;
const NumberNames& number_names(RecordKind kind);
const char* record_token(RecordKind kind);

struct Effects {
  std::vector<SendOrder> orders;
  std::vector<SendConfiguration> configurations;
  std::vector<Record> records;
  std::vector<wire::OrderedHost> ordered;
  std::vector<SendPart> parts;
  std::vector<wire::ReclaimSet> sets;
  IndexSet to_configure;  // the clusters of `configurations`, to find one

  template <class T>
  std::span<const wire::OrderedHost> hosts_of(const T& order) const {
    return std::span(ordered).subspan(order.first, order.count);
  }
  std::span<const SendPart> parts_of(const SendOrder& order) const {
    return std::span(parts).subspan(order.first_part, order.parts);
  }
  std::span<const wire::ReclaimSet> sets_of(const SendOrder& order) const {
    return std::span(sets).subspan(order.first_set, order.sets);
  }
  /// Writes the order in its wire form. `configuration`: the number of the last one sent to that
  /// cluster.
  void write(const SendOrder& from, uint64_t configuration, wire::Order& to) const;
  /// Adds the cluster to `configurations`, if it is not there yet.
  void configure(uint32_t cluster) {
    if (to_configure.contains(cluster)) return;
    to_configure.insert(cluster);
    configurations.push_back({cluster});
  }
  bool empty() const { return orders.empty() && configurations.empty() && records.empty(); }
  void clear() {
    orders.clear();
    for (const SendConfiguration& sent : configurations) to_configure.erase(sent.cluster);
    configurations.clear();
    records.clear();
    ordered.clear();
    parts.clear();
    sets.clear();
  }
};

}  // namespace leasehold
