// Needs: the rows of `attention`, as they are found. Inner header of this folder.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/views/liveness.hpp"
#include "common/tokens.hpp"

namespace leasehold::attention {

/// What kind of need, the gravest first: of the same age it stands first.
enum class Kind : uint8_t {
  nobody_leads,            // no broker decides anything: nothing moves
  breach,                  // slots are used that were not given
  overdue,                 // slots under reclaim are not back though their time is over
  agent_lost,              // a cluster is not heard, and slots are leased to or from it
  agent_stopped,           // its agent was stopped
  agent_refused,           // somebody speaks for a cluster and is not let in
  degraded,                // a workload manager does not answer its agent
  quarantine,              // all are heard, but a lease still waits for an answer
  cannot_lead,             // this broker stands by, and could not take over
  configuration_not_read,  // the broker's file system does not answer
  cannot_fence,            // a policy exports what its cluster cannot fence
  host_unknown,            // a policy names a host that nobody knows
  host_missing,            // slots are exported of a host that is no longer reported
  host_too_small,          // a policy exports more slots than the host has
  host_indivisible,        // a policy exports a part of a host that may not be split
  host_reserved,           // work of others is on a host that its owner has reserved for later
  owner_waits,             // wide work of an owner waits for slots that no rule gives back for it
  order_forgotten,         // an operator's order without an end stands for long
  clock_differs,           // a machine's clock is off
  over_rate,               // an agent says more than may be recorded, or sends too much
};
constexpr auto tokens_of(Kind) {
  using enum Kind;
  return tokens<Kind>({{nobody_leads, "nobody-leads"},
                       {breach, "breach"},
                       {overdue, "overdue"},
                       {agent_lost, "agent-lost"},
                       {agent_stopped, "agent-stopped"},
                       {agent_refused, "agent-refused"},
                       {degraded, "degraded"},
                       {quarantine, "quarantine"},
                       {cannot_lead, "cannot-lead"},
                       {configuration_not_read, "configuration-not-read"},
                       {cannot_fence, "cannot-fence"},
                       {host_unknown, "host-unknown"},
                       {host_missing, "host-missing"},
                       {host_too_small, "host-too-small"},
                       {host_indivisible, "host-indivisible"},
                       {host_reserved, "host-reserved"},
                       {owner_waits, "owner-waits"},
                       {order_forgotten, "order-forgotten"},
                       {clock_differs, "clock-differs"},
                       {over_rate, "over-rate"}});
}

struct Need {
  Kind kind = Kind::breach;
  std::string subject;  // a lease, a cluster, "big1@east", a policy; "": the whole site
  std::string detail;
  std::string command = {};
  Instant since = kNever;  // kNever: nobody knows
  Reason reason = Reason::none;
  std::string then = {};
  Instant at = kNever;
};

struct Found {
  const State& state;
  const Liveness& liveness;
  Instant now;  // of the past: its own
  std::vector<Need> needs = {};
};

void find_in_brokers(Found& found);
void find_in_agents(Found& found);
void find_in_clocks(Found& found);
void find_in_leases(Found& found);
void find_in_hosts(Found& found);
void find_owner_work(Found& found);
void find_in_orders(Found& found);
void find_in_standing(Found& found);

/// What helps where an agent is not let in.
std::string mend_of_refusal(Reason reason, const std::string& cluster);
/// In whole seconds, what is certain: "at least 3s ahead of the broker's".
std::string surely_off(const ClockDifference& off);
/// The instant that is told of: of a past one nobody says when it is.
Instant now_of(const State& state, const Liveness& liveness);
/// Slots of others that the cluster holds, and slots of its hosts that others hold.
struct Leased {
  int64_t imported = 0;
  int64_t exported = 0;
};
std::vector<Leased> leased_by_cluster(const State& state);

}  // namespace leasehold::attention
