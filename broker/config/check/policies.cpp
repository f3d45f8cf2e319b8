#include <set>

#include "broker/config/check/check.hpp"
#include "broker/config/week.hpp"
#include "broker/config/windows.hpp"
#include "broker/rules/distribution.hpp"
#include "broker/rules/select/select.hpp"

namespace leasehold {

namespace {

class PolicyCheck {
 public:
  PolicyCheck(const PolicyDraft& draft, Findings& findings)
      : policy_(draft.policy), written_(draft.written), findings_(findings) {}

  void check() {
    check_choice();
    check_number(Field::slots_per_host, policy_.slots_per_host);
    check_number(Field::nhosts, policy_.nhosts);
    check_number(Field::initial_slots, policy_.initial_slots);
    check_hosts();
    check_selection();
    check_rule();
    check_windows();
    check_parts();
  }

 private:
  std::string word(Field field) const { return in_quotes(written_.word(field)); }

  /// PER_HOST with SLOTS, or RES_SELECT with NHOSTS.
  void check_choice() {
    const bool hosts = written_.has(Field::hosts);
    const bool select = written_.has(Field::select);
    if (hosts && select) {
      return findings_.error(
          written_.at(Field::select),
          word(Field::hosts) + " and " + word(Field::select) + " exclude each other; keep one");
    }
    if (!hosts && !select) {
      return findings_.error(written_.section, "nothing is exported; write " + word(Field::hosts) +
                                                   " with " + word(Field::slots_per_host) +
                                                   ", or " + word(Field::select) + " with " +
                                                   word(Field::nhosts));
    }
    const Field chosen = hosts ? Field::hosts : Field::select;
    const Field needed = hosts ? Field::slots_per_host : Field::nhosts;
    const Field foreign = hosts ? Field::nhosts : Field::slots_per_host;
    if (!written_.has(needed)) {
      findings_.error(written_.at(chosen), word(chosen) + " needs " + word(needed));
    }
    if (written_.has(foreign)) {
      findings_.error(written_.at(foreign), word(foreign) + " does not go with " + word(chosen) +
                                                "; write " + word(needed));
    }
    if (hosts && policy_.reselect) {
      findings_.error(written_.at(Field::reselect),
                      word(Field::reselect) + " goes with " + word(Field::select) + " only");
    }
    if (!hosts && policy_.by_host) {
      findings_.error(written_.at(Field::by_host),
                      word(Field::by_host) + " goes with " + word(Field::hosts) + " only; what " +
                          word(Field::select) + " chooses is dealt by host anyway: leave it out");
    }
  }

  void check_number(Field field, int32_t value) {
    if (!written_.has(field) || value >= 1) return;
    findings_.error(written_.at(field),
                    word(field) + " is " + std::to_string(value) + "; it must be at least 1");
  }

  void check_hosts() {
    if (written_.has(Field::hosts) && policy_.hosts.empty()) {
      findings_.error(written_.at(Field::hosts), word(Field::hosts) + " names no host");
    }
    if (policy_.hosts.size() > kHostsMax) {
      return findings_.error(written_.hosts[kHostsMax],
                             word(Field::hosts) + " names more than " + std::to_string(kHostsMax) +
                                 " hosts, which is the most; write several policies, or " +
                                 word(Field::select));
    }
    std::set<std::string> seen;
    for (size_t i = 0; i < policy_.hosts.size(); ++i) {
      const std::string& host = policy_.hosts[i];
      const std::string fault = host.empty() ? "the name is empty" : name_fault(host);
      if (!fault.empty())
        findings_.error(written_.hosts[i], "host " + in_quotes(host) + ": " + fault);
      if (!seen.insert(host).second) {
        findings_.error(written_.hosts[i],
                        "host " + in_quotes(host) + " stands twice; name it once");
      }
    }
    const bool many = policy_.distribution.size() > 1 && !policy_.by_host;
    if (policy_.type == LeaseType::shared && written_.has(Field::hosts) && many) {
      const std::string dealt =
          written_.dialect == Dialect::toml ? ", or by_host = true: each host to one of them" : "";
      findings_.error(written_.at(Field::distribution),
                      "a shared policy with " + word(Field::hosts) +
                          " has one consumer; write a policy for each, or " + word(Field::select) +
                          dealt);
    }
  }

