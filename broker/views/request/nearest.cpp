// Finds what people name, or returns an Error with the name nearest to one that is not known.
#include <algorithm>

#include "broker/core/model/queries/plans.hpp"
#include "broker/core/model/queries/vacant_hosts.hpp"
#include "broker/views/catalogue.hpp"
#include "broker/views/lists/filter.hpp"
#include "broker/views/request/branch.hpp"
#include "broker/views/views.hpp"
#include "common/config/file.hpp"

namespace leasehold {

namespace {

using Names = std::vector<std::string>;

void add_clusters(const State& state, Names& names) {
  for (const Cluster& cluster : state.clusters) names.push_back(cluster.name);
}

void add_policies(const State& state, Names& names) {
  for (const PolicyState& policy : state.policies) names.push_back(policy.config.name);
  for (const Token<PlanPolicy>& kind : kTokensOf<PlanPolicy>) names.emplace_back(kind.token);
}

/// Adds the paths of every plan's consumers: "/research/genomics".
void add_consumers(const State& state, Names& names) {
  for (const ResourceGroupLedger& group : state.resource_groups) {
    for (const PlanConsumerLedger& consumer : group.consumers) names.push_back(consumer.path);
  }
}

/// Adds each host as "big1@east", and, unless the wanted name has a cluster, as "big1".
void add_hosts(const State& state, bool with_cluster, Names& names) {
  for (const Cluster& cluster : state.clusters) {
    for (const Host& host : cluster.hosts) {
      if (is_vacant(host)) continue;
      names.push_back(host.facts.name + (with_cluster ? "@" + cluster.name : ""));
    }
  }
}

void add_kinds(Names& names) {
  for (int i = 0; i < kRecordKindCount; ++i) {
    names.emplace_back(record_token(static_cast<RecordKind>(i)));
  }
}

void add_reasons(Names& names) {
  for (int i = 0; i < kReasonCount; ++i) names.emplace_back(token(static_cast<Reason>(i)));
}

Names lease_ids(const State& state) {
  Names ids;
  for (uint32_t g = 0; g < state.slot_groups.size(); ++g) {
    if (state.slot_groups[g].phase == Phase::closed) continue;
    for (const LeaseRef& lease : leases_of(state, g)) {
      ids.push_back(lease_id(state, state.slot_groups[g], lease.member));
    }
  }
  return ids;
}

struct Known {
  const char* what;
  ErrorCode code = ErrorCode::unknown;
  Names names = {};
};

Known known_names(const State& state, RequestField filter, const std::string& wanted) {
  Known known{"cluster"};
  if (filter == RequestField::of_phase) {
    known = {"phase", ErrorCode::usage};
    for (const Token<Phase>& phase : kTokensOf<Phase>) known.names.emplace_back(phase.token);
  } else if (filter == RequestField::of_reason) {
    known = {"reason", ErrorCode::usage};
    add_reasons(known.names);
  } else if (filter == RequestField::of_kind) {
    known = {"kind of history row", ErrorCode::usage};
    add_kinds(known.names);
  } else if (filter == RequestField::of_policy) {
    known = {"policy"};
    add_policies(state, known.names);
  } else if (filter == RequestField::of_host) {
    known = {"host"};
    add_hosts(state, wanted.find('@') != std::string::npos, known.names);
  } else if (filter == RequestField::of_lease) {
    known = {"lease", ErrorCode::unknown, lease_ids(state)};
  } else if (filter == RequestField::of_group) {
    known = {"resource group"};
    for (const ResourceGroupLedger& group : state.resource_groups) {
      known.names.push_back(group.name);
    }
  } else {
    if (filter == RequestField::of_consumer) known = {"consumer"};
    add_clusters(state, known.names);
    if (filter == RequestField::of_consumer) add_consumers(state, known.names);
  }
  return known;
}

}  // namespace

std::string nearest_lease(const State& state, const std::string& wanted) {
  return nearest(wanted, lease_ids(state)).value_or("");
}

std::string nearest_cluster(const State& state, const std::string& wanted) {
  Names names;
  add_clusters(state, names);
  return nearest(wanted, names).value_or("");
}

Status require_known(const State& state, RequestField filter, const std::string& wanted) {
  const Known known = known_names(state, filter, wanted);
  if (std::find(known.names.begin(), known.names.end(), wanted) != known.names.end()) return {};
  return fail(known.code, std::string("there is no ") + known.what + " '" + wanted + "'" +
                              did_you_mean(wanted, known.names));
}

namespace {

/// Returns every name that `explain` and `forecast` take.
Names subjects(const State& state) {
  Names names = lease_ids(state);
  add_clusters(state, names);
  add_consumers(state, names);
  add_hosts(state, true, names);
  return names;
}

void complete(std::string& typed, const Names& names, const Branch* branch) {
  if (typed.empty() || is_pattern(typed)) return;
  const std::string* whole = nullptr;
  for (const std::string& name : names) {
    if (!name.starts_with(typed) || (branch != nullptr && !branch->has_subject(name))) continue;
    if (name == typed || (whole != nullptr && *whole != name)) return;
    whole = &name;
  }
  if (whole != nullptr) typed = *whole;
}

}  // namespace

Result<std::vector<std::string>> kinds_like(const std::string& pattern) {
  Names kinds;
  add_kinds(kinds);
  std::string whole = pattern;
  complete(whole, kinds, nullptr);
  std::erase_if(kinds, [&](const std::string& kind) { return !matches_pattern(kind, whole); });
  if (!kinds.empty()) return kinds;
  const Status known = require_known({}, RequestField::of_kind, pattern);
  return tl::unexpected(known.error());
}

void complete_names(const State& state, Request& request) {
  const RequestRow* row = request.row;
  if (row == nullptr || row->is_change()) return;
  const Branch* branch = request.branch.get();
  if (row->subject == RequestField::lease) {
    complete(request.lease, row->subject_help ? subjects(state) : lease_ids(state), branch);
  }
  for (const RequestFieldRow& field : request_fields()) {
    if (!is_filter(field.field) || !row->takes_field(field.field)) continue;
    std::string& typed = request.*std::get<std::string Request::*>(field.place);
    if (typed.empty()) continue;
    complete(typed, known_names(state, field.field, typed).names, branch);
  }
}

namespace {

std::string meant(const std::string& name) {
  return name.empty() ? "" : "; did you mean '" + name + "'?";
}

}  // namespace

Result<LeaseRef> require_lease(const State& state, const std::string& id) {
  if (id.empty()) return fail(ErrorCode::usage, "no lease is named; it would be POLICY:CONSUMER");
  const LeaseRef lease = find_lease_member(state, id);
  if (lease.group != kNoIndex) return lease;
  return fail(ErrorCode::unknown,
              "there is no lease '" + id + "'" + meant(nearest_lease(state, id)));
}

Status require_cluster(const State& state, const std::string& name) {
  if (name.empty()) return fail(ErrorCode::usage, "no cluster is named");
  if (find_cluster(state, name) != kNoIndex) return {};
  return fail(ErrorCode::unknown,
              "there is no cluster '" + name + "'" + meant(nearest_cluster(state, name)));
}

namespace {

/// The leaves at a path and below it, in every plan.
struct LeavesOf {
  Names clusters;  // clusters of the consumer itself
  Names below;     // paths below it
};

void add_once(const std::string& name, Names& names) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

LeavesOf leaves_of(const State& state, const std::string& path) {
  LeavesOf found;
  for (const ResourceGroupLedger& group : state.resource_groups) {
    const Plan* plan = plan_in_force(state, group);
    if (plan == nullptr) continue;
    for (const PlanConsumer& consumer : plan->consumers) {
      if (consumer.cluster.empty() || !is_below(consumer.path, path)) continue;
      const bool itself = consumer.path == path;
      itself ? add_once(consumer.cluster, found.clusters) : add_once(consumer.path, found.below);
    }
  }
  return found;
}

std::string any_of(const Names& names) {
  constexpr size_t kMost = 5;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMost); ++i) text += (i > 0 ? ", " : "") + names[i];
  return names.size() <= kMost ? text
                               : text + " and " + std::to_string(names.size() - kMost) + " more";
}

}  // namespace

Result<std::string> consumer_cluster(const State& state, const std::string& name) {
  if (!name.starts_with('/')) {
    const Status known = require_cluster(state, name);
    return known ? Result<std::string>(name) : tl::unexpected(known.error());
  }
  const LeavesOf leaves = leaves_of(state, name);
  if (leaves.clusters.size() == 1) return leaves.clusters.front();
  if (leaves.clusters.size() > 1) {
    return fail(ErrorCode::usage, "'" + name + "' is a leaf of several clusters; one of these " +
                                      "would be right: " + any_of(leaves.clusters));
  }
  if (!leaves.below.empty()) {
    return fail(ErrorCode::usage, "'" + name + "' is a parent; a leaf below it would be right: " +
                                      any_of(leaves.below));
  }
  return fail(ErrorCode::unknown, "there is no consumer '" + name + "' of a plan" +
                                      did_you_mean(name, leaves_of(state, "").below));
}

}  // namespace leasehold
