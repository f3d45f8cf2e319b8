// Defines the Listing of each table. For catalogue.cpp, the views with these tables, and tests.
#pragma once

#include "broker/views/lists/fields.hpp"
#include "broker/views/lists/listing.hpp"

namespace leasehold {

std::span<const columns::Column> attention_fields();
std::span<const columns::Column> broker_fields();
std::span<const columns::Column> cluster_fields();
std::span<const columns::Column> compared_fields();
std::span<const columns::Column> consumer_fields();
std::span<const columns::Column> doctor_fields();
std::span<const columns::Column> group_fields();
std::span<const columns::Column> host_fields();
std::span<const columns::Column> lease_fields();
std::span<const columns::Column> usage_fields();
std::span<const columns::Column> used_by_fields();

}  // namespace leasehold

namespace leasehold::listings {

using F = RequestField;

inline constexpr FilterPath kClusterFilters[] = {
    {F::of_cluster, "cluster"},
    {F::of_provider, "cluster", "flow", "export"},
    {F::of_provider, "remote", "flow", "import"},
    {F::of_consumer, "remote", "flow", "export"},
    {F::of_consumer, "cluster", "flow", "import"},
    {F::of_reason, "reason"},
};
inline constexpr SumPath kClusterSums[] = {
    {"slots.own", "cluster"}, {"slots.exported"}, {"slots.imported"}};
inline constexpr const char* kClusterCounts[] = {"status", "agent", "reason"};
inline constexpr Listing kClusters{"cluster",
                                   kClusterFilters,
                                   kClusterSums,
                                   kClusterCounts,
                                   cluster_fields,
                                   "cluster remote flow status agent slots.own slots.exported "
                                   "slots.imported leases last_heard reason agent_version "
                                   "clock_off_ms clock_off_error_ms malformed dropped",
                                   F::of_cluster};

inline constexpr const char* kBrokerCounts[] = {"role"};
inline constexpr Listing kBrokers{
    "name",
    {},
    {},
    kBrokerCounts,
    broker_fields,
    "name endpoint role epoch followed_to lag_ms leader agents clock_off_ms"};

inline constexpr FilterPath kLeaseFilters[] = {
    {F::of_cluster, "provider"},  {F::of_cluster, "consumer"},   {F::of_provider, "provider"},
    {F::of_consumer, "consumer"}, {F::of_consumer, "path"},  // the path is that of a plan's leaf
    {F::of_policy, "policy"},     {F::of_phase, "phase"},        {F::of_reason, "reason"},
    {F::of_host, "host"},         {F::of_host, "host@provider"}, {F::of_lease, "id"},
};
/// Leases of a plan share what their provider exports, so it is added up once for each group.
inline constexpr SumPath kLeaseSums[] = {
    {"slots", "group"},
    {"provider_slots.available", "group"},
    {"provider_slots.used", "group"},
    {"consumer_slots.available"},
    {"consumer_slots.used"},
    {"moving"},
};
inline constexpr const char* kLeaseCounts[] = {"phase", "reason"};
inline constexpr Listing kLeases{
    "id",
    kLeaseFilters,
    kLeaseSums,
    kLeaseCounts,
    lease_fields,
    "id provider provider_slots.used consumer consumer_slots.used moving phase flips "
    "next_evaluation reason policy type rule slots pending.provider epoch last_flip",
    F::of_lease};

inline constexpr FilterPath kHostFilters[] = {
    {F::of_cluster, "cluster"}, {F::of_provider, "cluster"},  {F::of_consumer, "leased_to.cluster"},
    {F::of_host, "host"},       {F::of_host, "host@cluster"},
};
inline constexpr SumPath kHostSums[] = {
    {"slots"}, {"used"}, {"exported"}, {"unallocated"}, {"leased_to.slots"}};
inline constexpr const char* kHostCounts[] = {"state"};
inline constexpr Listing kHosts{
    "host@cluster", kHostFilters,
    kHostSums,      kHostCounts,
    host_fields,    "host state slots used used_by_owner exported unallocated leased_to",
    F::of_host};

inline constexpr FilterPath kPolicyFilters[] = {
    {F::of_cluster, "provider"},  {F::of_cluster, "distribution.cluster"},
    {F::of_provider, "provider"}, {F::of_consumer, "distribution.cluster"},
    {F::of_policy, "policy"},     {F::of_host, "hosts"},
};
inline constexpr SumPath kPolicySums[] = {{"leases"}};
inline constexpr const char* kPolicyCounts[] = {"type", "rule"};
inline constexpr Listing kPolicies{"policy", kPolicyFilters, kPolicySums, kPolicyCounts, nullptr,
                                   "",       F::of_policy};

inline constexpr FilterPath kGroupFilters[] = {
    {F::of_cluster, "providers"}, {F::of_cluster, "members"}, {F::of_provider, "providers"},
    {F::of_policy, "policy"},     {F::of_policy, "policies"}, {F::of_group, "resource_group"},
};
inline constexpr SumPath kGroupSums[] = {{"slots"}, {"idle"}, {"unallocated"}};
inline constexpr const char* kGroupCounts[] = {"policy"};
inline constexpr Listing kGroups{
    "resource_group",
    kGroupFilters,
    kGroupSums,
    kGroupCounts,
    group_fields,
    "resource_group policy slots configured_slots idle unallocated leaves policies cycle_ms "
    "placement variants next_evaluation switches",
    F::of_group};

inline constexpr FilterPath kConsumerFilters[] = {
    {F::of_cluster, "cluster"}, {F::of_consumer, "path"}, {F::of_reason, "reason"}};
inline constexpr const char* kConsumerCounts[] = {"reason"};
/// Sums are left out, because a parent's numbers contain those of its leaves.
inline constexpr Listing kConsumers{
    "path",
    kConsumerFilters,
    {},
    kConsumerCounts,
    consumer_fields,
    "path cluster demand quota allocated owned_in_use borrowed lent shared free reason "
    "borrowed_from",
    F::of_consumer};

inline constexpr FilterPath kUsageFilters[] = {{F::of_cluster, "cluster"},
                                               {F::of_consumer, "consumer"}};
inline constexpr SumPath kUsageSums[] = {{"owned_slot_s"},
                                         {"lent_slot_s"},
                                         {"borrowed_slot_s"},
                                         {"shared_slot_s"},
                                         {"in_transfer_slot_s"}};
inline constexpr const char* kUsageCounts[] = {"cluster"};
inline constexpr Listing kUsage{
    "cluster",
    kUsageFilters,
    kUsageSums,
    kUsageCounts,
    usage_fields,
    "cluster consumer resource_group owned_slot_s lent_slot_s borrowed_slot_s shared_slot_s "
    "in_transfer_slot_s"};

inline constexpr FilterPath kUsedByFilters[] = {{F::of_cluster, "cluster"},
                                                {F::of_consumer, "cluster"}};
inline constexpr SumPath kUsedBySums[] = {{"used_slot_s"}};
inline constexpr const char* kUsedByCounts[] = {"cluster", "counted"};
inline constexpr Listing kUsedBy{"name",         kUsedByFilters,
                                 kUsedBySums,    kUsedByCounts,
                                 used_by_fields, "cluster name used_slot_s counted_until"};

inline constexpr FilterPath kCompareFilters[] = {{F::of_cluster, "provider"},
                                                 {F::of_cluster, "consumer"},
                                                 {F::of_provider, "provider"},
                                                 {F::of_consumer, "consumer"},
                                                 {F::of_policy, "policy"},
                                                 {F::of_reason, "reasons.rule_reason"},
                                                 {F::of_reason, "reasons.shadow_reason"}};
inline constexpr SumPath kCompareSums[] = {{"flips"},      {"slots_moved"},  {"rule_moves"},
                                           {"rule_slots"}, {"shadow_moves"}, {"shadow_slots"},
                                           {"same_ms"},    {"differed_ms"}};
inline constexpr const char* kCompareCounts[] = {"rule", "shadow"};
inline constexpr Listing kCompare{
    "lease",
    kCompareFilters,
    kCompareSums,
    kCompareCounts,
    compared_fields,
    "lease rule shadow flips slots_moved shadow_moves shadow_slots same_ms differed_ms rule_moves "
    "rule_slots evaluations"};

inline constexpr FilterPath kAttentionFilters[] = {{F::of_reason, "reason"}};
inline constexpr const char* kAttentionCounts[] = {"kind"};
/// People read sentences, no columns; so of the findings of doctor.
inline constexpr Listing kAttention{
    "subject", kAttentionFilters, {}, kAttentionCounts, attention_fields};

inline constexpr const char* kDoctorCounts[] = {"check", "status"};
inline constexpr Listing kDoctor{"check", {}, {}, kDoctorCounts, doctor_fields};

}  // namespace leasehold::listings
