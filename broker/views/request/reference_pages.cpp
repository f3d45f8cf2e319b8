// Makes schema/REASONS.md and schema/EVENTS.md, the answers of `reference reasons` and `reference
// events`.
#include "broker/views/request/reference_pages.hpp"

#include <array>

#include "broker/core/model/effect.hpp"
#include "common/reason.hpp"

namespace leasehold {

namespace {

using Text = std::string;

constexpr const char* kReasons = R"(# Reasons

Why a lease, a transfer, a cluster or a consumer is as it is, or why something was refused: one
word everywhere, in `leasectl`, log, metrics, JSON and database. Not what to do about it:
`leasectl explain` says what would change it, and "When things go wrong" in the guide what needs a
person. This page is what `leasectl reference reasons` prints, and a test compares the two. Where
several apply, the first one in this table is recorded. Start with "Of an evaluation".
)";

constexpr const char* kEvents = R"(# Events

What the history knows: the `kind` of `leasectl history`, and `event=` of the broker's log, with
the numbers of each (`numbers` in JSON). Most have a reason, too (`leasectl reference reasons`).
Not the agent's log. This page is what `leasectl reference events` prints, and a test compares the
two. Start with `flip`.

| Event | Says that | Numbers |
|---|---|---|
)";

/// A heading for the reasons from `first` up to the next part's.
struct Part {
  Reason first;
  const char* heading;
};
constexpr Part kParts[] = {
    {Reason::none, "Of an evaluation"},
    {Reason::second_agent, "Refusals and alarms"},
    {Reason::below_quota, "Of a resource plan"},
    {Reason::agent_stopped, "Of agents, hosts, orders and tables"},
    {Reason::consumer_waits, "Of the rule demand-aware"},
    {Reason::elsewhere, "Of several brokers on one database"},
    {Reason::ends_soon, "Of the rule demand-aware, too"},
    {Reason::preempted, "Of work that had to end"},
    {Reason::host_indivisible, "Of hosts that may not be split"},
    {Reason::host_reserved, "Of reservations ahead"},
    {Reason::owner_waits, "Of the owner's own work"},
};

struct Happened {
  RecordKind kind;
  const char* what;
};
constexpr std::array<Happened, kRecordKindCount> kHappened{{
    {RecordKind::broker_started,
     "the broker started on this history; its slot groups wait until each member has reported, "
     "except after a warm take-over"},
    {RecordKind::config_loaded,
     "a configuration is in force: of a start, a SIGHUP or an operator's reload"},
    {RecordKind::windows_resolved, "the instants of time windows were worked out further ahead"},
    {RecordKind::agent_up, "an agent was let in, with a new session"},
    {RecordKind::agent_lost,
     "an agent was silent for agent_timeout, or said that it is being stopped"},
    {RecordKind::inventory, "the hosts that an agent reports changed"},
    {RecordKind::group_created, "a slot group begins"},
    {RecordKind::group_draining,
     "a slot group gives its slots back to its provider as their jobs end"},
    {RecordKind::group_closed, "a slot group is over: all its slots are back"},
    {RecordKind::lease_offered, "the first slots of a lease are offered to its consumer"},
    {RecordKind::lease_made, "the consumer ran its first job on a leased slot: the lease is made"},
    {RecordKind::evaluation, "an evaluation found another reason than the one before"},
    {RecordKind::flip, "an evaluation moved slots of a lease: they were released"},
    {RecordKind::observed, "in observe mode: what an evaluation would have moved"},
    {RecordKind::transfer_started, "a member is asked for slots that another should have"},
    {RecordKind::transfer_released, "that member let the slots go: they are in transfer"},
    {RecordKind::transfer_granted,
     "slots in transfer were given to the member that should have them"},
    {RecordKind::transfer_done, "a transfer is over"},
    {RecordKind::transfer_failed, "a transfer ended without its slots"},
    {RecordKind::exported, "the number of exported slots of a host changed"},
    {RecordKind::breach, "a cluster uses or states more slots than it was given"},
    {RecordKind::breach_over,
     "no cluster of the group uses or states more than it was given any longer"},
    {RecordKind::quarantine_over,
     "each member has reported since the broker's start: decisions go on"},
    {RecordKind::database_older,
     "an agent knows of orders that this database does not: the group waits again"},
    {RecordKind::alarm, "something needs a person; the reason says what"},
    {RecordKind::operator_command, "an operator ordered something: who, from where, what and why"},
    {RecordKind::lease_expired,
     "of a cluster: it was not renewed for lease_ttl; of a group: its slots are back"},
    {RecordKind::consumer,
     "of a resource plan: what was found for one consumer, when that changed"},
    {RecordKind::plan_changed,
     "another window of a resource plan, or a reloaded plan, is in force"},
    {RecordKind::clock_set,
     "history goes on at an earlier instant: a wrong clock had made the later ones"},
    {RecordKind::operator_refused,
     "somebody asked for something that is not allowed or not possible, or too often"},
    {RecordKind::shadow,
     "what the shadow of a lease's rule said beside the rule in force, when that changed"},
    {RecordKind::work_ended,
     "a job whose slots were wanted has ended, was queued again or spared: whose, of which "
     "lease, why"},
    {RecordKind::slots_used,
     "whose work used the borrowed slots of a lease, added up by its cluster's agent: `usage "
     "--by`"},
}};
constexpr bool events_in_order() {
  for (size_t i = 0; i < kHappened.size(); ++i) {
    if (kHappened[i].kind != static_cast<RecordKind>(i)) return false;
  }
  return true;
}
static_assert(events_in_order(), "each kind of event has its sentence, in the order of RecordKind");

Text numbers_of(RecordKind kind) {
  Text text;
  for (const char* name : number_names(kind)) {
    if (*name != '\0') text += (text.empty() ? "`" : " `") + Text(name) + "`";
  }
  return text;
}

}  // namespace

std::string reasons_text() {
  Text text = kReasons;
  for (int i = 0; i < kReasonCount; ++i) {
    const auto reason = static_cast<Reason>(i);
    for (const Part& part : kParts) {
      if (part.first != reason) continue;
      text += "\n## " + Text(part.heading) + "\n\n| Reason | Says that |\n|---|---|\n";
    }
    text += "| `" + Text(token(reason)) + "` | " + Text(sentence(reason)) + " |\n";
  }
  return text;
}

std::string events_text() {
  Text text = kEvents;
  for (const Happened& row : kHappened) {
    text += "| `" + Text(record_token(row.kind)) + "` | " + row.what + " | " +
            numbers_of(row.kind) + " |\n";
  }
  return text;
}

}  // namespace leasehold
