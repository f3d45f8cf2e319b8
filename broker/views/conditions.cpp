#include "broker/views/conditions.hpp"

#include "broker/core/agents/expiry.hpp"
#include "broker/core/agents/lease_bounds.hpp"
#include "broker/core/model/queries/orders_in_force.hpp"
#include "broker/views/clusters/contact.hpp"
#include "broker/views/rows.hpp"
#include "broker/views/settings/policy_settings.hpp"

namespace leasehold {

namespace {

/// At most so many hosts are named; the others are counted.
constexpr size_t kHostsNamed = 20;

class Conditions {
 public:
  Conditions(const State& state, const Liveness& liveness, const LeaseRef& lease)
      : state_(state), liveness_(liveness), lease_(lease), group_(state.slot_groups[lease.group]) {}

  Json take() {
    if (group_.phase == Phase::closed) return std::move(list_);
    of_all();
    of_side(kProvider);
    if (cluster(lease_.member).name != cluster(kProvider).name) of_side(lease_.member);
    of_policy();
    for (size_t row = 0; row < group_.hosts.size(); ++row) of_host(row);
    if (hosts_ > kHostsNamed) {
      Json& row =
          add("more-hosts", "", "and " + std::to_string(hosts_ - kHostsNamed) + " more hosts");
      row["command"] = "leasectl lease " + lease_id(state_, group_, lease_.member);
    }
    return std::move(list_);
  }

 private:
  const Cluster& cluster(size_t member) const {
    return state_.clusters[group_.members[member].cluster];
  }

  Json& add(const char* condition, const std::string& subject, const std::string& sentence) {
    Json row;
    row["condition"] = condition;
    row["subject"] = rows::text_or_null(subject);
    row["sentence"] = sentence;
    row["then"] = nullptr;
    row["at"] = nullptr;
    row["command"] = nullptr;
    return list_.emplace_back(std::move(row));
  }

  /// Says for how long an order is in force, and how an operator takes it back.
  static void ordered(Json& row, const OrderInForce& order, const std::string& command) {
    row["command"] = command;
    if (order.until == kNever) return;
    row["then"] = "the broker takes the order back";
    row["at"] = rows::time(order.until);
  }

  void freeze_ahead(const OrderInForce& order) {
    const Instant until =
        state_.frozen ? std::max(order.until, state_.freeze_order.until) : order.until;
    const std::string end = until == kNever ? "leasectl thaw" : format_utc(until);
    Json& row =
        add("freeze-ahead", "",
            "an operator freezes the leases from " + format_utc(begin_of(order)) + " until " + end);
    row["then"] = "nothing moves any more, everything keeps what it has";
    row["at"] = rows::time(begin_of(order));
    row["command"] = "leasectl thaw";
  }

  void of_all() {
    if (state_.config.mode == Mode::observe) {
      add("observe", "",
          "the broker observes: it decides and records, and orders nothing")["command"] =
          "mode = \"lease\" in [broker], then leasectl reload";
    }
    if (state_.frozen) {
      ordered(add("frozen", "",
                  "an operator froze the leases: nothing moves, everything keeps what it has"),
              state_.freeze_order, "leasectl thaw");
    }
    if (state_.freeze_ahead) freeze_ahead(*state_.freeze_ahead);
  }

  void of_side(size_t member) {
    const Cluster& side = cluster(member);
    if (member == kProvider && side.draining_exports) {
      ordered(
          add("drained", side.name, "an operator drains " + side.name + ": its exports come home"),
          side.exports_order, "leasectl resume " + side.name);
    }
    if (member != kProvider && side.draining_imports) {
      ordered(add("drained", side.name,
                  "an operator drains " + side.name + ": what it leases goes back"),
              side.imports_order, "leasectl resume " + side.name);
    }
    if (side.contact == Contact::lost) return lost(member);
    silent(member);
    if (side.degraded) {
      add("degraded", side.name,
          "the workload manager of " + side.name + " does not answer its agent");
    }
  }

  void lost(size_t member) {
    const Cluster& side = cluster(member);
    const std::string why = side.stopped ? "was stopped" : "is silent";
    Json& row = add(side.stopped ? "stopped" : "lost", side.name,
                    "the agent of " + side.name + " " + why + ": its slots stay where they are");
    row["command"] = remedy_of_silence(state_, liveness_, side, member != kProvider);
    if (member == kProvider) {
      row["then"] = "nothing moves before it reports";
      return;
    }
    if (side.expires_at != kNever) {
      row["then"] = "what " + side.name + " leases returns to its providers";
      row["at"] = rows::time(side.expires_at);
    } else {
      row["then"] = never_returns(side);
    }
  }

