#include <array>
#include <set>
#include <utility>

#include "broker/config/check/check.hpp"
#include "broker/config/week.hpp"
#include "broker/config/windows.hpp"
#include "broker/rules/distribution.hpp"
#include "broker/rules/select/select.hpp"

namespace leasehold {

namespace {

constexpr KeyRef kHosts(&ExportPolicy::hosts);
constexpr KeyRef kSlotsPerHost(&ExportPolicy::slots_per_host);
constexpr KeyRef kSelect(&ExportPolicy::select);
constexpr KeyRef kNhosts(&ExportPolicy::nhosts);

class PolicyCheck {
 public:
  PolicyCheck(const PolicyDraft& draft, Findings& findings)
      : policy_(draft.policy), written_(draft.written), findings_(findings) {}

  void check() {
    check_choice();
    check_hosts();
    check_selection();
    check_rule();
    check_shadow();
    check_unit();
    check_windows();
    check_parts();
  }

 private:
  std::string word(KeyRef key) const { return in_quotes(written_.word(key)); }

  /// PER_HOST with SLOTS, or RES_SELECT with NHOSTS.
  void check_choice() {
    const bool hosts = written_.has(kHosts);
    const bool select = written_.has(kSelect);
    if (hosts && select) {
      return findings_.error(written_.at(kSelect), word(kHosts) + " and " + word(kSelect) +
                                                       " exclude each other; keep one");
    }
    if (!hosts && !select) {
      return findings_.error(written_.section, "nothing is exported; write " + word(kHosts) +
                                                   " with " + word(kSlotsPerHost) + ", or " +
                                                   word(kSelect) + " with " + word(kNhosts));
    }
    const KeyRef chosen = hosts ? kHosts : kSelect;
    const KeyRef needed = hosts ? kSlotsPerHost : kNhosts;
    const KeyRef foreign = hosts ? kNhosts : kSlotsPerHost;
    if (!written_.has(needed)) {
      findings_.error(written_.at(chosen), word(chosen) + " needs " + word(needed));
    }
    if (written_.has(foreign)) {
      findings_.error(written_.at(foreign), word(foreign) + " does not go with " + word(chosen) +
                                                "; write " + word(needed));
    }
    if (hosts && policy_.reselect) {
      findings_.error(written_.at(&ExportPolicy::reselect),
                      word(&ExportPolicy::reselect) + " goes with " + word(kSelect) + " only");
    }
    if (!hosts && policy_.by_host) {
      findings_.error(written_.at(&ExportPolicy::by_host),
                      word(&ExportPolicy::by_host) + " goes with " + word(kHosts) + " only; what " +
                          word(kSelect) + " chooses is dealt by host anyway: leave it out");
    }
  }

  void check_hosts() {
    if (written_.has(kHosts) && policy_.hosts.empty()) {
      findings_.error(written_.at(kHosts), word(kHosts) + " names no host");
    }
    if (policy_.hosts.size() > kHostsMax) {
      return findings_.error(written_.element(kHosts, kHostsMax),
                             word(kHosts) + " names more than " + std::to_string(kHostsMax) +
                                 " hosts, which is the most; write several policies, or " +
                                 word(kSelect));
    }
    std::set<std::string> seen;
    for (size_t i = 0; i < policy_.hosts.size(); ++i) {
      const std::string& host = policy_.hosts[i];
      const std::string fault = host.empty() ? "the name is empty" : name_fault(host);
      if (!fault.empty()) {
        findings_.error(written_.element(kHosts, i), "host " + in_quotes(host) + ": " + fault);
      }
      if (!seen.insert(host).second) {
        findings_.error(written_.element(kHosts, i),
                        "host " + in_quotes(host) + " is listed twice; name it once");
      }
    }
    const bool many = policy_.distribution.size() > 1 && !policy_.by_host;
    if (policy_.type == LeaseType::shared && written_.has(kHosts) && many) {
      const std::string dealt =
          written_.dialect == Dialect::toml ? ", or by_host = true: each host to one of them" : "";
      findings_.error(written_.at(&ExportPolicy::distribution),
                      "a shared policy with " + word(kHosts) +
                          " has one consumer; write a policy for each, or " + word(kSelect) +
                          dealt);
    }
  }

  void check_selection() {
    if (!written_.has(kSelect)) return;
    const Result<Selection> selection = Selection::parse(policy_.select);
    if (selection) return;
    Spot spot = written_.at(kSelect);
    const int column = selection.error().column;
    // A TOML text has its opening quote before it; a continued or escaped one is only near.
    spot.place.column += column - 1 + (written_.dialect == Dialect::toml ? 1 : 0);
    findings_.error(spot, word(kSelect) + ": " + selection.error().message + " (character " +
                              std::to_string(column) + " of it)");
  }

