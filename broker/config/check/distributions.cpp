#include <algorithm>
#include <map>
#include <set>

#include "broker/config/check/check.hpp"

namespace leasehold {

namespace {

class DistributionCheck {
 public:
  DistributionCheck(const Drafts& drafts, Findings& findings) : findings_(findings) {
    for (const ClusterDraft& draft : drafts.clusters) clusters_.push_back(draft.cluster.name);
  }

  void take_provider(const std::string& provider, const Written& written) {
    if (!provider.empty()) check_cluster("provider", provider, written.at(&ExportPolicy::provider));
  }

  void take(const std::string& provider, Shares& shares, Written& written) {
    take_provider(provider, written);
    const size_t named = shares.size();
    if (named > kSharesMax) {
      return findings_.error(written.at(&ExportPolicy::distribution),
                             in_quotes(written.word(&ExportPolicy::distribution)) +
                                 " names more than " + std::to_string(kSharesMax) +
                                 " clusters, which is the most");
    }
    drop_provider(provider, shares, written);
    check_shares(shares, written);
    if (!shares.empty() || written.shares_broken) return;
    const std::string word = written.word(&ExportPolicy::distribution);
    findings_.error(written.at(&ExportPolicy::distribution),
                    named > 0
                        ? in_quotes(word) + " names nobody but the provider; add a consumer"
                        : in_quotes(word) + " names no cluster; add a consumer with its shares");
  }

 private:
  void check_cluster(const std::string& role, const std::string& name, const Spot& spot) {
    if (std::find(clusters_.begin(), clusters_.end(), name) != clusters_.end()) return;
    std::string message =
        role + " " + in_quotes(name) + " is not a known cluster" + did_you_mean(name, clusters_);
    if (!message.ends_with('?')) message += "; add a [[cluster]] of that name";
    findings_.error(spot, std::move(message));
  }

  /// LSF ignores an assignment to the local cluster.
  void drop_provider(const std::string& provider, Shares& shares, Written& written) {
    for (size_t i = shares.size(); i-- > 0;) {
      if (shares[i].cluster != provider || provider.empty()) continue;
      findings_.warn(written.element(&ExportPolicy::distribution, i),
                     "the provider " + in_quotes(provider) + " in its own " +
                         in_quotes(written.word(&ExportPolicy::distribution)) +
                         " is ignored; take it out");
      std::vector<Share>& kept = shares.own();
      kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
      written.drop_element(&ExportPolicy::distribution, i);
    }
  }

  void check_shares(const Shares& shares, const Written& written) {
    std::set<std::string> seen;
    for (size_t i = 0; i < shares.size(); ++i) {
      const Share& share = shares[i];
      if (share.shares < 1) {
        findings_.error(written.element(&ExportPolicy::distribution, i),
                        "shares of " + in_quotes(share.cluster) + " are " +
                            std::to_string(share.shares) + "; they must be at least 1");
      }
      if (share.cluster.empty()) continue;  // the reader reported it
      check_cluster("consumer", share.cluster, written.element(&ExportPolicy::distribution, i));
      if (!seen.insert(share.cluster).second) {
        findings_.error(written.element(&ExportPolicy::distribution, i),
                        "cluster " + in_quotes(share.cluster) + " is listed twice in this " +
                            in_quotes(written.word(&ExportPolicy::distribution)) +
                            "; add its shares up");
      }
    }
  }

  Findings& findings_;
  std::vector<std::string> clusters_;
};

/// A shared resource follows exported hosts: without a policy to the same consumer nobody can use
/// it.
void check_reach(const Drafts& drafts, Findings& findings) {
  std::set<std::pair<std::string, std::string>> reached;
  for (const PolicyDraft& draft : drafts.policies) {
    for (const Share& share : draft.policy.distribution) {
      reached.emplace(draft.policy.provider, share.cluster);
    }
  }
  for (const ResourceDraft& draft : drafts.resources) {
    const SharedResource& resource = draft.resource;
    for (size_t i = 0; i < resource.distribution.size(); ++i) {
      const std::string& consumer = resource.distribution[i].cluster;
      if (reached.contains({resource.provider, consumer})) continue;
      findings.warn(draft.written.element(&SharedResource::distribution, i),
                    "shared resource " + in_quotes(resource.name) + " has no effect for " +
                        in_quotes(consumer) + ": no export policy of " +
                        in_quotes(resource.provider) + " gives it hosts");
    }
  }
}

}  // namespace

void check_distributions(Drafts& drafts, Findings& findings) {
  DistributionCheck check(drafts, findings);
  for (PolicyDraft& draft : drafts.policies) {
    if (!draft.group.empty()) {  // its consumers are the group's
      check.take_provider(draft.policy.provider, draft.written);
      continue;
    }
    check.take(draft.policy.provider, draft.policy.distribution, draft.written);
  }
  for (ResourceDraft& draft : drafts.resources) {
    check.take(draft.resource.provider, draft.resource.distribution, draft.written);
    const Written& written = draft.written;
    for (const KeyRef key : {KeyRef(&SharedResource::name), KeyRef(&SharedResource::instances)}) {
      if (written.has(key)) continue;
      findings.error(written.section,
                     "missing key " + in_quotes(written.word(key)) + " of a shared resource");
    }
  }
  check_reach(drafts, findings);
}

}  // namespace leasehold