  std::string never_returns(const Cluster& side) const {
    return "what " + side.name +
           " leases does not return by itself: " + why_leases_stay(state_, side);
  }

  /// An agent that is connected, but silent for longer than usual: says what agent_timeout will
  /// bring.
  void silent(size_t member) {
    const Cluster& side = cluster(member);
    const Instant contact_at = last_contact(liveness_, side.name);
    if (!is_late(state_, contact_at, liveness_.now)) return;
    Json& row =
        add("silent", side.name,
            "the agent of " + side.name + " was last connected at " + format_utc(contact_at));
    row["then"] = "it counts as lost (agent_timeout)" + after_loss(member, side);
    row["at"] = rows::time(contact_at + state_.config.agent_timeout_ms);
    row["command"] = "look at the agent of " + side.name;
  }

  std::string after_loss(size_t member, const Cluster& side) const {
    const int64_t after = returns_after_ms(state_, side);
    if (member == kProvider || after == 0) return "";
    return "; what it leases returns " + format_duration(after) + " after its last renewal";
  }

  void of_policy() {
    const PolicyState& policy = state_.policies[group_.policy];
    if (!policy.configured) return;
    for (const std::string& host : unknown_hosts(state_, policy)) {
      if (++hosts_ > kHostsNamed) continue;
      add("host-unknown", host + "@" + policy.config.provider,
          "policy " + policy.config.name + " names " + host + ", which the agent of " +
              policy.config.provider + " does not know")["command"] = "leasectl hosts";
    }
  }

  void of_host(size_t row) {
    const HostLedger& ledger = group_.hosts[row];
    if (ledger.exported == 0 && ledger.target == 0) return;
    const Host& host = cluster(kProvider).hosts[ledger.host];
    const std::string name = rows::host_at(state_, group_, row);
    closed(host, name);
    if (cluster(kProvider).contact == Contact::lost) return;  // has a row already
    if (!host.present) {
      return away("host-absent", name,
                  "the agent of " + cluster(kProvider).name + " no longer reports " + name);
    }
    const bool here = group_.at(row, kProvider).up;
    const bool there = group_.at(row, lease_.member).up;
    if (!here) away("host-down", name, name + " is down or drained at " + cluster(kProvider).name);
    if (there || cluster(lease_.member).contact == Contact::lost) return;
    if (lease_.member == kProvider) return;
    away("host-down", name,
         name + " is down, drained or unknown at " + cluster(lease_.member).name);
  }

  void closed(const Host& host, const std::string& name) {
    const std::string& consumer = cluster(lease_.member).name;
    const auto named = std::find(host.closed_for.begin(), host.closed_for.end(), consumer);
    if (!host.closed && named == host.closed_for.end()) return;
    if (++hosts_ > kHostsNamed) return;
    const auto place = static_cast<size_t>(named - host.closed_for.begin());
    const bool kept = place < host.closed_for_orders.size();
    const OrderInForce for_one = kept ? host.closed_for_orders[place] : OrderInForce{};
    const std::string whom = host.closed ? "" : " for " + consumer;
    ordered(add("closed", name,
                "an operator closed " + name + whom + ": no new leased work starts there"),
            host.closed ? host.closed_order : for_one,
            "leasectl open " + name + (host.closed ? "" : " --for " + consumer));
  }

  void away(const char* condition, const std::string& name, const std::string& sentence) {
    if (++hosts_ > kHostsNamed) return;
    add(condition, name, sentence + ": its slots stay where they are, neither idle nor used");
  }

  const State& state_;
  const Liveness& liveness_;
  const LeaseRef lease_;
  const SlotGroup& group_;
  Json list_ = Json::array();
  size_t hosts_ = 0;
};

}  // namespace

Json conditions_of(const State& state, const Liveness& liveness, const LeaseRef& lease) {
  return Conditions(state, liveness, lease).take();
}

std::string why_leases_stay(const State& state, const Cluster& lost) {
  if (state.config.lease_ttl_ms == 0) return "lease_ttl is not set";
  const std::string no_effect = "lease_ttl has no effect here, because ";
  if (state.config.mode == Mode::observe) return no_effect + "the mode is observe";
  return no_effect + "its agent did not state that its workload manager " +
         (lost.self_expiring ? "goes by it" : "closes slots by itself");
}

}  // namespace leasehold
