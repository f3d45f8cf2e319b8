// Predicates and counts on one host row of a slot group: which member may use which slots. Pure:
// they read the state and change nothing. Contract: `row` and `member` are positions in the group.
//
// These say why a member may not use a row as it likes:
//
// | row_drains    | the group, the configuration or an operator takes the row from the member  |
// | reserved_from | a reservation that begins later does                                       |
// | window_ends   | the end of the policy's window does (Member::window_ends)                  |
// | down_there    | the member calls the host down, and its owner does not                     |
// | closed_to     | any of these four: the member's cap is 0, what it holds is asked back      |
// | withheld      | the host is not up at its owner: the member keeps what it holds            |
// | goes_home     | the row drains for all: its slots return to the provider's own             |
#pragma once

#include <algorithm>

#include "broker/core/model/state.hpp"

namespace leasehold {

/// Selects the sleeping hosts that count as hosts that are up, to see what would be if they were.
/// `counted`: all; `waking`: only those that are being switched on.
enum class Asleep : uint8_t { left_out, counted, waking };

/// Names one row (a host of a slot group) in lists over several groups: the group's index in
/// State::slot_groups, and the position in its hosts.
struct RowRef {
  uint32_t group = kNoIndex;
  uint32_t row = 0;
  bool operator==(const RowRef&) const = default;
};

/// Returns the host as its provider's agent reported it.
const Host& host_of(const State& state, const SlotGroup& group, uint32_t row);
/// True if an operator drains the provider's exports, or what the member imports.
bool cluster_drains(const State& state, const SlotGroup& group, size_t member);
/// True if a transfer was begun because a cluster drained, and it does no longer.
bool drained_before(const State& state, const SlotGroup& group, const Transfer& open);
/// True if the group drains or is closed.
inline bool is_over(const SlotGroup& group) {
  return group.phase == Phase::draining || group.phase == Phase::closed;
}
/// True if the row is not, or no longer, for that member: the group drains, the row's target is 0,
/// an operator closed the host to it, or drains what it imports. Contract: not the provider.
bool row_drains(const State& state, const SlotGroup& group, size_t member, uint32_t row);
/// True if the member starts nothing there any more because of a reservation that begins later
/// (Host::barred).
bool reserved_from(const State& state, const SlotGroup& group, size_t member, uint32_t row);
/// True if the member starts nothing there any more because of a reservation, or of its window's
/// end.
bool starts_nothing_ahead(const State& state, const SlotGroup& group, size_t member, uint32_t row);
/// row_drains() || down_there() || starts_nothing_ahead(): the member's cap is 0. A row that is
/// withheld() is not closed: the member keeps what it holds.
bool closed_to(const State& state, const SlotGroup& group, size_t member, uint32_t row);
/// True if the host is not up at its owner and the member is another cluster: it starts nothing
/// there, and keeps what it holds (schema/wire/PROTOCOL.md, "Hosts that are down").
bool withheld(const State& state, const SlotGroup& group, size_t member, uint32_t row);
/// True if power saving of the host's owner has switched it off; it could be switched on.
bool sleeps(const State& state, const SlotGroup& group, uint32_t row);
/// True while it is being switched on.
bool wakes(const State& state, const SlotGroup& group, uint32_t row);
/// True if the member calls the host down although its owner does not: slots that it does not use
/// there go back.
bool down_there(const State& state, const SlotGroup& group, size_t member, uint32_t row);
/// Returns why what the member must give up of the row is taken from running work too: an operator
/// closed the host so, or a reservation begins so soon (ended_from()). Reason::none: it is not.
Reason why_work_ends(const State& state, const SlotGroup& group, size_t member, uint32_t row);
inline bool ends_work(const State& state, const SlotGroup& group, size_t member, uint32_t row) {
  return why_work_ends(state, group, member, row) != Reason::none;
}
/// Returns the most slots of the row that the member may hold: 0 if it is closed_to() the member,
/// else the target; in a plan at most what it is due. Contract: not the provider of a lease.
int32_t member_cap(const State& state, const SlotGroup& group, size_t member, uint32_t row);
/// True for a plan's row whose slots are on their way back to the provider's own.
bool goes_home(const SlotGroup& group, uint32_t row);
/// Returns member_cap() of a lease's consumer.
inline int32_t consumer_cap(const State& state, const SlotGroup& group, uint32_t row) {
  return member_cap(state, group, kConsumer, row);
}
/// Returns the slots that a lease's consumer shall hold of the row now: its due, within its cap.
inline int32_t due_within_cap(const State& state, const SlotGroup& group, uint32_t row) {
  return std::min(group.at(row, kConsumer).due, consumer_cap(state, group, row));
}
/// True for a lease's row whose host both sides call up: only then its slots count as idle or used
/// (schema/wire/PROTOCOL.md, "Hosts that are down").
bool common_up(const SlotGroup& group, uint32_t row);
/// Returns the limit that a statement means. An agent that has not applied the last configuration
/// and order counts its limit by older exports: what ended since is its own again, what is new
/// becomes the group's with its next order. Limit and exports move together, so that its cap stays
/// as it is.
int32_t stated_limit(const SlotGroup& group, size_t member, const wire::HostState& said);
/// Returns what a cluster that may borrow the host last stated on dividing it.
wire::Division division_said(const Host& host, uint32_t cluster);
/// Returns the owner's statement if it forbids a split, else the first statement of another cluster
/// that does.
wire::Division strictest_division(const Host& host);
/// Returns the reason why two of the group's members may not use the row's host at once: the
/// provider's statement, else that of the first other member that forbids it. If none does, the
/// result is the provider's.
wire::Division division_of(const State& state, const SlotGroup& group, uint32_t row);
bool indivisible(const State& state, const SlotGroup& group, uint32_t row);
/// Returns the slots of the host that the policy gives the group, whether they may be lent or not.
int32_t policy_slots(const State& state, const SlotGroup& group, uint32_t row);
/// True if nothing of the row is lent: its host is indivisible, and the policy exports a part of
/// it.
bool lends_no_part(const State& state, const SlotGroup& group, uint32_t row);
/// True if the host may not be split, and another than its owner has all of it: it goes back as a
/// whole, because the owner's work would share its cores with what still runs there.
bool returns_whole(const State& state, const SlotGroup& group, uint32_t row);
/// Returns the policy whose terms hold for the lease; nullptr for a plan's group, which goes by its
/// plan.
inline const ExportPolicy* policy_of_lease(const State& state, const SlotGroup& group) {
  if (group.resource_group != kNoIndex || group.policy == kNoIndex) return nullptr;
  return &state.policies[group.policy].config;
}
/// True if the exported slots of a lease's row move together or not at all, because the policy says
/// so (`unit = "host"`) or because the host is indivisible.
bool moves_whole(const State& state, const SlotGroup& group, uint32_t row);
bool any_moves_whole(const State& state, const SlotGroup& group);
/// True if with what is in transfer of a row that moves whole the member has all of it, or if the
/// row need not move whole because its exports end and its owner may use a part.
bool comes_whole(const State& state, const SlotGroup& group, uint32_t row, size_t member);
/// True for a row of a lease that moves whole, if both sides would keep some of it after all
/// transfers under way, as after a reload from single slots.
bool is_split(const SlotGroup& group, uint32_t row);
/// The same for a loop over rows, which knows what is asked from each side (asked_rows.hpp).
bool is_split(const SlotGroup& group, uint32_t row, int32_t from_provider, int32_t from_consumer);
/// Returns the member's idle slots of the row, beyond those that it is asked for; all or none if
/// the row moves whole.
int32_t idle_there(const State& state, const SlotGroup& group, size_t member, uint32_t row);
/// The same for a loop over rows, which knows what is asked from the member.
int32_t idle_there(const State& state, const SlotGroup& group, size_t member, uint32_t row,
                   int32_t wanted);
/// Returns how many slots of the group a member of a lease may have idle. A host that the member
/// does not call up counts with all that it holds there, because nobody knows what it uses. A host
/// that the consumer has to leave does not count.
int64_t perhaps_idle(const State& state, const SlotGroup& group, size_t member);
/// Returns the slots that member m holds of the whole group.
int32_t held_by(const SlotGroup& group, size_t member);
/// Returns the slots of a row that open transfers still want from member m.
int32_t wanted_from(const SlotGroup& group, size_t member, uint32_t row);
/// Returns the slots of the row asked from the member that way.
int32_t wanted_by(const SlotGroup& group, size_t member, uint32_t row, wire::Lowering lowering);
bool reclaims(const Transfer& open);
/// True if the member is connected and its statement answers the last order
/// (schema/wire/PROTOCOL.md, "Reports").
bool current(const State& state, const SlotGroup& group, size_t member);
bool connected(const State& state, const SlotGroup& group, size_t member);
/// True if a member that is connected has not stated its last order yet.
bool answers_owed(const State& state, const SlotGroup& group);

}  // namespace leasehold
