#include "broker/views/catalogue.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "broker/views/answer.hpp"
#include "broker/views/attention/attention.hpp"
#include "broker/views/attention/doctor.hpp"
#include "broker/views/clusters/leader_view.hpp"
#include "broker/views/explain/others.hpp"
#include "broker/views/forecast/forecast.hpp"
#include "broker/views/lists/listings.hpp"
#include "broker/views/request/branch.hpp"
#include "broker/views/tables/attention.hpp"
#include "broker/views/tables/brokers.hpp"
#include "broker/views/tables/compare.hpp"
#include "broker/views/tables/forecast.hpp"
#include "broker/views/tables/plan.hpp"
#include "broker/views/tables/tables.hpp"

namespace leasehold {

namespace {

Result<Json> answer_clusters(const Asked& asked) {
  return view_clusters(asked.state, asked.liveness, {}, asked.request.details);
}

Result<Json> answer_leases(const Asked& asked) {
  return view_leases(asked.state);
}

Result<Json> answer_lease(const Asked& asked) {
  const Result<LeaseRef> lease = require_lease(asked.state, asked.request.lease);
  if (!lease) return tl::unexpected(lease.error());
  return view_lease(asked.state, *lease, Json::array());
}

Result<Json> answer_hosts(const Asked& asked) {
  return view_hosts(asked.state, asked.liveness, asked.request.exported);
}

Result<Json> answer_policies(const Asked& asked) {
  return view_policies(asked.state, asked.request.details, asked.sources.policies,
                       asked.sources.plans);
}

Result<Json> answer_groups(const Asked& asked) {
  Json rows = view_groups(asked.state, asked.request.details, asked.sources.plans);
  if (asked.request.branch == nullptr) return rows;
  for (Json& row : rows) row["members"] = nullptr;  // members of other branches are among them
  return rows;
}

Result<Json> answer_consumers(const Asked& asked) {
  return view_consumers(asked.state, asked.request.details, asked.sources.plans);
}

Result<Json> answer_explain(const Asked& asked) {
  const std::string& id = asked.request.lease;
  if (id.empty()) {
    return fail(
        ErrorCode::usage,
        "nothing is named; it would be a lease, a cluster, big1@east or a consumer's /path");
  }
  return view_explain_any(asked.state, id, asked.liveness);
}

Result<Json> answer_forecast(const Asked& asked) {
  const Request& request = asked.request;
  return forecasting::view_forecast(asked.state, {request.lease, request.slots.value_or(1),
                                                  request.provider_side, asked.liveness.now});
}

Result<Json> answer_status(const Asked& asked) {
  return view_status(asked.state, asked.liveness);
}

Result<Json> answer_attention(const Asked& asked) {
  return view_attention(asked.state, asked.liveness);
}

Result<Json> answer_doctor(const Asked& asked) {
  return view_doctor(asked.state, asked.liveness);
}

/// A database knows of no brokers: each broker reports itself (broker/daemon/present.cpp).
Result<Json> answer_brokers(const Asked&) {
  return Json::array();
}

/// Every operator may know which brokers there are.
bool of_everybody(const Branch&, const Json&) {
  return true;
}

using F = RequestField;

constexpr std::array kQuestions{
    RequestRow{
        .name = "status",
        .what = "the site on one screen; exit 1 if anything needs a person",
        .examples = "  leasectl status\n  leasectl status --at -2h",
        .fields = takes(F::at),
        .table = status_text,
        .uses_liveness = true,
        .answer = answer_status,
        .needs_person = [](const Json& status) { return number_at(status, "attention") > 0; }},
    RequestRow{.name = "attention",
               .what = "what needs a person, oldest first, with the command to give; exit 1 if "
                       "anything does",
               .examples = "  leasectl attention\n  leasectl attention --json",
               .fields = takes(F::at),
               .table = attention_text,
               .list = &listings::kAttention,
               .uses_liveness = true,
               .answer = answer_attention,
               .needs_person = [](const Json& list) { return !list.empty(); },
               .key = "since kind subject",
               .in_branch = subject_in_branch},
    RequestRow{.name = "doctor",
               .what = "contradictions between names, keys, clocks, versions, fences, rights and "
                       "disk, each with what to do; exit 1 if there is any",
               .examples = "  leasectl doctor\n  leasectl doctor --db leasehold.db\n\nOf a "
                           "database all of its history is verified, too.",
               .table = doctor_text,
               .list = &listings::kDoctor,
               .uses_liveness = true,
               .added = Added::machine,
               .answer = answer_doctor,
               .needs_person = finds_fault},
    RequestRow{
        .name = "brokers",
        .what =
            "the brokers of leasectl's list: who leads, who stands by and how far each "
            "has followed; exit 4 if nobody leads, 1 if one could not take over or two have one "
            "name",
        .examples = "  leasectl brokers\n  leasectl brokers --broker "
                    "tcp://hub-1:7441,tcp://hub-2:7441",
        .table = brokers_text,
        .list = &listings::kBrokers,
        .uses_liveness = true,
        .answered_by = AnsweredBy::broker,
        .answer = answer_brokers,
        .needs_person = brokers_need_person,
        .key = "name endpoint",
        .in_branch = of_everybody},
    RequestRow{.name = "clusters",
               .what = "clusters, their agents and whom they lease to and from",
               .examples = "  leasectl clusters\n  leasectl clusters -l\n  leasectl clusters east "
                           "--json",
               .fields = takes(F::at, F::details),
               .table = clusters_text,
               .list = &listings::kClusters,
               .uses_liveness = true,
               .answer = answer_clusters,
               .key = "cluster remote flow",
               .in_branch = cluster_in_branch},
    RequestRow{.name = "leases",
               .what = "one line a lease, now or at any past instant",
               .examples =
                   "  leasectl leases\n  leasectl leases --provider 'e*' --phase active --sort "
                   "-moving\n  leasectl leases --host big1\n  leasectl leases --consumer "
                   "'/research/*'\n  leasectl leases --at -2h\n  leasectl leases --at "
                   "2026-11-21T17:00:00Z --db leasehold.db",
               .fields = takes(F::at),
               .table = leases_text,
               .list = &listings::kLeases,
               .answer = answer_leases,
               .each_row = each_lease_row,
               .key = "id",
               .in_branch = lease_in_branch},
    RequestRow{.name = "lease",
               .what = "everything about one lease, host by host",
               .examples = "  leasectl lease east-batch:west",
               .subject = F::lease,
               .fields = takes(F::at),
               .table = lease_text,
               .added = Added::decisions,
               .answer = answer_lease,
               .in_branch = lease_in_branch},
    RequestRow{.name = "hosts",
               .what = "slots of each host and whom they are leased to",
               .examples = "  leasectl hosts\n  leasectl hosts -e\n  leasectl hosts 'big*'",
               .fields = takes(F::at, F::exported),
               .table = hosts_text,
               .list = &listings::kHosts,
               .uses_liveness = true,
               .answer = answer_hosts,
               .key = "cluster host",
               .in_branch = host_in_branch},
    RequestRow{.name = "policies",
               .what = "the export policies in force",
               .examples = "  leasectl policies\n  leasectl policies -l",
               .fields = takes(F::at, F::details),
               .table = policies_text,
               .list = &listings::kPolicies,
               .answer = answer_policies,
               .key = "policy",
               .in_branch = policy_in_branch},
    RequestRow{
        .name = "groups",
        .what = "resource groups: size, policies, cycle, switches",
        .examples = "  leasectl groups\n  leasectl groups -l\n  leasectl groups --cluster east",
        .fields = takes(F::at, F::details),
        .table = groups_text,
        .list = &listings::kGroups,
        .needs_replay = true,
        .answer = answer_groups,
        .key = "resource_group",
        .in_branch = group_in_branch},
    RequestRow{
        .name = "consumers",
        .what = "the consumer trees of resource plans: who wants, may have and has what",
        .examples = "  leasectl consumers\n  leasectl consumers -l\n  leasectl consumers --at -2h",
        .fields = takes(F::at, F::details),
        .table = consumers_text,
        .list = &listings::kConsumers,
        .needs_replay = true,
        .answer = answer_consumers,
        .key = "resource_group path",
        .in_branch = consumer_in_branch},
    RequestRow{.name = "explain",
               .what = "why a lease, a cluster, a host or a consumer is as it is, and what would "
                       "change it",
               .examples =
                   "  leasectl explain east-batch:west\n  leasectl explain west\n  leasectl "
                   "explain big1@east\n  leasectl explain /research/genomics",
               .subject = F::lease,
               .fields = takes(F::at),
               .table = explain_text,
               .uses_liveness = true,
               .answer = answer_explain,
               .subject_help = "POLICY:CONSUMER, GROUP:/PATH, a cluster, HOST@CLUSTER or a "
                               "consumer's /PATH",
               .in_branch = subject_in_branch},
    RequestRow{.name = "forecast",
               .what = "when so many slots can be had, a range, and what it rests on",
               .examples =
                   "  leasectl forecast east-batch:west --slots 64\n  leasectl forecast "
                   "east-batch:west --slots 64 --provider\n  leasectl forecast "
                   "/research/genomics --slots 16\n\nOf a cluster: of its leaf, or of the one "
                   "lease by which it imports.\n--provider: when the provider has its slots back.",
               .subject = F::lease,
               .fields = takes(F::at, F::slots, F::provider_side),
               .table = forecast_text,
               .needs_replay = true,
               .uses_liveness = true,  // it needs the broker's present time
               .answer = answer_forecast,
               .subject_help = "POLICY:CONSUMER, GROUP:/PATH, a consumer's /PATH or a cluster",
               .in_branch = subject_in_branch},
    RequestRow{.name = "history",
               .what = "what happened and what was decided",
               .examples =
                   "  leasectl history --since -1h\n  leasectl history -n 20 -f\n  leasectl "
                   "history --lease east-batch:west -o time,kind,reason\n  leasectl "
                   "history --cluster west --kind 'transfer-*' -n 50\n  leasectl "
                   "history --csv > history.csv",
               .fields = takes(F::lease, F::of_cluster, F::of_kind, F::limit, F::follow, F::csv,
                               F::since, F::until, F::after, F::newest, F::output, F::no_header),
               .answered_by = AnsweredBy::history,
               .in_branch = event_in_branch},
    RequestRow{.name = "usage",
               .what = "slot-seconds of each cluster and consumer, for charge-back",
               .examples = "  leasectl usage --since -24h\n  leasectl usage --since "
                           "2026-11-01T00:00:00Z --until 2026-12-01T00:00:00Z --csv > november.csv"
                           "\n  leasectl usage --by user --since -24h",
               .fields = takes(F::csv, F::since, F::until, F::whose),
               .table = usage_text,
               .list = &listings::kUsage,
               .over_time = true,
               .answered_by = AnsweredBy::usage,
               .key = "cluster resource_group consumer",
               .in_branch = usage_in_branch},
    RequestRow{.name = "compare",
               .what = "the rule in force beside the shadow of its policy: what moved, what would "
                       "have moved, how long they agreed",
               .examples = "  leasectl compare --since -24h\n  leasectl compare --lease "
                           "east-batch:west\n  leasectl compare --db leasehold.db --sort "
                           "-differed_ms",
               .fields = takes(F::lease, F::csv, F::since, F::until),
               .table = compare_text,
               .list = &listings::kCompare,
               .over_time = true,
               .answered_by = AnsweredBy::compare,
               .key = "lease rule shadow",
               .in_branch = event_in_branch},
    RequestRow{.name = "backup",
               .what = "copy a running broker's database into a new file, verified as it is made",
               .examples = "  leasectl backup monday.db\n  leasectl backup copy.db --keep 12\n"
                           "  leasectl backup copy.db --db leasehold.db\n\nA file that is there is "
                           "left as it is. With --keep the new copy takes its place, if its "
                           "history\ncontinues the one in FILE; for a timer, on another machine "
                           "(leasehold-backup.timer).\nThe way back: leasectl restore. Needs the "
                           "role admin.",
               .subject = F::file,
               .fields = takes(F::after, F::part),
               .admins_alone = true,
               .answered_by = AnsweredBy::backup},
};

/// The question `usage --by`.
constexpr RequestRow kUsedBy{.name = "usage",
                             .what = "",
                             .examples = "",
                             .fields = takes(F::csv, F::since, F::until, F::whose),
                             .table = usage_text,
                             .list = &listings::kUsedBy,
                             .over_time = true,
                             .answered_by = AnsweredBy::used_by,
                             .key = "cluster counted name",
                             .in_branch = usage_in_branch};

}  // namespace

std::span<const RequestRow> questions() {
  return kQuestions;
}

const RequestRow* find_request(std::string_view name) {
  for (const std::span<const RequestRow> rows : {questions(), changes()}) {
    for (const RequestRow& row : rows) {
      if (name == row.name) return &row;
    }
  }
  return nullptr;
}

const RequestRow* row_for(const Request& request) {
  const RequestRow* row = find_request(request.command);
  const bool by = row != nullptr && row->answered_by == AnsweredBy::usage && !request.whose.empty();
  return by ? &kUsedBy : row;
}

std::string table_of(std::string_view command, const Json& answer, const TableStyle& style) {
  const RequestRow* row = find_request(command);
  if (row == nullptr || row->table == nullptr) {
    return answer.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  if (row->list != nullptr) {
    require_list(answer);
  } else if (!answer.is_array()) {
    require_object(answer);  // a value that is neither has no rows and no fields
  }
  return row->table(answer, style);
}

}  // namespace leasehold
