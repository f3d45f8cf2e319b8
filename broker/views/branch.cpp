#include "broker/views/branch.hpp"

#include <nlohmann/json.hpp>

#include "broker/views/answer.hpp"

namespace leasehold {

bool is_below(std::string_view path, std::string_view of) {
  return path.starts_with(of) && (path.size() == of.size() || path[of.size()] == '/');
}

Branch::Branch(const State& state, std::string path) : path_(std::move(path)) {
  for (const ResourceGroup& group : state.config.resource_groups) {
    bool part = false;
    if (group.variants.empty()) continue;
    // All variants have the same consumers.
    for (const PlanConsumer& each : group.variants[0].consumers) {
      if (!has_consumer(each.path)) continue;
      part = true;
      if (!each.cluster.empty()) clusters_.insert(each.cluster);
    }
    if (!part) continue;
    groups_.insert(group.name);
    policies_.insert(group.policies.begin(), group.policies.end());
  }
  for (const PolicyState& policy : state.policies) {
    if (!has_cluster(policy.config.provider)) continue;
    policies_.insert(policy.config.name);
    policies_provided_.insert(policy.config.name);
  }
  note_partners(state);
  note_others(state);
}

/// Notes the providers for a plan of the branch, and the other side of each lease without a plan.
void Branch::note_partners(const State& state) {
  for (const PolicyState& policy : state.policies) {
    const ExportPolicy& config = policy.config;
    bool consumes = false;
    for (const Share& share : config.distribution) {
      if (has_cluster(config.provider)) partners_.insert(share.cluster);
      consumes = consumes || has_cluster(share.cluster);
    }
    if (consumes) policies_seen_.insert(config.name);
    if (consumes || has_policy(config.name)) partners_.insert(config.provider);
  }
}

bool Branch::has_consumer(std::string_view path) const {
  return is_below(path, path_);
}

bool Branch::has_lease(std::string_view id) const {
  const size_t colon = id.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string policy(id.substr(0, colon));
  const std::string_view consumer = id.substr(colon + 1);
  if (consumer.starts_with('/')) return has_consumer(consumer.substr(0, consumer.find('@')));
  return has_cluster(std::string(consumer)) || policies_provided_.contains(policy) ||
         (has_policy(policy) && is_seen(consumer));
}

bool Branch::has_subject(std::string_view name) const {
  if (name.find(':') != std::string_view::npos) return has_lease(name);
  if (name.starts_with('/')) return has_consumer(name);
  return has_cluster(std::string(name.substr(name.find('@') + 1)));
}

/// An event that concerns the whole site (a reload, a start) is in no branch.
bool Branch::has_event(const std::string& lease, const std::string& cluster) const {
  return lease.empty() ? has_cluster(cluster) : has_lease(lease);
}

std::vector<std::string> Branch::words() const {
  std::vector<std::string> words{path_};
  words.insert(words.end(), clusters_.begin(), clusters_.end());
  words.insert(words.end(), policies_.begin(), policies_.end());
  return words;
}

bool cluster_in_branch(const Branch& branch, const Json& row) {
  return branch.has_cluster(text_at(row, "cluster"));
}

bool lease_in_branch(const Branch& branch, const Json& row) {
  return branch.has_lease(text_at(row, "id"));
}

bool subject_in_branch(const Branch& branch, const Json& row) {
  return branch.has_subject(text_at(row, "subject"));
}

/// A branch sees its clusters' own hosts, and hosts that are leased to them.
bool host_in_branch(const Branch& branch, const Json& row) {
  if (cluster_in_branch(branch, row)) return true;
  for (const Json& lent : row.value("leased_to", Json::array())) {
    if (cluster_in_branch(branch, lent)) return true;
  }
  return false;
}

bool policy_in_branch(const Branch& branch, const Json& row) {
  return branch.has_policy(text_at(row, "policy"));
}

bool group_in_branch(const Branch& branch, const Json& row) {
  return branch.has_group(text_at(row, "resource_group"));
}

bool consumer_in_branch(const Branch& branch, const Json& row) {
  return branch.has_consumer(text_at(row, "path"));
}

bool event_in_branch(const Branch& branch, const Json& row) {
  return branch.has_event(text_at(row, "lease"), text_at(row, "cluster"));
}

bool usage_in_branch(const Branch& branch, const Json& row) {
  const std::string consumer = text_at(row, "consumer");
  return consumer.empty() ? cluster_in_branch(branch, row) : branch.has_consumer(consumer);
}

}  // namespace leasehold
