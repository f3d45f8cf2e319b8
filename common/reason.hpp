// Reason is why a lease is as it is after an evaluation, or why something was refused. The CLI, the
// log, JSON and the database share this enum. Its order is the precedence: if several apply, the
// first listed is recorded (schema/wire/PROTOCOL.md, "Every decision has a reason").
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace leasehold {

enum class Reason : uint8_t {
  none = 0,        // nothing has been evaluated yet
  closed,          // the slot group is over; all slots are back
  draining,        // the policy, a window or an operator takes the slots back
  quarantine,      // the broker restarted and has no report of every member yet
  breach,          // a cluster uses or states more than it was given
  degraded,        // a side's workload manager does not answer its agent
  report_missing,  // a side does not report, or its report is older than the last order
  inactive,        // slots are in transfer: the evaluation was skipped
  frozen,
  no_common_host,    // no host of the group is up for both sides
  not_made,          // the consumer has not yet run a job on its slot
  cluster_draining,  // the side that would gain is drained by an operator
  complete,          // exclusive: the consumer has all it is due
  exclusive_due,     // exclusive: slots move to the consumer as they come free
  tie,               // both sides have the same number of idle slots
  provider_idle,     // the provider has more idle slots: they go to the consumer
  consumer_idle,     // the consumer has more idle slots: they go to the provider
  nothing_released,  // the loser had no idle slot left when it was asked
  transfer_timeout,  // the loser did not answer in time: it was sent its old limits
  winner_lost,       // the winner was lost before the slots were granted: they went back
  offered,           // first slots on their way to, or with, the consumer
  made,              // the consumer ran its first job: the lease is made
  // Refusals and alarms follow; an evaluation never ends with one.
  second_agent,
  unknown_cluster,
  wire_version,       // the other side speaks another version of the protocol
  stale_incarnation,  // a hello that answers an older welcome
  bad_report,         // a report that contradicts itself or the configuration
  database_older,     // an agent knows of orders that this database does not
  host_too_small,     // exports of a host would exceed its slots
  cannot_fence,       // the provider's adapter cannot fence what the policy exports
  operator_order,
  lease_expired,      // the consumer was not renewed for lease_ttl: its slots came back
  not_self_expiring,  // lease_ttl is set; the lost cluster's adapter closes nothing by itself
  wrong_key,          // the connection's key is not that of the cluster it speaks for
  over_rate,          // a peer sends more than [limits] rate_per_peer
  overdue,            // slots under reclaim are not back though grace and leeway are over
  // Reasons why a resource plan moves slots, or does not yet, follow (broker/rules/plan/README.md;
  // the order is precedence).
  below_quota,        // idle slots to a consumer below its quota (hybrid, share ratio)
  own_idle,           // ownership: its own idle slots
  deserved_share,     // ownership: idle pool slots up to the deserved share
  idle_pool,          // ownership: idle pool slots above the deserved share
  borrow,             // ownership: idle slots of a lender
  slots_lost,         // more is held than there is
  policy_switch,      // the policy of a branch changed (net_policy_switch = false)
  over_limit,         // at once: above a limit
  over_share_limit,   // at once: shared above a share limit
  loan_not_allowed,   // at once: lend_to, borrow_from, siblings_only
  over_borrow_limit,  // at once: borrowed above the borrow limit
  over_owned,         // at once: ownership above what is owned
  over_lent,          // at once: lent above what may be lent
  over_pool,          // at once: shared beyond the pools
  reclaim_owned,      // an owner takes back what it lent
  reclaim_share,      // ownership: pool slots of a consumer above its deserved share
  reclaim_quota,      // slots of a consumer above its quota
  min_hold,           // anti-flap, put off: held for too short a while
  share_moved,        // anti-flap, put off: enough moved in this cycle
  dead_zone,          // anti-flap, put off: too few to be worth it
  reclaim_backoff,    // anti-flap, put off: just reclaimed from the claimant
  at_quota,           // has what it is due
  no_slot,            // below its quota, but no slot that it can use may be moved to it
  pair_cycles,        // slots go to and fro between two consumers
  agent_stopped,      // the agent said that it is being stopped
  copied_state,       // an agent presents a copy of the state of the one that is connected
  not_allowed,        // the operator's role does not include it
  host_down,          // the cluster calls the host down or drains it: idle slots go back
  order_over,         // the time that an operator gave the order is over
  tables_failed,      // the readable tables could not be written; no longer made
  tables_followed,    // they could be again; no longer made
  // Reasons of the rule demand-aware follow (broker/rules/demand_aware/README.md).
  consumer_waits,  // work of the consumer waits that the provider's idle slots make start
  provider_waits,  // the other way round
  gathering,       // idle slots are kept together for a job that is too wide for them as yet
  provider_first,  // slots go home because the policy says so
  grant_unused,    // slots that were moved for work were not used in time: they go back
  unused_before,   // whoever waits left slots unused before, and has to wait longer
  shape_misfit,    // work waits, and what is idle on the other side does not make it start
  none_idle,       // work waits, and the other side has nothing idle
  no_taker,        // no work waits: the slots stay where they are
  // Reasons of several brokers on one database follow.
  elsewhere,  // this broker stands by: another one leads
  warm,       // a take-over that cannot have lost anything: what was known is still valid
  // One more reason of demand-aware follows.
  ends_soon,  // work of the claimant's own ends sooner than slots could be moved
  // Reasons of work that had to end follow.
  preempted,  // a more important session of its own cluster took its slots
  // Reasons of every rule, and of plans, follow.
  host_indivisible,  // hosts that may not be split, of which only a part is exported
  host_reserved,  // its owner's manager has it reserved from an instant that work may not outlast
  // One more reason of demand-aware follows.
  owner_waits,  // work of the owner lacks lent slots: they go back as the work on them ends
};
inline constexpr int kReasonCount = static_cast<int>(Reason::owner_waits) + 1;

/// Returns the token that is used everywhere: "report-missing".
std::string_view token(Reason reason);
/// Returns one English sentence for people.
std::string_view sentence(Reason reason);
std::optional<Reason> reason_from_token(std::string_view text);

}  // namespace leasehold