  void check_rule() {
    const Spot spot = written_.at(&ExportPolicy::rule);
    check_demand_keys();
    if (policy_.rule_by_default) note_rule();
    if (row_of(policy_.rule).type == policy_.type) return;
    findings_.error(
        spot,
        is_exclusive(policy_.type)
            ? std::string("rule \"") + token(policy_.rule) + "\" needs type = \"shared\""
            : "a shared policy has rule " + shared_rules() + "; leave 'rule' out for the first");
  }

  /// No warning: after an upgrade, too, the policy is right as it stands, and its rule is kept.
  void note_rule() {
    const std::string usual = std::string("rule = \"") + token(policy_.rule) + '"';
    findings_.note(
        written_.at(&ExportPolicy::type),
        "policy " + in_quotes(policy_.name) + " has no 'rule', so it has " + usual +
            ": idle slots change sides at every evaluation, although nobody waits. Write "
            "rule = \"demand-aware\" below this line, and they move for waiting work "
            "alone; or " +
            usual + ", if it is meant so");
  }

  static std::string shared_rules() {
    std::string names;
    for (const Rule& rule : kRules) {
      if (is_exclusive(rule.type)) continue;
      names += std::string(names.empty() ? "" : " or ") + '"' + std::string(rule.name) + '"';
    }
    return names;
  }

  /// Keys that another rule would read without effect; "off" says what holds anyway.
  void check_demand_keys() {
    const auto reads_work = [](RuleKind rule) { return row_of(rule).of_work != nullptr; };
    if (reads_work(policy_.rule) || (policy_.shadow && reads_work(*policy_.shadow))) return;
    const std::array<std::pair<KeyRef, bool>, 3> keys{
        {{KeyRef(&ExportPolicy::min_hold_ms), policy_.min_hold_ms == 0},
         {KeyRef(&ExportPolicy::use_by_ms), false},
         {KeyRef(&ExportPolicy::provider_first), !policy_.provider_first}}};
    for (const auto& [key, is_off] : keys) {
      if (!written_.has(key) || is_off) continue;
      findings_.error(written_.at(key), word(key) + " is of rule = \"demand-aware\"; take it out");
    }
  }

  void check_shadow() {
    const Spot spot = written_.at(&ExportPolicy::shadow);
    if (policy_.shadow != policy_.rule) return;
    findings_.warn(spot,
                   "the shadow is the rule in force and would always agree; name another, or "
                   "leave 'shadow' out");
  }

  /// A host that moves as a whole has one consumer. Another check covers shared policies.
  void check_unit() {
    const bool split = policy_.distribution.size() > 1 && written_.has(kHosts) && !policy_.by_host;
    if (policy_.unit != LeaseUnit::host || policy_.type == LeaseType::shared || !split) return;
    findings_.error(written_.at(&ExportPolicy::unit),
                    "unit = \"host\" with several consumers needs by_host = true: each host to one "
                    "of them; or write a policy for each");
  }

  void check_windows() {
    WeekSet all;
    for (size_t i = 0; i < policy_.windows.size(); ++i) {
      const WeekSet window = week_set(policy_.windows[i]);
      if ((all & window).any()) {
        findings_.error(written_.element(&ExportPolicy::windows, i),
                        "this window overlaps another of the policy; windows must not");
      }
      all |= window;
    }
    if (written_.dialect == Dialect::lsf) return;  // the cluster's: checked there
    const Status zone = check_timezone(policy_.timezone);
    if (!zone) findings_.error(written_.at(&ExportPolicy::timezone), zone.error().message);
  }

  /// Finds consumers that would get nothing, and an offer larger than the lease.
  void check_parts() {
    if (!written_.has(kHosts) || policy_.slots_per_host < 1 || written_.shares_broken) return;
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
        findings_.warn(written_.element(&ExportPolicy::distribution, i),
                       consumer + " gets no slot: " + few + " too few for these shares");
      } else if (slots > 0 && policy_.initial_slots > slots) {
        findings_.warn(written_.at(&ExportPolicy::initial_slots),
                       word(&ExportPolicy::initial_slots) + " is " +
                           std::to_string(policy_.initial_slots) + ", but the lease of " +
                           consumer + " has " + std::to_string(slots) + " slots in all");
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
