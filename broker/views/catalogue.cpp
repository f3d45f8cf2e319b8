#include "broker/views/catalogue.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "broker/views/request.hpp"
#include "broker/views/tables/plan.hpp"
#include "broker/views/tables/reload.hpp"
#include "broker/views/tables/tables.hpp"

namespace leasehold {

namespace {

std::string meant(const std::string& name) {
  return name.empty() ? "" : "; did you mean '" + name + "'?";
}

Result<Json> answer_clusters(const Asked& asked) {
  const std::string cluster = request_text(asked.request, "cluster");
  if (!cluster.empty() && find_cluster(asked.state, cluster) == kNoIndex) {
    return fail(ErrorCode::unknown, "there is no cluster '" + cluster + "'" +
                                        meant(nearest_cluster(asked.state, cluster)));
  }
  return view_clusters(asked.state, asked.liveness, cluster);
}

Result<Json> answer_leases(const Asked& asked) {
  return view_leases(asked.state);
}

Result<Json> answer_lease(const Asked& asked) {
  const Result<LeaseRef> lease = require_lease(asked.state, request_text(asked.request, "lease"));
  if (!lease) return tl::unexpected(lease.error());
  return view_lease(asked.state, *lease, Json::array());
}

Result<Json> answer_hosts(const Asked& asked) {
  return view_hosts(asked.state, asked.liveness, request_flag(asked.request, "exported"));
}

Result<Json> answer_policies(const Asked& asked) {
  return view_policies(asked.state, request_flag(asked.request, "details"), asked.sources.policies);
}

Result<Json> answer_groups(const Asked& asked) {
  return view_groups(asked.state, request_flag(asked.request, "details"), asked.sources.plans);
}

Result<Json> answer_consumers(const Asked& asked) {
  return view_consumers(asked.state, request_flag(asked.request, "details"), asked.sources.plans);
}

Result<Json> answer_explain(const Asked& asked) {
  const Result<LeaseRef> lease = require_lease(asked.state, request_text(asked.request, "lease"));
  if (!lease) return tl::unexpected(lease.error());
  return view_explain(asked.state, *lease, asked.liveness);
}

constexpr std::array kQuestions{
    Question{.name = "clusters",
             .what = "clusters, their agents and whom they lease to and from",
             .examples = "  leasectl clusters\n  leasectl clusters --cluster east --json",
             .takes = {.cluster = true},
             .answer = answer_clusters,
             .table = clusters_text},
    Question{.name = "leases",
             .what = "one line a lease, now or at any past instant",
             .examples = "  leasectl leases\n  leasectl leases --at -2h\n  leasectl leases --at "
                         "2026-11-21T17:00:00Z --db leasehold.db",
             .takes = {.at = true},
             .answer = answer_leases,
             .table = leases_text},
    Question{.name = "lease",
             .what = "everything about one lease, host by host",
             .examples = "  leasectl lease east-batch:west",
             .takes = {.lease = true},
             .answer = answer_lease,
             .table = lease_text},
    Question{.name = "hosts",
             .what = "slots of each host and whom they are leased to",
             .examples = "  leasectl hosts\n  leasectl hosts -e",
             .takes = {.exported = true},
             .answer = answer_hosts,
             .table = hosts_text},
    Question{.name = "policies",
             .what = "the export policies in force",
             .examples = "  leasectl policies\n  leasectl policies -l",
             .takes = {.details = true},
             .answer = answer_policies,
             .table = policies_text},
    Question{.name = "groups",
             .what = "resource groups: size, policies, cycle, switches",
             .examples = "  leasectl groups\n  leasectl groups -l",
             .takes = {.at = true, .details = true},
             .rebuilt = true,
             .answer = answer_groups,
             .table = groups_text},
    Question{
        .name = "consumers",
        .what = "the consumer trees of resource plans: who wants, may have and has what",
        .examples = "  leasectl consumers\n  leasectl consumers -l\n  leasectl consumers --at -2h",
        .takes = {.at = true, .details = true},
        .rebuilt = true,
        .answer = answer_consumers,
        .table = consumers_text},
    Question{.name = "explain",
             .what = "why a lease is as it is, and what would change it",
             .examples = "  leasectl explain east-batch:west",
             .takes = {.lease = true},
             .answer = answer_explain,
             .table = explain_text},
    Question{.name = "history",
             .what = "what happened and what was decided",
             .examples = "  leasectl history --since -1h\n  leasectl history --lease "
                         "east-batch:west --follow\n  leasectl history --csv > history.csv"},
    Question{.name = "usage",
             .what = "slot-seconds of each cluster and consumer, for charge-back",
             .examples = "  leasectl usage --since -24h\n  leasectl usage --since "
                         "2026-11-01T00:00:00Z --until 2026-12-01T00:00:00Z --csv > november.csv",
             .table = usage_text},
};

}  // namespace

std::span<const Question> questions() {
  return kQuestions;
}

const Question* find_question(std::string_view name) {
  for (const Question& question : kQuestions) {
    if (name == question.name) return &question;
  }
  return nullptr;
}

Result<LeaseRef> require_lease(const State& state, const std::string& id) {
  if (id.empty()) return fail(ErrorCode::usage, "no lease is named; it would be POLICY:CONSUMER");
  const LeaseRef lease = find_lease_member(state, id);
  if (lease.group != kNoIndex) return lease;
  return fail(ErrorCode::unknown,
              "there is no lease '" + id + "'" + meant(nearest_lease(state, id)));
}

Result<Json> answer_query(const State& state, const Liveness& liveness, const ValueSources& sources,
                          const Json& request) {
  const std::string name = request_text(request, "command");
  const Question* question = find_question(name);
  if (question == nullptr || question->answer == nullptr) {
    return fail(ErrorCode::usage, "'" + name + "' is not a query");
  }
  return question->answer({state, liveness, sources, request});
}

std::string table_of(const std::string& command, const Json& answer, const TableStyle& style) {
  if (command == "reload") return reload_text(answer, style);
  const Question* question = find_question(command);
  return question != nullptr && question->table != nullptr ? question->table(answer, style)
                                                           : answer.dump(2) + "\n";
}

}  // namespace leasehold
