// The configuration as the core sees it: already checked, every default filled in.
// Not the file (broker/config reads that) and not what only the daemon needs
// (broker/config/daemon.hpp). Recorded in full with the history, so that every decision can be
// computed again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/model/containers/shared_list.hpp"
#include "broker/rules/plan/plan.hpp"
#include "broker/rules/rules.hpp"
#include "common/time/instant.hpp"
#include "common/tokens.hpp"

namespace leasehold {

/// Under `observe` rules are asked and their answers recorded, but no order is sent, no statement
/// changes the ledger and no lease expires.
enum class Mode : uint8_t { lease = 0, observe = 1 };
constexpr auto tokens_of(Mode) {
  using enum Mode;
  return tokens<Mode>({{lease, "lease"}, {observe, "observe"}});
}

/// The unit in which a lease moves: single slots, or all exported slots of a host together.
enum class LeaseUnit : uint8_t { slot = 0, host = 1 };
constexpr auto tokens_of(LeaseUnit) {
  using enum LeaseUnit;
  return tokens<LeaseUnit>({{slot, "slot"}, {host, "host"}});
}

/// A stretch of time in which a policy exports: [from, to).
struct Interval {
  Instant from;
  Instant to;
  bool operator==(const Interval&) const = default;
};

/// The place where a setting is written; for people.
struct Source {
  std::string file;
  int line = 0;
  bool operator==(const Source&) const = default;
};

struct Share {
  std::string cluster;
  int64_t shares = 1;
  bool operator==(const Share&) const = default;
};

/// One list, however often it is held: as configured, of the policy in force, as written last.
using Shares = SharedList<Share>;

/// A window as written; days empty: every day. Minutes of the day, to <= 1440, may wrap midnight.
struct WeekWindow {
  std::vector<uint8_t> days;  // 0 = Sunday
  int32_t from_min = 0;
  int32_t to_min = 0;
  bool operator==(const WeekWindow&) const = default;
};

struct ClusterConfig {
  std::string name;
  std::string public_key;              // CURVE, Z85; several with a space between (common/key.hpp)
  int64_t reclaim_delay_ms = 600'000;  // in force for the policies of this provider
  Source source;
  bool operator==(const ClusterConfig&) const = default;
};

inline constexpr int64_t kDemandMinHoldMs = 30'000;
/// Two report intervals of the usual 15 s, and 30 s.
inline constexpr int64_t kDemandUseByMs = 60'000;

/// LSF HostExport. Either `hosts` with slots_per_host, or `select` with nhosts (whole hosts).
struct ExportPolicy {
  std::string name;
  std::string provider;
  std::vector<std::string> hosts;
  int32_t slots_per_host = 0;
  std::string select;  // "" with `hosts`; else a resource requirement (broker/rules/select)
  int32_t nhosts = 0;
  Shares distribution;  // never names the provider
  LeaseType type{};     // exclusive
  RuleKind rule = usual_rule(LeaseType{});
  int32_t initial_slots = 1;
  int64_t reclaim_grace_ms = 0;
  int64_t mem_mb = 0;
  int64_t swap_mb = 0;
  bool reselect = false;
  std::vector<WeekWindow> windows;  // empty: always
  std::string timezone = "UTC";
  Source source;
  bool by_host = false;  // with `hosts`: each host goes to one consumer, dealt round by shares
  std::optional<RuleKind> shadow;  // decided and recorded beside the rule, never ordered
  // Settings of demand-aware; absent: kDemandMinHoldMs and kDemandUseByMs.
  std::optional<int64_t> min_hold_ms;
  std::optional<int64_t> use_by_ms;
  bool provider_first = false;
  LeaseUnit unit = LeaseUnit::slot;
  /// The rule is the usual one because the policy's TOML names none. For people alone: it changes
  /// no decision. False for policies of LSF's own files, and in records that are older than it.
  bool rule_by_default = false;
  bool operator==(const ExportPolicy&) const = default;
};

/// Returns the rule that decides the leases of the policy.
constexpr const Rule& rule_in_force(const ExportPolicy& policy) {
  const Rule& named = row_of(policy.rule);
  return named.type == policy.type ? named : row_of(usual_rule(policy.type));
}

/// From that minute of the week on (Sunday 00:00 is 0) another variant of a plan is in force.
struct PlanChange {
  int32_t minute = 0;
  uint32_t variant = 0;
  bool operator==(const PlanChange&) const = default;
};

/// A resource group: the slots of several export policies, shared by a resource plan. Such a policy
/// has no distribution; members are the clusters of the plan's leaves.
struct ResourceGroup {
  std::string name;
  std::vector<std::string> policies;  // in the group's order, which is that of its hosts too
  int64_t cycle_ms = 10'000;          // how often the plan is evaluated
  /// At most so often besides, where a report shows demand that idle slots can meet; 0: at once.
  int64_t react_ms = 1'000;
  /// The plan for each set of windows that may hold at once; [0]: outside of all of them. They
  /// differ in numbers only: all have the same consumers at the same positions.
  std::vector<Plan> variants;
  /// The plan from each instant on, ascending; before the first: the last. Empty: always [0]. For
  /// the shell, which resolves them (ResolvedWindows::plans).
  std::vector<PlanChange> week;
  std::string timezone = "UTC";
  Source source;
  /// Slots that were given for the shapes of waiting work are to be used; absent: kDemandUseByMs.
  std::optional<int64_t> use_by_ms = std::nullopt;
  bool operator==(const ResourceGroup&) const = default;
};

/// One SharedResourceExport of LSF.
struct SharedResource {
  std::string name;
  std::string provider;
  int64_t instances = 0;
  Shares distribution;
  Source source;
  bool operator==(const SharedResource&) const = default;
};

struct BrokerConfig {
  std::string name = "broker";
  Mode mode = Mode::lease;
  int64_t reclaim_delay_ms = 600'000;
  int64_t agent_timeout_ms = 60'000;
  int64_t transfer_timeout_ms = 30'000;
  int64_t leeway_ms = 120'000;
  std::vector<ClusterConfig> clusters;
  std::vector<ExportPolicy> policies;
  std::vector<SharedResource> resources;
  std::vector<ResourceGroup> resource_groups;
  int64_t lease_ttl_ms = 0;  // 0: a lease never ends by itself, as in LSF
  bool operator==(const BrokerConfig&) const = default;
};

/// The times at which each windowed policy exports, resolved to instants by the shell (the core
/// knows no zones). A policy without windows has no entry and is always open.
struct ResolvedWindows {
  Instant until;  // resolved up to here; the shell resolves again in good time
  struct PolicyWindows {
    std::string policy;
    std::vector<Interval> open;  // ascending, disjoint
    bool operator==(const PolicyWindows&) const = default;
  };
  std::vector<PolicyWindows> policies;
  /// The variant of a resource group's plan that is in force from an instant on.
  struct PlanPeriod {
    Instant from;
    uint32_t variant = 0;
    bool operator==(const PlanPeriod&) const = default;
  };
  struct PlanWindows {
    std::string resource_group;
    std::vector<PlanPeriod> periods;  // ascending; the first holds before it too
    bool operator==(const PlanWindows&) const = default;
  };
  std::vector<PlanWindows> plans;  // one without windows has no entry: variant 0
  bool operator==(const ResolvedWindows&) const = default;
};

}  // namespace leasehold
