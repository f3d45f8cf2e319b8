// Branch: what an operator of one branch of the consumer tree may see: its consumers, the clusters
// of their leaves, and what those lease from and to others. The catalogue says which rows of an
// answer that are. Such a row may still name others: hide_others() takes their names out.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/views/json.hpp"

namespace leasehold {

/// True if `path` is the consumer `of` itself, or below it.
bool is_below(std::string_view path, std::string_view of);

class Branch {
 public:
  /// `path` is the consumer's, as configured: "/research".
  Branch(const State& state, std::string path);

  /// True for the branch's consumer itself, and for those below it.
  bool has_consumer(std::string_view path) const;
  bool has_cluster(const std::string& name) const { return clusters_.contains(name); }
  /// True if the policy's provider is one of the branch's clusters, or its resource group one that
  /// the branch is part of.
  bool has_policy(const std::string& name) const { return policies_.contains(name); }
  bool has_group(const std::string& name) const { return groups_.contains(name); }
  /// True for POLICY:CONSUMER with a cluster of the branch on either side, and for GROUP:/PATH with
  /// a path in the branch.
  bool has_lease(std::string_view id) const;
  /// True for any name that people use and the branch has: a lease, a consumer, HOST@CLUSTER, a
  /// cluster.
  bool has_subject(std::string_view name) const;
  /// True if answers show the name to the branch: of a consumer, a cluster, a policy or a group.
  bool is_seen(std::string_view name) const;
  /// True if the branch sees that row of the history: by its lease, or, without a lease, by its
  /// cluster.
  bool has_event(const std::string& lease, const std::string& cluster) const;
  /// Each event that the branch sees has one of these words in its lease or in its cluster.
  std::vector<std::string> words() const;

  /// Hides the names in `state` that the branch does not see, too: a past state may have others
  /// than the state that the branch was made of.
  void note_others(const State& state);
  /// Replaces the names of other branches' clusters, consumers, leases, policies and groups by
  /// kOtherBranch: in values, in sentences and in the paths that are keys.
  void hide_others(Json& answer) const;
  /// Does the same in one text.
  std::string without_others(std::string_view text) const;
  /// Returns the text that answers show where `text` stands under that key.
  std::string shown(std::string_view key, std::string_view text) const;

 private:
  void note_partners(const State& state);
  bool is_other(std::string_view word) const;
  void hide_in(Json& value, std::string_view key) const;
  void hide_in_row(Json& row) const;

  std::string path_;
  std::set<std::string> clusters_;
  std::set<std::string> policies_;
  std::set<std::string> policies_provided_;  // of these, those of its own clusters
  std::set<std::string> groups_;
  std::set<std::string> partners_;       // clusters that the branch leases from or to
  std::set<std::string> policies_seen_;  // policies of others by which it leases
  std::set<std::string, std::less<>> others_;
};

/// Replaces every name of others in answers. Names contain no space, so it is none.
inline constexpr std::string_view kOtherBranch = "another branch";

// These decide for one row of the catalogue's lists whether the branch sees it.
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
