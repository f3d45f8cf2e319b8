// A resource plan and the state of its leaves in a few words, for tables of examples.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "broker/rules/plan/evaluate.hpp"
#include "broker/rules/plan/plan.hpp"

namespace leasehold {

/// Group: "hybrid slots=100 evenly_distribute …" (a word alone is a switch that is turned on; one
/// with "no-" before it is turned off). Consumers: "/A owned=10 borrow_from=/B,/C demand=5
/// allocated=3 shared=1 loan=/B:2"; also "lost" (disconnected) and "no-rebalance". Parents may be
/// implied. `now`: slots in the group, -1: as configured.
struct PlanFixture {
  PlanFixture(std::string_view group, const std::vector<std::string>& consumers, int64_t now = -1);

  Plan plan;
  PlanState state;

  PlanAnswer answer() const { return evaluate_plan(plan, state); }
  uint32_t find(std::string_view path) const;
  PlanRow row(std::string_view path) const;
  int64_t quota(std::string_view path) const { return row(path).quota; }
  /// "/A 5, /B 10" of all leaves, in the tree's order.
  std::string quotas() const;
  /// "idle>/A 3, /C>/A 8, /B>nobody 1", in the order of the moves.
  std::string moves() const { return moves(answer()); }
  std::string moves(const PlanAnswer& answer) const;
  /// The state after the moves: everyone holds what it gained, nothing is stated of shares.
  void apply();

 private:
  uint32_t mention(const std::string& path);
  void set_group(std::string_view word);
  void set_consumer(uint32_t consumer, const std::string& word);
  std::string name(uint32_t consumer, const char* nobody) const;
};

}  // namespace leasehold
