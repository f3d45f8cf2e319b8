// The keys of [[export_policy]] and [[shared_resource]].
#pragma once

#include <array>

#include "broker/config/keys/key.hpp"
#include "broker/core/model/config.hpp"

namespace leasehold {

inline constexpr int64_t kKeyDayMs = 86'400'000;
inline constexpr int64_t kKeyYearMs = 365 * kKeyDayMs;
inline constexpr int64_t kKeyNumberMost = 1'000'000'000;
inline constexpr int64_t kKeyMbMost = 1'000'000'000'000;

constexpr bool names_hosts(const ExportPolicy& policy) {
  return policy.select.empty();
}
constexpr bool selects_hosts(const ExportPolicy& policy) {
  return !policy.select.empty();
}

inline constexpr auto kExportPolicyKeys = std::make_tuple(
    key("name", &ExportPolicy::name,
        {.help = "unique; its lease is named by it",
         .wanted = "the name of the policy",
         .listed = false}),
    key("provider", &ExportPolicy::provider,
        {.help = "the cluster that exports", .wanted = "the cluster that exports"}),
    key("hosts", &ExportPolicy::hosts,
        {.help = "hosts that it exports, with `slots_per_host`; or `select` with `nhosts`",
         .lsf = "PER_HOST"}),
    key("slots_per_host", &ExportPolicy::slots_per_host,
        {.help = "slots of each of `hosts`",
         .range = {1, kKeyNumberMost},
         .lsf = "SLOTS",
         .usual = "needed with `hosts`"},
        names_hosts),
    key("by_host", &ExportPolicy::by_host,
        {.help = "each of `hosts` goes to one consumer, dealt round by shares; else the slots of "
                 "each host are divided"},
        names_hosts),
    key("select", &ExportPolicy::select,
        {.help = "a resource requirement: whole hosts that meet it", .lsf = "RES_SELECT"},
        selects_hosts),
    key("nhosts", &ExportPolicy::nhosts,
        {.help = "at most so many hosts that meet `select`",
         .range = {1, kKeyNumberMost},
         .lsf = "NHOSTS",
         .usual = "needed with `select`"},
        selects_hosts),
    key("distribution", &ExportPolicy::distribution,
        {.help = "the consumers with their shares; none with a policy of a resource group",
         .lsf = "DISTRIBUTION",
         .usual = "`[]`"}),
    key("type", &ExportPolicy::type,
        {.help = "whether the provider may use the slots while the consumer does not",
         .lsf = "TYPE"}),
    key("rule", &ExportPolicy::rule,
        {.help = "how a shared lease moves: all idle slots to the side with fewer, or to the side "
                 "whose waiting work could start on them",
         .usual = "by `type`: `\"exclusive\"`, of a shared policy `\"idle-comparison\"`",
         .by_hand = true}),
    key("shadow", &ExportPolicy::shadow,
        {.help = "a rule that is decided and recorded beside `rule` and never ordered: `leasectl "
                 "compare`",
         .usual = "`\"\"`: none",
         .by_hand = true}),
    key("unit", &ExportPolicy::unit,
        {.help = "`\"host\"`: the exported slots of a host move together or not at all, for sites "
                 "that give out whole nodes"}),
    key("initial_slots", &ExportPolicy::initial_slots,
        {.help = "slots offered first, before the lease is made", .range = {1, kKeyNumberMost}}),
    key("min_hold", &ExportPolicy::min_hold_ms,
        {.help = "`demand-aware`: least time between two moves, except returns to the provider",
         .unit = Unit::milliseconds,
         .range = {0, kKeyYearMs},
         .usual = "`\"30s\"` under `demand-aware`"}),
    key("use_by", &ExportPolicy::use_by_ms,
        {.help = "`demand-aware`: slots that were moved for waiting work go back if they stay "
                 "unused for this time, and such work waits longer the next time; at least two "
                 "`report_interval` of the agents and 30 s",
         .unit = Unit::milliseconds,
         .range = {1, kKeyYearMs},
         .usual = "`\"60s\"` under `demand-aware`"}),
    key("provider_first", &ExportPolicy::provider_first,
        {.help = "`demand-aware`: idle slots of the consumer go home at the next evaluation, "
                 "wanted there or not (those that it was just given: after `use_by`, a "
                 "`reclaim_delay` at most). Slots in use are reclaimed, with `reclaim_grace`, for "
                 "work of the provider that waits"}),
    key("reclaim_grace", &ExportPolicy::reclaim_grace_ms,
        {.help = "what a reclaimed job is given to finish",
         .unit = Unit::milliseconds,
         .range = {0, kKeyYearMs}}),
    key("mem_mb", &ExportPolicy::mem_mb,
        {.help = "memory of each host for the consumer alone; 0: both compete",
         .range = {0, kKeyMbMost},
         .lsf = "MEM"}),
    key("swap_mb", &ExportPolicy::swap_mb,
        {.help = "swap of each host for the consumer alone; 0: both compete",
         .range = {0, kKeyMbMost},
         .lsf = "SWAP"}),
    key("reselect", &ExportPolicy::reselect,
        {.help = "with `select`: choose again when a host joins or leaves"}),
    key("window", &ExportPolicy::windows,
        {.help = "when it exports; outside of them it drains as jobs end. Nothing starts that "
                 "might outlast an end, where all work of the borrower has a time "
                 "limit that is shorter than the window",
         .usual = "always"}),
    key("timezone", &ExportPolicy::timezone, {.help = "time zone of `window`"}));

template <>
struct SectionOf<ExportPolicy> {
  static constexpr auto& keys = kExportPolicyKeys;
};

inline constexpr auto kSharedResourceKeys = std::make_tuple(
    key("name", &SharedResource::name,
        {.help = "the resource, of one provider unique",
         .lsf = "NAME",
         .usual = "needed",
         .listed = false}),
    key("provider", &SharedResource::provider,
        {.help = "the cluster that exports",
         .wanted = "the cluster that exports",
         .listed = false}),
    key("instances", &SharedResource::instances,
        {.help = "how many it has",
         .range = {1, kKeyMbMost},
         .lsf = "NINSTANCES",
         .usual = "needed"}),
    key("distribution", &SharedResource::distribution,
        {.help = "the consumers with their shares", .lsf = "DISTRIBUTION", .usual = "needed"}));

template <>
struct SectionOf<SharedResource> {
  static constexpr auto& keys = kSharedResourceKeys;
};

}  // namespace leasehold
