// Resource plans as written: [[resource_group]], [[consumer]] and [[consumer.window]] of TOML
// (EGO's resource plan), each value with its place. Not yet a plan for an instant: that is
// ResourcePlans (windows.hpp). What the sections must keep among them:
// check.hpp.
//
// Contract: mistakes of one section are added to its file, all of them; absent values stay absent,
// so that a window, a consumer and a group can be laid over each other.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/config/draft.hpp"
#include "broker/rules/plan/plan.hpp"
#include "common/config/file.hpp"

namespace leasehold {

/// The numbers that a window may change.
enum class PlanNumber : uint8_t {
  rank,
  owned,
  reserved,
  limit,
  lend_limit,
  borrow_limit,
  share_ratio,
  share_limit,
  reclaim_grace,  // in milliseconds
};
inline constexpr size_t kPlanNumberCount = static_cast<size_t>(PlanNumber::reclaim_grace) + 1;
/// The key of the file: "lend_limit".
const char* key_of(PlanNumber number);

/// What a consumer, or one of its windows, says.
struct PlanSettings {
  std::array<std::optional<int64_t>, kPlanNumberCount> numbers;
  std::array<Place, kPlanNumberCount> places;
  std::optional<PlanPolicy> policy;
  Place policy_place;
  std::optional<std::vector<Placed<std::string>>> lend_to;
  std::optional<std::vector<Placed<std::string>>> borrow_from;

  std::optional<int64_t> number(PlanNumber which) const {
    return numbers[static_cast<size_t>(which)];
  }
  Place place(PlanNumber which) const { return places[static_cast<size_t>(which)]; }
};

struct PlanWindowDraft {
  WeekWindow when;
  PlanSettings settings;
  Place place;
};

struct PlanConsumerDraft {
  std::string path;
  std::string group;    // "": the only one
  std::string cluster;  // "": none is named
  std::vector<std::string> queues;
  std::string select;
  bool rebalance = true;
  PlanSettings settings;
  std::vector<PlanWindowDraft> windows;
  std::string file;
  Place section;
  Place path_place;
  Place group_place;
  Place cluster_place;
  Place select_place;
  Place queues_place;

  Spot at(Place place) const { return {file, place.line > 0 ? place : section}; }
};

struct PlanGroupDraft {
  std::string name;
  std::vector<Placed<std::string>> policies;  // export policies
  PlanPolicy policy = PlanPolicy::ownership;
  std::optional<int64_t> slots;  // absent: what is there
  int64_t cycle_ms = 10'000;
  int64_t react_ms = 1'000;
  Placement placement = Placement::stacked;
  bool reclaim_before_borrow = false;
  bool reclaim_shared = true;
  ShareEnforcement share_enforcement = ShareEnforcement::leaf;
  bool evenly_distribute = false;
  bool disable_reclaim_hybrid_own = false;
  bool use_ancestor_grace_period = false;
  bool siblings_only = false;
  int64_t default_rank = 0;
  bool net_policy_switch = true;
  std::string timezone = "UTC";
  int64_t min_hold_ms = 0;
  int64_t max_share_moved_ppm = 1'000'000;
  int64_t dead_zone_slots = 0;
  int64_t reclaim_backoff_ms = 0;
  std::string file;
  Place section;
  Place name_place;
  Place policy_place;
  Place slots_place;
  Place share_enforcement_place;
  Place evenly_distribute_place;
  std::vector<Placed<std::string>> switched;  // keys of the switches that are not as by default
  Place timezone_place;

  Spot at(Place place) const { return {file, place.line > 0 ? place : section}; }
};

struct PlanDraft {
  std::vector<PlanGroupDraft> groups;
  std::vector<PlanConsumerDraft> consumers;

  bool empty() const { return groups.empty() && consumers.empty(); }
};

/// Adds the sections of `root`; mistakes go to its file.
void read_plan(const ConfigTable& root, const std::string& file, PlanDraft& draft);

}  // namespace leasehold
