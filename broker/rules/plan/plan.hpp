// Resource plan: one resource group, its consumer tree with the numbers now in force, what its
// leaves want and hold, and what evaluate_plan says they should have (broker/rules/plan/README.md).
// Pure. Not where numbers come from: windows, files, reports and the plan before are the caller's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/index.hpp"
#include "common/reason.hpp"
#include "common/tokens.hpp"

namespace leasehold {

enum class PlanPolicy : uint8_t { ownership, share_ratio, hybrid };
constexpr auto tokens_of(PlanPolicy) {
  using enum PlanPolicy;
  return tokens<PlanPolicy>(
      {{ownership, "ownership"}, {share_ratio, "share-ratio"}, {hybrid, "hybrid"}});
}

enum class Placement : uint8_t { stacked, balanced, exclusive };
constexpr auto tokens_of(Placement) {
  using enum Placement;
  return tokens<Placement>(
      {{stacked, "stacked"}, {balanced, "balanced"}, {exclusive, "exclusive"}});
}

enum class ShareEnforcement : uint8_t { leaf, parent };
constexpr auto tokens_of(ShareEnforcement) {
  using enum ShareEnforcement;
  return tokens<ShareEnforcement>({{leaf, "leaf"}, {parent, "parent"}});
}

/// Every number of a plan and of a state is within 0 … this: products of three then fit 128 bits.
inline constexpr int64_t kMostSlots = 1'000'000'000;

/// `lend_to` or `borrow_from`. Positions in Plan::consumers; a parent stands for its leaves.
struct ConsumerList {
  bool everyone = false;             // ["*"]
  std::vector<uint32_t> consumers;   // the order is the borrowing preference
  std::vector<std::string> unknown;  // names that no consumer of the group has: an error each
  bool operator==(const ConsumerList&) const = default;
};

/// A node of the consumer tree. What is absent was not given: that differs from 0.
struct PlanConsumer {
  std::string path;            // "/research/genomics"
  uint32_t parent = kNoIndex;  // its position is lower: a parent stands where it is first mentioned
  std::string cluster;         // leaf only; "": none
  std::optional<PlanPolicy> policy;  // root level only: another policy than the group's
  std::optional<int64_t> rank;
  std::optional<int64_t> owned;
  std::optional<int64_t> reserved;
  std::optional<int64_t> limit;
  std::optional<int64_t> lend_limit;
  std::optional<ConsumerList> lend_to;
  std::optional<int64_t> borrow_limit;
  std::optional<ConsumerList> borrow_from;
  std::optional<int64_t> share_ratio;
  std::optional<int64_t> share_limit;
  int64_t reclaim_grace_ms = 0;
  bool rebalance = true;
  std::string select;  // resource requirement, "": every slot matches (place.hpp)
  bool operator==(const PlanConsumer&) const = default;
};

/// A resource group. A window needs nothing here: the reader puts the numbers (and the policy of
/// the branch) that are in force at an instant into `consumers`; a new window is another Plan.
struct Plan {
  std::string name;
  PlanPolicy policy = PlanPolicy::hybrid;
  std::optional<int64_t> slots;  // configured; absent: what is there
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
  // Anti-flap: not of evaluate_plan, which knows no time; off by default.
  int64_t min_hold_ms = 0;
  int64_t max_share_moved_ppm = 1'000'000;
  int64_t dead_zone_slots = 0;
  int64_t reclaim_backoff_ms = 0;
  std::vector<PlanConsumer> consumers;  // in declaration order
  bool operator==(const Plan&) const = default;
};

/// The slots that a borrower has of one lender.
struct Loan {
  uint32_t lender = kNoIndex;  // a leaf
  int64_t slots = 0;
  bool operator==(const Loan&) const = default;
};

/// The demand and holdings of one leaf; a parent's entry is not read.
struct LeafState {
  int64_t demand = 0;     // used + pending: all it wants, what it has included
  int64_t allocated = 0;  // what it holds, on hosts that are up
  // Parts of what a leaf under ownership holds. If only one is given, the other is 0; if neither
  // is, they are deduced.
  std::optional<int64_t> shared;
  std::optional<std::vector<Loan>> borrowed;
  bool connected = true;  // false: it keeps what it holds, takes no part
  bool operator==(const LeafState&) const = default;
};

struct PlanState {
  std::optional<int64_t> slots;   // now in the group; absent: Plan::slots, else 0
  std::vector<LeafState> leaves;  // by position in Plan::consumers; shorter: the rest has 0 and 0
};

/// The numbers of one consumer, as `leasectl plan` prints them (broker/rules/plan/README.md,
/// "Printed numbers").
struct PlanRow {
  uint32_t consumer = 0;  // position in Plan::consumers
  int64_t demand = 0;
  int64_t allocated = 0;
  int64_t owned = 0;
  int64_t reserved = 0;
  std::optional<int64_t> limit;
  int64_t quota = 0;
  int64_t borrowed = 0;
  int64_t lent = 0;
  int64_t shared = 0;
  int64_t free = 0;
  int64_t change = 0;
  int64_t shrink = 0;       // above its quota, but not reclaimed: given up as its work ends
  std::vector<Loan> loans;  // ownership, leaf: `borrowed` by lender, in order of position
};

struct PlanMove {
  uint32_t from = kNoIndex;  // kNoIndex: an idle slot
  uint32_t to = kNoIndex;    // kNoIndex: nobody takes it
  int64_t slots = 0;
  int64_t grace_ms = 0;  // of a reclaim
  Reason reason = Reason::none;
  bool reclaim() const { return from != kNoIndex; }  // else a transfer of idle slots
  bool operator==(const PlanMove&) const = default;
};

struct PlanAnswer {
  int64_t slots = 0;
  int64_t idle = 0;           // before the moves; below 0: hosts were lost
  std::vector<PlanRow> rows;  // the tree's order: depth first as declared, parents first
  // Moves of idle slots come first, then the others by claimant, and of one claimant by loser in
  // reverse priority order. No leaf both gains and loses, except one that gives an owner just its
  // own slots back and gets others (reclaim_before_borrow, select).
  std::vector<PlanMove> moves;
};

}  // namespace leasehold
