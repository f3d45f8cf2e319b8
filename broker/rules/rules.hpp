// Rules: one row for each rule of leases. The row says what the rule is called, what it reads, and
// what it answers; whoever must know something of "the rule" asks its row and names no rule. A rule
// is a pure function of what it reads; it knows nothing of transfers, orders and deadlines.
// README.md beside this file lists what a new rule touches.
//
// A row here is for a rule that decides who of a lease's two members gets idle slots. What else
// decides about slots stands elsewhere:
//  - the most that a member may hold of a host: closed_to(), member_cap() and consumer_cap()
//    (broker/core/model/queries/hosts.hpp); whoever changes what they read marks the groups with
//    Cause::caps_changed;
//  - what is exported, and how it is divided: broker/core/exports/policies
//    and broker/core/exports/reconcile;
//  - what a member of a plan is due: broker/rules/plan decides, broker/core/plan/cycle and
//    broker/core/ledger/clamp_dues write it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "broker/rules/demand_aware/decide.hpp"
#include "broker/rules/exclusive.hpp"
#include "broker/rules/idle_comparison.hpp"
#include "common/tokens.hpp"

namespace leasehold {

enum class LeaseType : uint8_t { exclusive = 0, shared = 1 };
constexpr auto tokens_of(LeaseType) {
  using enum LeaseType;
  return tokens<LeaseType>({{exclusive, "exclusive"}, {shared, "shared"}});
}

/// The numbers stand in logs, and so they never change.
enum class RuleKind : uint8_t { exclusive = 0, idle_comparison = 1, demand_aware = 2 };

/// Exactly one function is set. It says what the rule reads.
struct Rule {
  RuleKind kind;
  const char* name;  // in configurations, logs and answers
  LeaseType type;    // of the leases that it decides
  /// It reads the slots that the consumer is due and lacks. Of its answer an evaluation takes only
  /// the reason (broker/core/lease/summaries.cpp): the slots move by offer(), without the rule. A
  /// shadow's answer is recorded with its slots.
  RuleAnswer (*of_shortfall)(const Shortfall&) = nullptr;
  /// It reads totals: an evaluation then needs nothing of the lease but its LeaseSummary.
  RuleAnswer (*of_totals)(const IdleCounts&) = nullptr;
  /// It reads idle slots by host and the work that waits, and remembers what it did.
  demand_aware::Answer (*of_work)(const demand_aware::View&, const demand_aware::Ledger&) = nullptr;
  /// The outcome for a lease when its first job has made it: a sentence of `leasectl explain`, in
  /// which {consumer} and {when} (the next evaluation) are filled in.
  std::string_view once_made;
};

inline constexpr std::array kRules{
    Rule{.kind = RuleKind::exclusive,
         .name = "exclusive",
         .type = LeaseType::exclusive,
         .of_shortfall = exclusive,
         .once_made = "it is exclusive: {consumer} keeps its slots, used or not, and no evaluation "
                      "takes them back"},
    Rule{.kind = RuleKind::idle_comparison,
         .name = "idle-comparison",
         .type = LeaseType::shared,
         .of_totals = idle_comparison,
         .once_made = "from then on {when} compares idle slots"},
    Rule{.kind = RuleKind::demand_aware,
         .name = "demand-aware",
         .type = LeaseType::shared,
         .of_work = demand_aware::decide,
         .once_made =
             "from then on idle slots go to whoever has work waiting that they make start, "
             "at {when} or when a report shows it"},
};

constexpr auto tokens_of(RuleKind) {
  std::array<Token<RuleKind>, kRules.size()> words{};
  for (size_t i = 0; i < words.size(); ++i) words[i] = {kRules[i].kind, kRules[i].name};
  return words;
}

constexpr const Rule& row_of(RuleKind kind) {
  return kRules[static_cast<size_t>(kind)];
}

/// Returns the rule of a policy that names none: the first one of its type.
constexpr RuleKind usual_rule(LeaseType type) {
  return std::find_if(kRules.begin(), kRules.end(),
                      [type](const Rule& rule) { return rule.type == type; })
      ->kind;
}

constexpr bool is_exclusive(LeaseType type) {
  return type == LeaseType::exclusive;
}

}  // namespace leasehold
