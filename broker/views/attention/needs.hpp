// Needs: the rows of `attention` while they are collected. Metrics list the kinds, and the agent
// port logs remedies.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/views/clusters/liveness.hpp"
#include "common/tokens.hpp"

namespace leasehold::attention {

/// The kind of a need, the gravest first. Needs of the same age are listed in this order.
enum class Kind : uint8_t {
  nobody_leads,            // no broker decides anything: nothing moves
  breach,                  // slots are used that were not given
  overdue,                 // slots under reclaim are not back after their deadline
  agent_lost,              // an agent is silent
  agent_stopped,           // the agent of a cluster was stopped
  agent_refused,           // messages for a cluster come, and are refused
  degraded,                // a workload manager does not answer its agent
  quarantine,              // all agents are connected, but a lease still waits for an answer
  cannot_lead,             // this broker is a standby, and could not take over
  configuration_not_read,  // the file system of the configuration does not answer
  cannot_fence,            // a policy exports what its cluster cannot fence
  host_unknown,            // a policy names a host that its provider's agent does not report
  host_missing,            // slots are exported of a host that is no longer reported
  host_too_small,          // a policy exports more slots than the host has
  host_indivisible,        // a policy exports a part of a host that may not be split
  host_down,               // a host is up at its owner, and not at a cluster that may lease it
  host_reserved,     // other clusters' work is on a host that its owner has reserved for later
  owner_waits,       // wide work of an owner waits for slots that no rule gives back for it
  order_forgotten,   // an operator's order without an end: a freeze at once, another after a day
  clock_differs,     // the clock of a machine is wrong
  over_rate,         // an agent reports more than may be recorded, or sends too much
  tables_not_made,   // the readable tables grow old
  offer_too_small,   // a lease is never made: no waiting job starts on the slots offered first
  rule_not_written,  // slots move for nobody, by a rule that nobody chose
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
                       {host_down, "host-down"},
                       {host_reserved, "host-reserved"},
                       {owner_waits, "owner-waits"},
                       {order_forgotten, "order-forgotten"},
                       {clock_differs, "clock-differs"},
                       {over_rate, "over-rate"},
                       {tables_not_made, "tables-not-made"},
                       {offer_too_small, "offer-too-small"},
                       {rule_not_written, "rule-not-written"}});
}

struct Need {
  Kind kind = Kind::breach;
  std::string subject;  // a lease, a cluster, "big1@east", a policy; "": the whole site
  std::string detail;
  std::string command = {};
  Instant since = kNever;  // kNever: not known
  Reason reason = Reason::none;
  std::string then = {};
  Instant at = kNever;
};

struct Found {
  const State& state;
  const Liveness& liveness;
  Instant now;  // the present; for a past state, its own instant
  std::vector<Need> needs = {};
};

void find_in_brokers(Found& found);
void find_in_agents(Found& found);
void find_in_clocks(Found& found);
void find_in_leases(Found& found);
void find_in_hosts(Found& found);
void find_owner_work(Found& found);
void find_in_policies(Found& found);
void find_in_orders(Found& found);
void find_in_leadership(Found& found);

/// Returns what an operator can do about a refusal of that reason.
std::string remedy_of_refusal(Reason reason, const std::string& cluster);
/// Returns the certain part of the difference in whole seconds: "at least 3s ahead of the
/// broker's".
std::string surely_off(const ClockDifference& off);
/// Returns the instant that the needs are found for. A past state is its own instant.
Instant now_of(const State& state, const Liveness& liveness);
/// True for a lease of a policy that is not on its way out.
bool is_open_lease(const State& state, const SlotGroup& group);
/// Slots that the cluster leases from others, and slots of its hosts that others lease.
struct Leased {
  int64_t imported = 0;
  int64_t exported = 0;
};
std::vector<Leased> leased_by_cluster(const State& state);

}  // namespace leasehold::attention