  void check_selection() {
    if (!written_.has(Field::select)) return;
    const Result<Selection> selection = Selection::parse(policy_.select);
    if (selection) return;
    Spot spot = written_.at(Field::select);
    const int column = selection.error().column;
    // A TOML text has its opening quote before it; a continued or escaped one is only near.
    spot.place.column += column - 1 + (written_.dialect == Dialect::toml ? 1 : 0);
    findings_.error(spot, word(Field::select) + ": " + selection.error().message + " (character " +
                              std::to_string(column) + " of it)");
  }

  void check_rule() {
    const Spot& spot = written_.at(Field::rule);
    if (policy_.rule == RuleKind::demand_aware) {
      return findings_.error(spot,
                             "rule \"demand-aware\" is not supported by this version yet; leave "
                             "'rule' out");
    }
    const bool shared = policy_.type == LeaseType::shared;
    if (shared == (policy_.rule == RuleKind::idle_comparison)) return;
    findings_.error(spot, shared ? "a shared policy has rule \"idle-comparison\"; leave 'rule' out"
                                 : "rule \"idle-comparison\" needs type = \"shared\"");
  }

  void check_windows() {
    WeekSet all;
    for (size_t i = 0; i < policy_.windows.size(); ++i) {
      const WeekSet window = week_set(policy_.windows[i]);
      if ((all & window).any()) {
        findings_.error(written_.windows[i],
                        "this window overlaps another of the policy; windows must not");
      }
      all |= window;
    }
    if (written_.dialect == Dialect::lsf) return;  // the cluster's: checked there
    const Status zone = check_timezone(policy_.timezone);
    if (!zone) findings_.error(written_.at(Field::timezone), zone.error().message);
  }

  /// Who would get nothing, and an offer larger than the lease.
  void check_parts() {
    if (!written_.has(Field::hosts) || policy_.slots_per_host < 1 || written_.shares_broken) return;
    std::vector<int64_t> shares;
    for (const Share& share : policy_.distribution) shares.push_back(share.shares);
    const auto hosts = static_cast<int64_t>(policy_.hosts.size());
    const std::vector<int64_t> quotas =
        split(policy_.by_host ? hosts : policy_.slots_per_host, shares);
    const std::string few = policy_.by_host
                                ? std::to_string(hosts) + (hosts == 1 ? " host is" : " hosts are")
                                : std::to_string(policy_.slots_per_host) + " a host are";
    for (size_t i = 0; i < quotas.size(); ++i) {
      const std::string consumer = in_quotes(policy_.distribution[i].cluster);
      const int64_t slots = quotas[i] * (policy_.by_host ? policy_.slots_per_host : hosts);
      if (quotas[i] == 0 && shares[i] > 0) {
        findings_.warn(written_.shares[i],
                       consumer + " gets no slot: " + few + " too few for these shares");
      } else if (slots > 0 && policy_.initial_slots > slots) {
        findings_.warn(written_.at(Field::initial_slots),
                       word(Field::initial_slots) + " is " + std::to_string(policy_.initial_slots) +
                           ", but the lease of " + consumer + " has " + std::to_string(slots) +
                           " slots in all");
      }
    }
  }

  const ExportPolicy& policy_;
  const Written& written_;
  Findings& findings_;
};

}  // namespace

void check_policies(const Drafts& drafts, Findings& findings) {
  for (const PolicyDraft& draft : drafts.policies) PolicyCheck(draft, findings).check();
}

}  // namespace leasehold
