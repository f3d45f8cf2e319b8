// Branch: what an operator of one branch of the consumer tree sees: its consumers, the clusters of
// their leaves, and what those lease from and to others. Which rows of which answer that are is
// said by the catalogue.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "broker/core/model/state.hpp"
#include "broker/views/json.hpp"

namespace leasehold {

/// The consumer `of` itself, or one below it.
bool is_below(std::string_view path, std::string_view of);

class Branch {
 public:
  /// `path` as configured: "/research".
  Branch(const State& state, std::string path);

  /// The consumer itself, or one below.
  bool has_consumer(std::string_view path) const;
  bool has_cluster(const std::string& name) const { return clusters_.contains(name); }
  /// Its provider is one of the clusters, or its resource group one that the branch is part of.
  bool has_policy(const std::string& name) const { return policies_.contains(name); }
  bool has_group(const std::string& name) const { return groups_.contains(name); }
  /// POLICY:CONSUMER with a cluster of the branch on either side; GROUP:/PATH by its path.
  bool has_lease(std::string_view id) const;
  /// Whatever people name: a lease, a consumer, HOST@CLUSTER, a cluster.
  bool has_subject(std::string_view name) const;

 private:
  std::string path_;
  std::set<std::string> clusters_;
  std::set<std::string> policies_;
  std::set<std::string> groups_;
};

// Of the catalogue's rows:
bool cluster_in_branch(const Branch& branch, const Json& row);
bool lease_in_branch(const Branch& branch, const Json& row);
bool subject_in_branch(const Branch& branch, const Json& row);
bool host_in_branch(const Branch& branch, const Json& row);
bool policy_in_branch(const Branch& branch, const Json& row);
bool group_in_branch(const Branch& branch, const Json& row);
bool consumer_in_branch(const Branch& branch, const Json& row);
bool event_in_branch(const Branch& branch, const Json& row);
bool usage_in_branch(const Branch& branch, const Json& row);

}  // namespace leasehold
