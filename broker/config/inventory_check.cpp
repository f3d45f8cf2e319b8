#include "broker/config/inventory_check.hpp"

#include <algorithm>
#include <optional>

#include "broker/config/draft.hpp"
#include "broker/config/week.hpp"
#include "broker/rules/distribution.hpp"
#include "broker/rules/select/select.hpp"

namespace leasehold {

namespace {

using Inventory = std::vector<wire::HostFacts>;

/// One policy's export of one host.
struct Export {
  const ExportPolicy* policy = nullptr;
  int64_t slots = 0;
  std::vector<std::string> consumers;
};
using ExportsOfHosts = std::vector<std::vector<Export>>;

Spot spot_of(const ExportPolicy& policy) {
  return {policy.source.file, {policy.source.line, 0}};
}

std::string sum_text(const std::vector<Export>& exports) {
  std::string text;
  for (const Export& e : exports) {
    text += (text.empty() ? "" : ", ") + in_quotes(e.policy->name) + " " + std::to_string(e.slots);
  }
  return text;
}

/// The most that is exported at any minute of the week; for several time zones, the sum.
template <class Amount>
int64_t peak(const std::vector<Export>& exports, Amount amount) {
  int64_t always = 0;
  int64_t windowed = 0;
  std::optional<std::string> zone;
  bool one_zone = true;
  std::vector<std::pair<WeekSet, int64_t>> weeks;
  for (const Export& e : exports) {
    if (e.policy->windows.empty()) {
      always += amount(e);
      continue;
    }
    one_zone = one_zone && zone.value_or(e.policy->timezone) == e.policy->timezone;
    zone = e.policy->timezone;
    windowed += amount(e);
    weeks.emplace_back(week_set(e.policy->windows), amount(e));
  }
  if (!one_zone || weeks.size() < 2) return always + windowed;
  int64_t most = 0;
  for (size_t minute = 0; minute < kMinutesOfWeek; ++minute) {
    int64_t sum = 0;
    for (const auto& [week, slots] : weeks) sum += week[minute] ? slots : 0;
    most = std::max(most, sum);
  }
  return always + most;
}

class ProviderCheck {
 public:
  ProviderCheck(const std::string& provider, const Inventory& inventory, Findings& findings)
      : provider_(provider),
        inventory_(inventory),
        exports_(inventory.size()),
        findings_(findings) {
    for (const auto& host : inventory) names_.push_back(host.name);
  }

  void take(const ExportPolicy& policy) {
    if (policy.select.empty()) {
      take_named(policy);
    } else {
      take_chosen(policy);
    }
  }

  void check() {
    for (size_t host = 0; host < inventory_.size(); ++host) {
      if (exports_[host].empty()) continue;
      check_slots(inventory_[host], exports_[host]);
      check_size(inventory_[host], exports_[host], "memory", inventory_[host].mem_mb,
                 [](const Export& e) { return e.policy->mem_mb; });
      check_size(inventory_[host], exports_[host], "swap", inventory_[host].swap_mb,
                 [](const Export& e) { return e.policy->swap_mb; });
      check_shared(inventory_[host], exports_[host]);
      check_whole(inventory_[host], exports_[host]);
      check_indivisible(inventory_[host], exports_[host]);
    }
  }

 private:
  static std::vector<std::string> consumers_of(const ExportPolicy& policy) {
    std::vector<std::string> consumers;
    for (const Share& share : policy.distribution) consumers.push_back(share.cluster);
    return consumers;
  }

  void take_named(const ExportPolicy& policy) {
    std::vector<int64_t> shares;
    for (const Share& share : policy.distribution) shares.push_back(share.shares);
    const auto receivers = policy.by_host ? deal(static_cast<uint32_t>(policy.hosts.size()), shares)
                                          : std::vector<uint32_t>();
    for (size_t i = 0; i < policy.hosts.size(); ++i) {
      const std::string& name = policy.hosts[i];
      const auto found = std::find(names_.begin(), names_.end(), name);
      if (found == names_.end()) {
        findings_.warn(spot_of(policy), "host " + in_quotes(name) + " of policy " +
                                            in_quotes(policy.name) + " is unknown to " +
                                            in_quotes(provider_) + did_you_mean(name, names_));
        continue;
      }
      Export named{&policy, policy.slots_per_host, consumers_of(policy)};
      if (i < receivers.size()) named.consumers = {policy.distribution[receivers[i]].cluster};
      exports_[static_cast<size_t>(found - names_.begin())].push_back(std::move(named));
    }
  }

  void take_chosen(const ExportPolicy& policy) {
    const Result<Selection> selection = Selection::parse(policy.select);
    if (!selection) return;  // the reader of the file reported it
    const auto chosen = choose_hosts(*selection, inventory_, policy.nhosts);
    if (policy.distribution.empty()) {  // a resource group's: all hosts are its consumers'
      for (const uint32_t host : chosen) {
        exports_[host].push_back({&policy, inventory_[host].slots, {}});
      }
      return check_enough(policy, chosen.size());
    }
    std::vector<int64_t> shares;
    for (const Share& share : policy.distribution) shares.push_back(share.shares);
    const auto receivers = deal(static_cast<uint32_t>(chosen.size()), shares);
    for (size_t i = 0; i < receivers.size(); ++i) {
      exports_[chosen[i]].push_back(
          {&policy, inventory_[chosen[i]].slots, {policy.distribution[receivers[i]].cluster}});
    }
    check_enough(policy, chosen.size());
  }

