#include <map>

#include "broker/config/check.hpp"

namespace leasehold {

namespace {

struct Mention {
  const PolicyDraft* draft = nullptr;
  size_t host = 0;

  const Spot& spot() const { return draft->written.hosts[host]; }
  bool shared() const { return draft->policy.type == LeaseType::shared; }
};

/// A consumer of `later` that `earlier` does not have too; "": they have one and the same.
std::string other_consumer(const ExportPolicy& earlier, const ExportPolicy& later) {
  for (const Share& a : later.distribution) {
    for (const Share& b : earlier.distribution) {
      if (a.cluster != b.cluster) return a.cluster;
    }
  }
  return "";
}

void compare(const std::string& host, const Mention& earlier, const Mention& later,
             Findings& findings) {
  if (earlier.draft == later.draft) return;  // a host twice in one policy is told elsewhere
  if (!earlier.shared() && !later.shared()) return;
  const std::string other = other_consumer(earlier.draft->policy, later.draft->policy);
  if (other.empty()) return;
  const PolicyDraft& shared = earlier.shared() ? *earlier.draft : *later.draft;
  findings.error(later.spot(),
                 "host " + in_quotes(host) + " is shared by policy " +
                     in_quotes(shared.policy.name) + " and may not go to another consumer too (" +
                     in_quotes(earlier.draft->policy.name) + " at " + spot_text(earlier.spot()) +
                     "); take it out of one of the policies");
}

}  // namespace

void check_shared_hosts(const Drafts& drafts, Findings& findings) {
  std::map<std::pair<std::string, std::string>, std::vector<Mention>> mentions;
  for (const PolicyDraft& draft : drafts.policies) {
    for (size_t i = 0; i < draft.policy.hosts.size(); ++i) {
      const std::string& host = draft.policy.hosts[i];
      auto& known = mentions[{draft.policy.provider, host}];
      const Mention later{&draft, i};
      for (const Mention& earlier : known) compare(host, earlier, later, findings);
      known.push_back(later);
    }
  }
}

}  // namespace leasehold
