// The keys of [[resource_group]], [[consumer]] and [[consumer.window]]. What they do:
// broker/rules/plan/README.md.
#pragma once

#include <string>
#include <vector>

#include "broker/config/keys/exports.hpp"

namespace leasehold {

inline constexpr PolicySet kOfOwnership = policy_bit(PlanPolicy::ownership);
inline constexpr PolicySet kOfShareRatio = policy_bit(PlanPolicy::share_ratio);
inline constexpr PolicySet kOfHybrid = policy_bit(PlanPolicy::hybrid);

/// The core keeps a group's size, switches and numbers in each of its plans (ResourceGroup::
/// variants), the rest beside them.
inline constexpr auto kResourceGroupKeys = std::make_tuple(
    key("name", &ResourceGroup::name,
        {.help = "unique", .wanted = "the name of the resource group", .listed = false}),
    key("policies", &ResourceGroup::policies,
        {.help = "export policies whose slots make up the group; such a policy has neither "
                 "distribution, type nor rule"}),
    key("policy", &Plan::policy,
        {.help = "how the slots are shared", .wanted = "write ownership, share-ratio or hybrid"}),
    key("slots", &Plan::slots,
        {.help = "configured size; ownership scales from it (hybrid)",
         .range = {1, kMostSlots},
         .usual = "the exported slots"}),
    key("cycle", &ResourceGroup::cycle_ms,
        {.help = "how often the plan is evaluated; a reloaded plan at once",
         .unit = Unit::milliseconds,
         .range = {100, kKeyDayMs}}),
    key("react", &ResourceGroup::react_ms,
        {.help =
             "least time between evaluations caused by reports of demand that idle slots can meet",
         .unit = Unit::milliseconds,
         .range = {100, kKeyDayMs}}),
    key("use_by", &ResourceGroup::use_by_ms,
        {.help = "slots that came for waiting work whose shape is reported go back if they stay "
                 "unused for this time, and such work waits longer the next time",
         .unit = Unit::milliseconds,
         .range = {1, kKeyYearMs},
         .usual = "`\"60s\"`"}),
    key("placement", &Plan::placement, {.help = "`stacked` fills one host before the next"}),
    key("reclaim_before_borrow", &Plan::reclaim_before_borrow,
        {.help = "true: take back what was lent before borrowing", .variants = kOfOwnership}),
    key("reclaim_shared", &Plan::reclaim_shared,
        {.help = "false: shared slots return only as their work ends",
         .variants = kOfOwnership | kOfShareRatio}),
    key("share_enforcement", &Plan::share_enforcement,
        {.help = "`parent`: a branch gives up only what it has above its own share",
         .variants = kOfShareRatio}),
    key("evenly_distribute", &Plan::evenly_distribute,
        {.help =
             "true: what owners leave over goes to all alike (EGO_HYBRID_EVENLY_DISTRIBUTE_SLOTS)",
         .variants = kOfHybrid}),
    key("disable_reclaim_hybrid_own", &Plan::disable_reclaim_hybrid_own,
        {.help = "true: reclaim nothing below `owned` where fewer slots are there "
                 "(EGO_DISABLE_RECLAIM_HYBRID_OWN)",
         .variants = kOfHybrid}),
    key("use_ancestor_grace_period", &Plan::use_ancestor_grace_period,
        {.help = "true: grace of the closest common ancestor instead of the borrower's "
                 "(EGO_USE_ANCESTOR_GRACE_PERIOD_FOR_RECLAIM)"}),
    key("siblings_only", &Plan::siblings_only,
        {.help = "true: lend to and borrow from siblings alone", .variants = kOfOwnership}),
    key("default_rank", &Plan::default_rank,
        {.help = "of consumers without a rank (EGO_CONSUMER_PRIORITY_DEFAULT)",
         .range = {0, kMostSlots}}),
    key("net_policy_switch", &Plan::net_policy_switch,
        {.help = "false, as EGO: where the policy of a branch changes, borrowed slots and use "
                 "above the new `owned` go back, even if they come back at once"}),
    key("min_hold", &Plan::min_hold_ms,
        {.help = "against flapping: a slot stays at least so long",
         .unit = Unit::milliseconds,
         .range = {0, kKeyYearMs}}),
    key("max_share_moved", &Plan::max_share_moved_ppm,
        {.help = "against flapping: at most this part of the slots moves in one cycle",
         .unit = Unit::millionths,
         .range = {1000, 1'000'000}}),
    key("dead_zone", &Plan::dead_zone_slots,
        {.help = "against flapping: moves of at most this many slots are not made",
         .range = {0, kMostSlots}}),
    key("reclaim_backoff", &Plan::reclaim_backoff_ms,
        {.help = "against flapping: what was just reclaimed from a consumer is not lent again",
         .unit = Unit::milliseconds,
         .range = {0, kKeyYearMs}}),
    key("timezone", &ResourceGroup::timezone,
        {.help = "time zone of its consumers' windows, daylight saving included",
         .listed = false}));

template <>
struct SectionOf<ResourceGroup> {
  static constexpr auto& keys = kResourceGroupKeys;
};
template <>
struct SectionOf<Plan> {
  static constexpr auto& keys = kResourceGroupKeys;
};

/// A consumer's group, which only the reader of a [[consumer]] needs.
struct ConsumerMembership {
  std::string group;
};

inline constexpr auto kConsumerKeys = std::make_tuple(
    key("path", &PlanConsumer::path,
        {.help = "where it stands in the tree; parents may be implied",
         .wanted = "where it stands in the tree, as in \"/research/a\"",
         .listed = false}),
    key("group", &ConsumerMembership::group,
        {.help = "its resource group", .usual = "the only one", .listed = false}),
    key("cluster", &PlanConsumer::cluster,
        {.help = "cluster whose work the leaf stands for; one leaf for each cluster and group"}),
    key("select", &PlanConsumer::select,
        {.help = "a resource requirement: only slots that meet it count for its claims"}),
    key("policy", &PlanConsumer::policy,
        {.help = "policy of this branch (root-level consumers only), if another than the group's",
         .usual = "the group's",
         .in_windows = true}),
    key("rank", &PlanConsumer::rank,
        {.help = "0 is the highest",
         .range = {0, kMostSlots},
         .usual = "`default_rank`",
         .absent = 0,
         .in_windows = true}),
    key("owned", &PlanConsumer::owned,
        {.help = "slots of its own",
         .range = {0, kMostSlots},
         .usual = "0; of a parent what its children own",
         .absent = 0,
         .in_windows = true,
         .variants = kOfOwnership | kOfHybrid}),
    key("reserved", &PlanConsumer::reserved,
        {.help = "kept for it even while it is idle",
         .range = {0, kMostSlots},
         .usual = "0",
         .absent = 0,
         .in_windows = true,
         .variants = kOfHybrid}),
    key("limit", &PlanConsumer::limit,
        {.help = "the most that it may have",
         .range = {0, kMostSlots},
         .usual = "unlimited",
         .in_windows = true}),
    key("lend_limit", &PlanConsumer::lend_limit,
        {.help = "how many idle owned slots it lends",
         .range = {0, kMostSlots},
         .usual = "0",
         .absent = 0,
         .in_windows = true,
         .variants = kOfOwnership}),
    key("lend_to", &PlanConsumer::lend_to,
        {.help = "consumers it lends to",
         .usual = "`[\"*\"]`: everyone",
         .in_windows = true,
         .variants = kOfOwnership}),
    key("borrow_limit", &PlanConsumer::borrow_limit,
        {.help = "the most that it borrows",
         .range = {0, kMostSlots},
         .usual = "none without `borrow_from`, unlimited with it",
         .absent = 0,
         .in_windows = true,
         .variants = kOfOwnership}),
    key("borrow_from", &PlanConsumer::borrow_from,
        {.help = "from whom, in the order of preference",
         .usual = "any lender, with a `borrow_limit`",
         .in_windows = true,
         .variants = kOfOwnership}),
    key("share_ratio", &PlanConsumer::share_ratio,
        {.help = "share of the slots that nobody owns; 0: none",
         .range = {0, kMostSlots},
         .usual = "1",
         .absent = 1,
         .in_windows = true,
         .variants = kOfOwnership | kOfShareRatio}),
    key("share_limit", &PlanConsumer::share_limit,
        {.help = "the most that it has of shared slots",
         .range = {0, kMostSlots},
         .usual = "unlimited",
         .in_windows = true,
         .variants = kOfOwnership | kOfShareRatio}),
    key("reclaim_grace", &PlanConsumer::reclaim_grace_ms,
        {.help = "what reclaimed work is given to finish",
         .unit = Unit::milliseconds,
         .range = {0, kKeyYearMs},
         .in_windows = true}),
    key("rebalance", &PlanConsumer::rebalance,
        {.help = "false: a new window or plan moves only slots that are wanted"}));

template <>
struct SectionOf<PlanConsumer> {
  static constexpr auto& keys = kConsumerKeys;
};
template <>
struct SectionOf<ConsumerMembership> {
  static constexpr auto& keys = kConsumerKeys;
};

/// Returns those that know the key of a consumer or of a group.
PolicySet policies_with(std::string_view key);
/// Returns words for people: `ownership`, `ownership or hybrid`.
std::string policy_words(PolicySet policies);

}  // namespace leasehold