  void check_enough(const ExportPolicy& policy, size_t chosen) {
    if (static_cast<int64_t>(chosen) >= policy.nhosts) return;
    findings_.warn(spot_of(policy), "policy " + in_quotes(policy.name) + " wants " +
                                        std::to_string(policy.nhosts) + " hosts, but only " +
                                        std::to_string(chosen) + " of " + in_quotes(provider_) +
                                        " match its select");
  }

  void check_slots(const wire::HostFacts& host, const std::vector<Export>& exports) {
    const int64_t most = peak(exports, [](const Export& e) { return e.slots; });
    if (most <= host.slots) return;
    findings_.error(spot_of(*exports.back().policy),
                    "host " + in_quotes(host.name) + " of " + in_quotes(provider_) + " has " +
                        std::to_string(host.slots) + " slots, but " + std::to_string(most) +
                        " are exported (" + sum_text(exports) + "); export fewer");
  }

  template <class Amount>
  void check_size(const wire::HostFacts& host, const std::vector<Export>& exports, const char* what,
                  int64_t there, Amount amount) {
    const int64_t most = peak(exports, amount);
    if (there <= 0 || most <= there) return;  // 0: the agent does not know it
    findings_.error(spot_of(*exports.back().policy),
                    "host " + in_quotes(host.name) + " of " + in_quotes(provider_) + " has " +
                        std::to_string(there) + " MB of " + what + ", but " + std::to_string(most) +
                        " MB are promised; promise less");
  }

  void check_shared(const wire::HostFacts& host, const std::vector<Export>& exports) {
    for (size_t later = 1; later < exports.size(); ++later) {
      for (size_t earlier = 0; earlier < later; ++earlier) {
        compare(host, exports[earlier], exports[later]);
      }
    }
  }

  /// A workload manager that gives out whole nodes could use a part of one for nothing.
  void check_whole(const wire::HostFacts& host, const std::vector<Export>& exports) {
    for (const Export& one : exports) {
      if (one.policy->unit != LeaseUnit::host) continue;
      if (exports.size() > 1) {
        findings_.error(spot_of(*one.policy),
                        "host " + in_quotes(host.name) + " of " + in_quotes(provider_) +
                            " moves as a whole by policy " + in_quotes(one.policy->name) +
                            " (unit = \"host\") and falls to several policies (" +
                            sum_text(exports) + "); take it out of all but one");
        return;
      }
      if (one.slots < host.slots) {
        findings_.warn(
            spot_of(*one.policy),
            "policy " + in_quotes(one.policy->name) +
                " moves whole hosts (unit = \"host\") but exports only " +
                std::to_string(one.slots) + " of " + std::to_string(host.slots) + " slots of " +
                in_quotes(host.name) +
                ": a manager that gives out whole nodes can use none of them; export all");
      }
    }
  }

  /// Two clusters may not use it side by side: nothing of it is lent where no lease has all of it.
  void check_indivisible(const wire::HostFacts& host, const std::vector<Export>& exports) {
    if (!is_indivisible(host.division)) return;
    for (const Export& one : exports) {
      const bool dealt = one.policy->select.empty() && !one.policy->by_host;
      const bool shared_out = dealt && one.consumers.size() > 1;
      if (one.slots >= host.slots && !shared_out) continue;
      findings_.warn(
          spot_of(*one.policy),
          "policy " + in_quotes(one.policy->name) + " exports " + std::to_string(one.slots) +
              " of the " + std::to_string(host.slots) + " slots of " + in_quotes(host.name) +
              (shared_out ? " to several consumers" : "") +
              ", which may not be split between two clusters (" + token(host.division) +
              "): nothing of it is lent; export all of them to one consumer, as slots_per_host = " +
              std::to_string(host.slots) + (shared_out ? " with unit = \"host\"" : "") +
              " does, or write [hosts] divisible = \"yes\" in the configuration of its agent");
    }
  }

  void compare(const wire::HostFacts& host, const Export& earlier, const Export& later) {
    const bool shared =
        earlier.policy->type == LeaseType::shared || later.policy->type == LeaseType::shared;
    // Two policies that name their hosts were compared when the file was read.
    const bool chosen = !earlier.policy->select.empty() || !later.policy->select.empty();
    const bool same = earlier.consumers == later.consumers && later.consumers.size() == 1;
    if (!shared || !chosen || same) return;
    findings_.error(spot_of(*later.policy),
                    "host " + in_quotes(host.name) + " of " + in_quotes(provider_) +
                        " falls to policies " + in_quotes(earlier.policy->name) + " and " +
                        in_quotes(later.policy->name) +
                        ", one of them shared, with different consumers; narrow a select");
  }

  const std::string& provider_;
  const Inventory& inventory_;
  std::vector<std::string> names_;
  ExportsOfHosts exports_;
  Findings& findings_;
};

}  // namespace

InventoryFindings check_against_inventory(
    const BrokerConfig& config, const std::map<std::string, std::vector<wire::HostFacts>>& hosts) {
  Findings findings;
  for (const ClusterConfig& cluster : config.clusters) {
    const auto inventory = hosts.find(cluster.name);
    if (inventory == hosts.end()) continue;
    ProviderCheck check(cluster.name, inventory->second, findings);
    for (const ExportPolicy& policy : config.policies) {
      if (policy.provider == cluster.name) check.take(policy);
    }
    check.check();
  }
  return {std::move(findings.errors), std::move(findings.warnings)};
}

}  // namespace leasehold
