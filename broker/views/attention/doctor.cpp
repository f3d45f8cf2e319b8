#include "broker/views/attention/doctor.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "broker/views/answer.hpp"
#include "broker/views/attention/needs.hpp"
#include "broker/views/clusters/contact.hpp"
#include "broker/views/leases/divisions.hpp"
#include "broker/views/lists/listings.hpp"
#include "broker/views/rows.hpp"
#include "broker/views/settings/policy_settings.hpp"
#include "broker/views/views.hpp"
#include "common/version.hpp"

namespace leasehold {

namespace {

/// Smaller differences do not confuse a reader who compares two logs.
constexpr int64_t kClockOffMs = 2'000;

class Doctor {
 public:
  Doctor(const State& state, const Liveness& liveness) : state_(state), liveness_(liveness) {}

  Json take() {
    const bool live = liveness_.agents_known;
    if (const auto& nobody = liveness_.leader_view.nobody) {
      list_.push_back(finding_json(
          Checked::broker, "",
          "nobody leads since " + format_utc(nobody->since) + ": " + nobody->why, nobody->help));
    }
    check(Checked::names,
          live ? "clusters, hosts and agents agree"
               : "policies name hosts that exist; agents are not judged: a database does not keep "
                 "which were refused",
          &Doctor::names);
    check(
        Checked::keys,
        live ? "no agent was refused for its key, and no key belongs to two clusters"
             : "no key belongs to two clusters; refused agents are not judged: a database does not "
               "keep them",
        &Doctor::keys);
    if (live) check(Checked::clocks, "no agent's clock differs from the broker's", &Doctor::clocks);
    check(Checked::versions, "all agents are of this release", &Doctor::versions);
    check(Checked::fences, "what policies export can be fenced", &Doctor::fences);
    if (live) check(Checked::cautions, "no agent reports a caution", &Doctor::cautions);
    return std::move(list_);
  }

 private:
  void check(Checked what, const char* sound, void (Doctor::*look)()) {
    check_ = what;
    const size_t before = list_.size();
    (this->*look)();
    if (list_.size() == before) list_.push_back(sound_json(what, sound));
  }
  void fault(const std::string& subject, const std::string& finding, const std::string& remedy) {
    list_.push_back(finding_json(check_, subject, finding, remedy));
  }
  void names() {
    for (const auto& [name, known] : liveness_.clusters) {
      if (find_cluster(state_, name) == kNoIndex && known.refused) stranger(name);
    }
    if (liveness_.agents_known) speakers();
    for (const PolicyState& policy : state_.policies) {
      if (!policy.configured) continue;
      for (const std::string& host : unknown_hosts(state_, policy)) {
        fault(host + "@" + policy.config.provider,
              "policy " + policy.config.name +
                  " names it, and the agent of its cluster does not know it",
              "correct hosts in the policy, then leasectl reload; leasectl hosts lists them");
      }
    }
  }

  void speakers() {
    for (const Cluster& cluster : state_.clusters) {
      if (!cluster.configured || cluster.contact == Contact::ok) continue;
      const ClusterLiveness* known = known_of(liveness_, cluster.name);
      if (shows_refusal(known, liveness_.now)) {
        not_let_in(cluster.name, *known->refused);
      } else if (cluster.boot == 0) {
        fault(cluster.name, "no agent has ever connected for it",
              "start lease-agent beside it, with cluster = \"" + cluster.name + "\"");
      }
    }
  }

  /// A wrong key is reported by the check of keys.
  void not_let_in(const std::string& name, const RefusedMessage& refused) {
    if (refused.reason == Reason::wrong_key) return;
    fault(name, "an agent connects for it and is refused: " + refused.message,
          attention::remedy_of_refusal(refused.reason, name));
  }

  void stranger(const std::string& name) {
    const std::string meant = nearest_cluster(state_, name);
    fault(name, "an agent connects for it, and no [[cluster]] has that name",
          meant.empty() ? "name it in the broker's configuration"
                        : "write cluster = \"" + meant +
                              "\" in the configuration of that agent, if it is meant");
  }

  void keys() {
    std::map<std::string, std::string> owner;
    for (const ClusterConfig& cluster : state_.config.clusters) {
      if (cluster.public_key.empty()) continue;
      const auto [first, fresh] = owner.emplace(cluster.public_key, cluster.name);
      if (fresh) continue;
      fault(cluster.name, "its public_key is also that of " + first->second,
            "leasectl keygen for one of the two");
    }
    for (const auto& [name, known] : liveness_.clusters) {
      if (!known.refused || known.refused->reason != Reason::wrong_key) continue;
      fault(name, known.refused->message,
            attention::remedy_of_refusal(known.refused->reason, name));
    }
  }

  void clocks() {
    for (const Cluster& cluster : state_.clusters) {
      const ClusterLiveness* known = known_of(liveness_, cluster.name);
      if (known == nullptr || !known->clock_off) continue;
      const ClockDifference off = own_difference(*known->clock_off, liveness_.leader_view);
      if (std::abs(off.surely_ms()) < kClockOffMs) continue;
      fault(cluster.name, "its machine's clock is " + attention::surely_off(off),
            "let both machines follow a time server");
    }
  }

