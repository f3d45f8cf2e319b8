#include "common/reason.hpp"

#include <array>

namespace leasehold {

namespace {

struct Words {
  std::string_view token;
  std::string_view sentence;
};

constexpr std::array<Words, kReasonCount> kWords{{
    {"none", "not evaluated yet"},
    {"closed", "the slot group is over; all its slots are back with the provider"},
    {"draining", "its slots go back to the provider as their jobs end"},
    {"quarantine", "the broker started and has no report of every member yet"},
    {"breach", "a cluster uses or states more slots than it was given"},
    {"degraded", "the workload manager of one side does not answer its agent"},
    {"report-missing", "one side does not report, or its report is older than its last order"},
    {"inactive", "slots are in transfer; not evaluated"},
    {"frozen", "an operator froze the leases"},
    {"no-common-host", "no host of the group is up for both sides"},
    {"not-made", "the consumer has not yet run a job on its first slot"},
    {"cluster-draining", "an operator drains the cluster that would gain"},
    {"complete", "the consumer has every slot it is due"},
    {"exclusive-due", "slots move to the consumer as they come free"},
    {"tie", "both sides have the same number of idle slots"},
    {"provider-idle", "the provider has more idle slots; all idle slots go to the consumer"},
    {"consumer-idle", "the consumer has more idle slots; all idle slots go to the provider"},
    {"nothing-released", "the side that should give had no idle slot left when it was asked"},
    {"transfer-timeout", "the side that should give did not answer in time, and keeps its slots"},
    {"winner-lost", "the side that should gain was lost before it got the slots"},
    {"offered", "the first slots are offered to the consumer"},
    {"made", "the consumer ran its first job on a leased slot"},
    {"second-agent", "another agent is connected for this cluster"},
    {"unknown-cluster", "the broker's configuration names no such cluster"},
    {"wire-version", "the other side speaks another version of the protocol"},
    {"stale-incarnation", "the agent answered an earlier greeting; it connects again"},
    {"bad-report", "the report contradicts itself or the configuration"},
    {"database-older", "an agent knows of orders that this database does not"},
    {"host-too-small", "the exports of a host would exceed its slots"},
    {"cannot-fence", "the provider's agent cannot fence what the policy exports"},
    {"operator-order", "an operator asked for it"},
    {"lease-expired", "the consumer was not renewed for lease_ttl; its slots came back"},
    {"not-self-expiring",
     "lease_ttl ends no lease of the lost cluster: its adapter closes no slots by itself"},
    {"wrong-key", "the agent's key is not one of the cluster that it names"},
    {"over-rate", "more messages came than one peer may send"},
    {"overdue",
     "slots under reclaim are not back though grace and leeway are over; they are asked back "
     "again"},
    {"below-quota", "idle slots go to a consumer below its quota"},
    {"own-idle", "a consumer takes idle slots that it owns"},
    {"deserved-share", "idle pool slots go to a consumer below its deserved share"},
    {"idle-pool", "idle pool slots go to a consumer that wants more than its share"},
    {"borrow", "a consumer borrows idle slots of a lender"},
    {"slots-lost", "slots of the group were lost: more is held than there is"},
    {"policy-switch", "the policy of its branch changed; what it lent and borrowed is taken back"},
    {"over-limit", "a consumer gives back what it holds above a limit"},
    {"over-share-limit", "a consumer gives back what it shares above a share limit"},
    {"loan-not-allowed", "the plan allows this loan no longer"},
    {"over-borrow-limit", "a consumer gives back what it borrowed above its borrow limit"},
    {"over-owned", "a consumer gives back what it holds above what it owns"},
    {"over-lent", "the lender may not lend so much any more"},
    {"over-pool", "more pool slots are held than the pool has"},
    {"reclaim-owned", "an owner reclaims slots that it lent"},
    {"reclaim-share",
     "a consumer below its deserved share reclaims pool slots from one above its own"},
    {"reclaim-quota", "a consumer below its quota reclaims slots from one above its own"},
    {"min-hold", "the side that should give has had these slots for less than min_hold"},
    {"share-moved", "more would move in one cycle than max_share_moved allows"},
    {"dead-zone", "the move is not larger than dead_zone, so nothing moves"},
    {"reclaim-backoff", "the claimant waits: slots were just reclaimed from it"},
    {"at-quota", "the consumer has what it is due"},
    {"no-slot", "the consumer is below its quota, but no slot that it can use may move to it"},
    {"pair-cycles",
     "slots go to and fro between two consumers; min_hold or reclaim_backoff stops that"},
    {"agent-stopped", "the agent was stopped; its fences stay until it is started again"},
    {"copied-state", "an agent uses a copy of the state file of the agent that is connected"},
    {"not-allowed", "the operator's role does not include it"},
    {"host-down", "the cluster calls the host down or drains it: its idle slots go back"},
    {"order-over", "the order's --until has come"},
    {"tables-failed",
     "the readable tables could not be written, which no lease depends on; of earlier releases "
     "only"},
    {"tables-followed", "the readable tables could be written again; of earlier releases only"},
    {"consumer-waits", "the consumer's waiting work can use the provider's idle slots"},
    {"provider-waits", "the provider's waiting work can use the consumer's idle slots"},
    {"gathering", "idle slots are kept together for a job that is too wide for them as yet"},
    {"provider-first",
     "the policy puts the provider first: idle slots go home, slots in use for its waiting work"},
    {"grant-unused",
     "slots that were moved for waiting work were not used in time: they are asked back at each "
     "evaluation until they have come"},
    {"unused-before", "the waiting work left slots unused before and has to wait longer"},
    {"shape-misfit", "work waits that no slots of others would make start"},
    {"none-idle", "work waits, and the other side has no idle slot"},
    {"no-taker", "no work waits that could use other slots: they stay where they are"},
    {"elsewhere", "this broker is a standby: another broker leads"},
    {"warm",
     "a broker took over where nothing can have been lost: leases that were out of quarantine skip "
     "it"},
    {"ends-soon",
     "work of the claimant's own is expected to end before slots that are moved would be there"},
    {"preempted", "a more important session of the same cluster took the slots"},
    {"host-indivisible",
     "its hosts may not be split between two clusters, and only a part of each is exported"},
    {"host-reserved",
     "its hosts are reserved at their owner from an instant that the consumer's work may not "
     "outlast"},
    {"owner-waits",
     "work of the owner waits for slots that are lent: they go back as the work on them ends"},
}};

}  // namespace

std::string_view token(Reason reason) {
  return kWords[static_cast<size_t>(reason)].token;
}
std::string_view sentence(Reason reason) {
  return kWords[static_cast<size_t>(reason)].sentence;
}

std::optional<Reason> reason_from_token(std::string_view text) {
  for (size_t i = 0; i < kWords.size(); ++i) {
    if (kWords[i].token == text) return static_cast<Reason>(i);
  }
  return std::nullopt;
}

}  // namespace leasehold
