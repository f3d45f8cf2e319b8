// The changes that operators may make, one row each, with the sentence that answers it.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "broker/core/model/queries/hosts.hpp"
#include "broker/core/model/queries/orders_in_force.hpp"
#include "broker/views/catalogue.hpp"
#include "broker/views/leases/lease_facts.hpp"
#include "broker/views/tables/reload.hpp"

namespace leasehold {

namespace {

std::string until_words(const OperatorCommand& c) {
  return c.until == kNever ? "" : " until " + format_utc(c.until);
}

std::string host_of(const OperatorCommand& c) {
  return c.host + "@" + c.cluster;
}

std::string for_whom(const OperatorCommand& c) {
  return c.consumer.empty() ? "" : " for " + c.consumer;
}

std::string rebalanced(const State& state, const OperatorCommand& c) {
  const LeaseRef ref = find_lease_member(state, c.lease);
  if (ref.group == kNoIndex) return c.lease + " was evaluated";
  const Reason reason = LeaseFacts(state).reason(ref);
  return c.lease + " was evaluated: " + std::string(token(reason)) + ", " +
         std::string(sentence(reason));
}

std::string half_words(DrainSide half) {
  if (half == DrainSide::exports) return "its exports come home";
  if (half == DrainSide::imports) return "what it imports goes back";
  return "its exports come home, what it imports goes back";
}

std::string drained(const State&, const OperatorCommand& c) {
  return c.cluster + " is draining" + until_words(c) + ": it gets and gives nothing new; " +
         half_words(c.half) + ", idle slots at once, used ones as their jobs end";
}

std::string resumed(const State&, const OperatorCommand& c) {
  return c.cluster + " is drained no longer";
}

std::string closed(const State&, const OperatorCommand& c) {
  return host_of(c) + " is closed" + for_whom(c) + until_words(c) +
         (c.reclaim ? ": its leased work is reclaimed with its grace"
                    : ": no new leased work starts there");
}

std::string opened(const State&, const OperatorCommand& c) {
  return host_of(c) + " is open" + for_whom(c);
}

/// Slots of plans that are unallocated: no leaf can get them while leases are frozen.
std::string kept_unused(const State& state) {
  int64_t slots = 0;
  for (const SlotGroup& group : state.slot_groups) slots += unallocated(group);
  if (slots == 0) return "";
  return "; " + std::to_string(slots) + (slots == 1 ? " slot of plans is" : " slots of plans are") +
         " unallocated, and stay unused until then";
}

/// Says when the freeze begins and ends.
std::string freeze_words(const State& state, const OperatorCommand& c) {
  // A freeze that begins later ends none that is in force sooner.
  const Instant until = state.frozen ? std::max(c.until, state.freeze_order.until) : c.until;
  const std::string end = until == kNever ? "leasectl thaw" : format_utc(until);
  if (c.from && state.freeze_ahead && state.freeze_ahead->from == c.from) {
    return "the leases will be frozen from " + format_utc(*c.from) + " until " + end +
           "; leasectl thaw takes it back";
  }
  const bool past = c.from && !state.freeze_order.from;
  return std::string("the leases are frozen") +
         (past ? " at once, because " + format_utc(*c.from) + " is past" : "") +
         ": nothing moves until " + end + kept_unused(state);
}

std::string frozen(const State& state, const OperatorCommand& c) {
  const std::string words = freeze_words(state, c);
  const auto& ahead = state.freeze_ahead;
  if (!ahead) return words;
  if (ahead->from != c.from) {
    return words + "; another freeze begins at " + format_utc(begin_of(*ahead));
  }
  return words + (state.frozen ? "; until then the freeze in force stays" : "");
}

std::string thawed(const State&, const OperatorCommand&) {
  return "the leases are frozen no longer, and no freeze is ahead";
}

std::string forgotten(const State&, const OperatorCommand& c) {
  return c.cluster +
         " is forgotten: its leased slots return to their providers; what it exports and nobody "
         "else holds stays with it until its agent reports";
}

std::string gave_up(const State&, const OperatorCommand& c) {
  return "this broker no longer leads; " +
         (c.successor.empty() ? std::string("any other") : c.successor) + " may take over now";
}

using F = RequestField;
constexpr RequestFields kTerms = takes(F::reason, F::order_end);

constexpr std::array kChanges{
    RequestRow{.name = token(Command::rebalance),
               .what = "evaluate a lease now by its own rule",
               .examples = "  leasectl rebalance east-batch:west",
               .subject = F::lease,
               .needs = Role::admin,
               .command = Command::rebalance,
               .confirmation = rebalanced},
    RequestRow{.name = token(Command::drain),
               .what = "a cluster gets and gives nothing new; exports come home, imports go back",
               .examples =
                   "  leasectl drain east --reason 'new disks' --until 2h\n  leasectl drain east "
                   "--provider --wait\n  leasectl drain west --consumer",
               .subject = F::cluster,
               .fields = takes(F::half, F::wait) | kTerms,
               .needs = Role::admin,
               .command = Command::drain,
               .confirmation = drained},
    RequestRow{.name = token(Command::resume),
               .what = "take back a drain",
               .examples = "  leasectl resume west",
               .subject = F::cluster,
               .needs = Role::admin,
               .command = Command::resume,
               .confirmation = resumed},
    RequestRow{.name = token(Command::close),
               .what = "start no new leased work on a host",
               .examples = "  leasectl close big1@east\n  leasectl close big1@east --for west\n  "
                           "leasectl close big1@east --for /research/genomics\n  leasectl close "
                           "big1@east --reclaim",
               .subject = F::host,
               .fields = takes(F::consumer, F::reclaim, F::wait) | kTerms,
               .needs = Role::admin,
               .command = Command::close,
               .confirmation = closed},
    RequestRow{.name = token(Command::open),
               .what = "take back a close",
               .examples = "  leasectl open big1@east --for west",
               .subject = F::host,
               .fields = takes(F::consumer),
               .needs = Role::admin,
               .command = Command::open,
               .confirmation = opened},
    RequestRow{.name = token(Command::freeze),
               .what = "nothing moves, everything keeps what it has",
               .examples = "  leasectl freeze\n  leasectl freeze --reason audit --until 30m\n  "
                           "leasectl freeze --reason 'new switches' --from 'fri 20:00' --for 10h",
               .fields = kTerms | takes(F::order_begin, F::order_length),
               .needs = Role::admin,
               .command = Command::freeze,
               .confirmation = frozen},
    RequestRow{.name = token(Command::thaw),
               .what = "take back a freeze, and one that is ahead",
               .examples = "  leasectl thaw",
               .needs = Role::admin,
               .command = Command::thaw,
               .confirmation = thawed},
    RequestRow{.name = token(Command::forget),
               .what = "your word that a silent cluster uses none of its leased slots: they return",
               .examples = "  leasectl forget west\n  leasectl forget west --yes\n\nOnly where the "
                           "whole cluster is gone for good: jobs of it that still run would share "
                           "their slots\nwith others. First it names the slots, and asks.",
               .subject = F::cluster,
               .fields = takes(F::yes, F::preview),
               .needs = Role::admin,
               .command = Command::forget,
               .confirmation = forgotten},
    RequestRow{.name = token(Command::step_down),
               .what = "the broker that leads gives up, for another of the same database to lead",
               .examples = "  leasectl stepdown\n  leasectl stepdown --to hub-2\n\nRefused where "
                           "no standby of leasectl's list has the leader's log to within a second.",
               .fields = takes(F::successor, F::force, F::reason),
               .needs = Role::admin,
               .command = Command::step_down,
               .confirmation = gave_up},
    RequestRow{.name = "reload",
               .what = "read the broker's configuration again, after showing who gains and loses",
               .examples =
                   "  leasectl reload\n  leasectl reload --dry-run\n  leasectl reload "
                   "--yes\n\nWithout --yes a person is asked; where none is there (no terminal, "
                   "--json) nothing changes and,\nif anything would, the exit code is 1.",
               .fields = takes(F::yes, F::dry_run, F::apply, F::fingerprint),
               .needs = Role::admin,
               .table = reload_text},
};

/// Each order to the core has its row, at the place where change_of() looks for it.
constexpr bool every_command() {
  for (size_t i = 0; i < kTokensOf<Command>.size(); ++i) {
    if (kChanges[i].command != kTokensOf<Command>[i].value || kChanges[i].confirmation == nullptr) {
      return false;
    }
  }
  return true;
}
static_assert(every_command());

}  // namespace

std::span<const RequestRow> changes() {
  return kChanges;
}

const RequestRow& change_of(Command command) {
  return kChanges[static_cast<size_t>(command)];
}

}  // namespace leasehold
