#include <map>

#include "broker/config/check/check.hpp"
#include "broker/rules/distribution.hpp"

namespace leasehold {

namespace {

struct Mention {
  const PolicyDraft* draft = nullptr;
  size_t host = 0;
  std::vector<std::string> consumers;  // whom the policy gives this host

  Spot spot() const { return draft->written.element(&ExportPolicy::hosts, host); }
  bool whole() const { return draft->policy.unit == LeaseUnit::host; }
  bool shared() const { return draft->policy.type == LeaseType::shared; }
};

/// Returns a consumer of `later` that `earlier` does not have too; "": they have one and the same.
std::string other_consumer(const Mention& earlier, const Mention& later) {
  for (const std::string& a : later.consumers) {
    for (const std::string& b : earlier.consumers) {
      if (a != b) return a;
    }
  }
  return "";
}

/// Returns the consumers of each of the policy's hosts.
std::vector<std::vector<std::string>> consumers_of(const ExportPolicy& policy) {
  std::vector<std::string> all;
  std::vector<int64_t> shares;
  for (const Share& share : policy.distribution) {
    all.push_back(share.cluster);
    shares.push_back(share.shares);
  }
  std::vector<std::vector<std::string>> by_host(policy.hosts.size(), all);
  if (!policy.by_host) return by_host;
  const auto receivers = deal(static_cast<uint32_t>(policy.hosts.size()), shares);
  for (size_t i = 0; i < receivers.size(); ++i) by_host[i] = {all[receivers[i]]};
  return by_host;
}

void compare(const std::string& host, const Mention& earlier, const Mention& later,
             Findings& findings) {
  if (earlier.whole() || later.whole()) {
    const PolicyDraft& whole = earlier.whole() ? *earlier.draft : *later.draft;
    return findings.error(
        later.spot(),
        "host " + in_quotes(host) + " moves as a whole by policy " + in_quotes(whole.policy.name) +
            " (unit = \"host\") and cannot be split (" + in_quotes(earlier.draft->policy.name) +
            " at " + spot_text(earlier.spot()) + "); take it out of one of the policies");
  }
  if (!earlier.shared() && !later.shared()) return;
  if (other_consumer(earlier, later).empty()) return;
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
    auto consumers = consumers_of(draft.policy);
    for (size_t i = 0; i < draft.policy.hosts.size(); ++i) {
      const std::string& host = draft.policy.hosts[i];
      auto& known = mentions[{draft.policy.provider, host}];
      const Mention later{&draft, i, std::move(consumers[i])};
      // Another check reports a host that one list repeats; it is compared once here.
      if (!known.empty() && known.back().draft == &draft) continue;
      for (const Mention& earlier : known) compare(host, earlier, later, findings);
      known.push_back(later);
    }
  }
}

}  // namespace leasehold