  void versions() {
    for (const Cluster& cluster : state_.clusters) {
      if (!cluster.configured) continue;
      const ClusterLiveness* known = known_of(liveness_, cluster.name);
      const bool newer = known != nullptr && !known->agent_version.empty();
      const std::string& version = newer ? known->agent_version : cluster.program_version;
      if (version.empty() || version == kVersion) continue;
      const bool unsaid =
          std::any_of(cluster.hosts.begin(), cluster.hosts.end(), [](const Host& host) {
            return host.present && host.facts.division == wire::Division::unsaid;
          });
      fault(cluster.name,
            "its agent is of release " + version + ", the broker of " + std::string(kVersion) +
                (unsaid ? "; it does not say whether its hosts may be split: they are lent by slots"
                        : ""),
            "bring both to one release");
    }
  }

  void fences() {
    for (const PolicyState& policy : state_.policies) {
      if (!policy.configured || policy.provider == kNoIndex) continue;
      const Cluster& provider = state_.clusters[policy.provider];
      if (provider.contact == Contact::lost) continue;
      fence(policy, provider, "mem_mb", policy.config.mem_mb != 0 && !provider.fences.memory);
      fence(policy, provider, "swap_mb", policy.config.swap_mb != 0 && !provider.fences.swap);
    }
    if (state_.config.lease_ttl_ms != 0) endless();
    parts();
  }

  /// Reports hosts that may not be split and of which a policy exports a part.
  void parts() {
    const std::vector<std::vector<PartNotLent>> not_lent = parts_not_lent(state_);
    for (size_t p = 0; p < not_lent.size(); ++p) {
      const PolicyState& policy = state_.policies[p];
      for (const PartNotLent& part : not_lent[p]) {
        const wire::HostFacts& host = state_.clusters[policy.provider].hosts[part.host].facts;
        fault(host.name + "@" + policy.config.provider,
              "it may not be split between two clusters (" + why_indivisible(part.division) +
                  "), and policy " + policy.config.name + " gives a consumer " +
                  rows::count_of(part.slots, "slot") + " of its " + std::to_string(host.slots) +
                  ": nothing of it is lent",
              remedy_of_part(policy.config, host));
      }
    }
  }

  void fence(const PolicyState& policy, const Cluster& provider, const char* key, bool lacks) {
    if (!lacks) return;
    fault(policy.config.name,
          std::string(key) + " is set, and the agent of " + provider.name +
              " cannot fence that: nothing is leased",
          "take " + std::string(key) + " from the policy; lease-agent --probe at " + provider.name +
              " says what it can fence");
  }

  /// Reports clusters whose workload manager ends no lease without its agent, although lease_ttl is
  /// set.
  void endless() {
    for (uint32_t c = 0; c < state_.clusters.size(); ++c) {
      const Cluster& cluster = state_.clusters[c];
      if (!cluster.configured || cluster.contact == Contact::lost || cluster.self_expiring) {
        continue;
      }
      const bool leases = std::any_of(
          cluster.slot_groups.begin(), cluster.slot_groups.end(),
          [&](uint32_t g) { return state_.slot_groups[g].members[kProvider].cluster != c; });
      if (!leases) continue;
      fault(cluster.name,
            "lease_ttl has no effect here: its workload manager does not close slots by itself",
            "nothing, or write lease_ttl = \"\": if it is lost, only leasectl forget returns its "
            "slots");
    }
  }

  void cautions() {
    for (const Cluster& cluster : state_.clusters) {
      const ClusterLiveness* known = known_of(liveness_, cluster.name);
      if (known == nullptr || cluster.contact == Contact::lost) continue;
      for (const std::string& caution : known->cautions) {
        list_.push_back(caution_json(check_, cluster.name, caution,
                                     "lease-agent --probe there says the same with what else it "
                                     "sees; change what the sentence names"));
      }
    }
  }

  const State& state_;
  const Liveness& liveness_;
  Json list_ = Json::array();
  Checked check_ = Checked::names;
};

}  // namespace

namespace {

struct Finding {
  Checked check = Checked::names;
  const char* status = "";
  const std::string& subject;
  const std::string& finding;
  const std::string& remedy;
};

constexpr Field<Finding> kFindingFields[] = {
    {{"check"}, [](auto& f) { return token(f.check); }},
    {{"status"}, [](auto& f) { return f.status; }},
    {{"subject"}, [](auto& f) { return rows::text_or_null(f.subject); }},
    {{"finding"}, [](auto& f) { return f.finding; }},
    {{"mend"}, [](auto& f) { return rows::text_or_null(f.remedy); }},
};

}  // namespace

std::span<const columns::Column> doctor_fields() {
  return shown_of<kFindingFields>();
}

Json finding_json(Checked check, const std::string& subject, const std::string& finding,
                  const std::string& remedy) {
  return row_json(kFindingFields, {check, "fault", subject, finding, remedy});
}

Json caution_json(Checked check, const std::string& subject, const std::string& finding,
                  const std::string& remedy) {
  return row_json(kFindingFields, {check, "caution", subject, finding, remedy});
}

Json sound_json(Checked check, const std::string& finding) {
  return row_json(kFindingFields, {check, "ok", "", finding, ""});
}

Json view_doctor(const State& state, const Liveness& liveness) {
  return Doctor(state, liveness).take();
}

bool finds_fault(const Json& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Json& row) { return part_at(row, "status") == "fault"; });
}

}  // namespace leasehold
