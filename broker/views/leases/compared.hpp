// Compared: the rows of `compare`, which set the rule in force of a lease beside its shadow. They
// are added up from history elsewhere (broker/replay/compare.hpp).
#pragma once

#include <cstdint>
#include <string>

#include "broker/rules/rules.hpp"
#include "broker/views/json.hpp"

namespace leasehold {

/// `flips` and `slots_moved` were carried out; `rule_moves` and `shadow_moves` are evaluations that
/// decided to move, with the slots that they named.
struct ComparedCounts {
  int64_t evaluations = 0;
  int64_t flips = 0;
  int64_t slots_moved = 0;
  int64_t rule_moves = 0;
  int64_t rule_slots = 0;
  int64_t shadow_moves = 0;
  int64_t shadow_slots = 0;
};

struct ComparedRow {
  const std::string& lease;
  std::string policy;
  std::string provider;  // "": the policy is not known any more
  std::string consumer;
  RuleKind rule{};
  RuleKind shadow{};
  const ComparedCounts& counts;
  int64_t same_ms = 0;
  int64_t differed_ms = 0;
  const Json& reasons;
};

Json compared_row(const ComparedRow& row);

}  // namespace leasehold
