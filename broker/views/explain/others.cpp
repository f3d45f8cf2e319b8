#include "broker/views/explain/others.hpp"

#include <algorithm>

#include "broker/core/model/queries/plans.hpp"
#include "broker/core/model/queries/vacant_hosts.hpp"
#include "broker/views/attention/attention.hpp"
#include "broker/views/request/branch.hpp"
#include "broker/views/rows.hpp"
#include "broker/views/views.hpp"
#include "common/config/file.hpp"

namespace leasehold {

namespace explanation {

Json empty_answer(const std::string& id, const char* kind, const std::string& sentence) {
  return {{"id", id},
          {"kind", kind},
          {"sentence", sentence},
          {"reason", nullptr},
          {"numbers", Json::object()},
          {"needs", Json::array()},
          {"leases", Json::array()},
          {"leases_left", 0},
          {"work", Json::array()},
          {"waiting", Json::array()},
          {"waits_for", nullptr},
          {"would_change", Json::array()},
          {"evaluated_at", nullptr}};
}

void add_lease(Json& answer, const State& state, const LeaseRef& lease, const char* role,
               const Liveness& liveness) {
  if (answer["leases"].size() == kLeasesMost) {
    answer["leases_left"] = answer["leases_left"].get<int64_t>() + 1;
    return;
  }
  const Json explained = view_explain(state, lease, liveness);
  const bool provides = std::string_view(role) == "provider";
  const Json& slots = explained["now"][provides ? "provider_slots" : "consumer_slots"];
  answer["leases"].push_back({{"id", explained["id"]},
                              {"role", role},
                              {"slots", slots["available"]},
                              {"used", slots["used"]},
                              {"reason", explained["reason"]},
                              {"sentence", explained["sentence"]},
                              {"waits_for", explained["waits_for"]}});
  for (const Json& line : explained["would_change"]) {
    answer["would_change"].push_back(explained["id"].get<std::string>() + ": " +
                                     line.get<std::string>());
  }
}

void add_needs(Json& answer, const State& state, const Liveness& liveness,
               const std::string& subject) {
  for (Json& need : view_attention(state, liveness)) {
    const bool site = need["subject"].is_null();
    const std::string of = site ? "" : need["subject"].get<std::string>();
    const bool host_of = of.size() > subject.size() && of.ends_with("@" + subject);
    if (site || of == subject || host_of) answer["needs"].push_back(std::move(need));
  }
}

}  // namespace explanation

namespace {

struct HostPlace {
  uint32_t cluster = kNoIndex;
  uint32_t host = kNoIndex;
};

HostPlace find_host(const State& state, const std::string& id) {
  const size_t at = id.rfind('@');
  if (at == std::string::npos) return {};
  const uint32_t cluster = find_cluster(state, id.substr(at + 1));
  if (cluster == kNoIndex) return {};
  const std::vector<Host>& hosts = state.clusters[cluster].hosts;
  const auto found = std::find_if(hosts.begin(), hosts.end(), [&](const Host& host) {
    return !is_vacant(host) && id.compare(0, at, host.facts.name) == 0;
  });
  if (found == hosts.end()) return {};
  return {cluster, static_cast<uint32_t>(found - hosts.begin())};
}

/// Returns the plan that names the consumer; kNoIndex: none does.
uint32_t plan_of_path(const State& state, const std::string& path) {
  for (uint32_t p = 0; p < state.resource_groups.size(); ++p) {
    const Plan* plan = plan_in_force(state, state.resource_groups[p]);
    if (plan == nullptr) continue;
    for (const PlanConsumer& consumer : plan->consumers) {
      if (is_below(consumer.path, path)) return p;
    }
  }
  return kNoIndex;
}

/// Returns all names that can be explained, except leases, which have a search of their own.
std::vector<std::string> known_names(const State& state) {
  std::vector<std::string> names;
  for (const Cluster& cluster : state.clusters) {
    names.push_back(cluster.name);
    for (const Host& host : cluster.hosts) {
      if (!is_vacant(host)) names.push_back(host.facts.name + "@" + cluster.name);
    }
  }
  for (const ResourceGroupLedger& ledger : state.resource_groups) {
    const Plan* plan = plan_in_force(state, ledger);
    if (plan == nullptr) continue;
    for (const PlanConsumer& consumer : plan->consumers) names.push_back(consumer.path);
  }
  return names;
}

Error unknown(const State& state, const std::string& id) {
  std::vector<std::string> names = known_names(state);
  if (const std::string lease = nearest_lease(state, id); !lease.empty()) names.push_back(lease);
  return {ErrorCode::unknown,
          "'" + id + "' is no lease, no cluster, no host (big1@east) and no consumer of a plan" +
              did_you_mean(id, names),
          {},
          0,
          0};
}

}  // namespace

Result<Json> view_explain_any(const State& state, const std::string& id, const Liveness& liveness) {
  const LeaseRef lease = find_lease_member(state, id);
  if (lease.group != kNoIndex) return view_explain(state, lease, liveness);
  if (const HostPlace place = find_host(state, id); place.host != kNoIndex) {
    return explanation::explain_host(state, place.cluster, place.host, liveness);
  }
  if (const uint32_t plan = plan_of_path(state, id); plan != kNoIndex) {
    return explanation::explain_consumer(state, plan, id, liveness);
  }
  if (const uint32_t cluster = find_cluster(state, id); cluster != kNoIndex) {
    return explanation::explain_cluster(state, cluster, liveness);
  }
  return tl::unexpected(unknown(state, id));
}

}  // namespace leasehold
