#include "tests/simulation/canaries.hpp"

#include <cstdio>

#include "common/canary.hpp"

namespace leasehold::simulation {

#ifdef LEASEHOLD_CANARIES

namespace {

struct Known {
  Canary canary;
  const char* name;
  const char* description;
  int brokers = 1;
};

constexpr Known kKnown[] = {
    {Canary::sends_before_commit, "sends-before-commit",
     "orders leave before their batch is committed"},
    {Canary::grants_before_release, "grants-before-release",
     "slots are granted to the winner before the loser has stated that it let them go"},
    {Canary::adds_increments, "adds-increments",
     "an agent takes an order as a change of its limit, not as the limit"},
    {Canary::applies_equal_seq, "applies-equal-seq", "an order that comes again is applied again"},
    {Canary::ignores_session, "ignores-session", "an agent takes orders of an older session"},
    {Canary::credits_older_seq, "credits-older-seq",
     "the ledger follows a statement made under an older order"},
    {Canary::first_slot_without_transfer, "first-slot-without-transfer",
     "the consumer's first slots are its own at once"},
    {Canary::opens_at_start, "opens-at-start", "an agent opens what its state file says at start"},
    {Canary::forgets_limits, "forgets-limits",
     "an agent's limits are not written to its state file"},
    {Canary::reads_use_before_fence, "reads-use-before-fence",
     "what is used is read before the fence stands"},
    {Canary::answers_before_settle, "answers-before-settle",
     "an order is answered before the fence has settled"},
    {Canary::no_quarantine, "no-quarantine", "a broker trusts its database at start"},
    {Canary::renews_the_lost, "renews-the-lost", "heartbeats of a lost agent are answered"},
    {Canary::expires_from_last_change, "expires-from-last-change",
     "lease_ttl counts from the lease's last change"},
    {Canary::missing_host_is_unused, "missing-host-is-unused",
     "a host absent from a look counts as up and unused"},
    {Canary::counts_answer_twice, "counts-answer-twice",
     "an answer that comes again releases its slots again"},
    {Canary::trusts_fence_unseen, "trusts-fence-unseen",
     "a fence is taken to stand because the call said so"},
    {Canary::raises_while_silent, "raises-while-silent",
     "an agent that may have been given up opens slots again"},
    {Canary::keeps_memory_after_failed_commit, "keeps-memory-after-failed-commit",
     "after a failed commit the broker goes on from memory"},
    {Canary::no_transfer_timeout, "no-transfer-timeout",
     "a release that is not answered waits for ever"},
    {Canary::order_numbers_start_again, "order-numbers-start-again",
     "order numbers start again with the broker"},
    {Canary::ignores_breach, "ignores-breach", "slots move on a host while someone uses too many"},
    {Canary::trusts_any_order_number, "trusts-any-order-number",
     "a hello's order number counts for groups that its cluster is no member of"},
    {Canary::trusts_copied_state, "trusts-copied-state",
     "an agent with a copy of a state file takes over while the first one is heard"},
    {Canary::provider_takes_unallocated, "provider-takes-unallocated",
     "a plan's provider is ordered to what it holds and what nobody does"},
    {Canary::drains_imports_only, "drains-imports-only",
     "a provider that is drained goes on giving its slots away"},
    {Canary::fills_down_hosts, "fills-down-hosts",
     "others start work on a host that its owner calls down"},
    {Canary::trusts_the_unanswered, "trusts-the-unanswered",
     "where quarantine begins again an order that raises is taken to be lost"},
    {Canary::leaves_out_an_image, "leaves-out-an-image",
     "of the groups that a commit changed the last one is not kept"},
    {Canary::trusts_other_state, "trusts-other-state",
     "right after a start of the broker an agent with another state takes over"},
    {Canary::forgets_the_unused, "forgets-the-unused",
     "by demand: who left a grant unused need not wait for the next one"},
    {Canary::keeps_the_unused, "keeps-the-unused",
     "by demand: a grant that nobody uses stays for ever"},
    {Canary::gives_back_once, "gives-back-once",
     "by demand: what a grant left unused is asked back once, whether it comes or not"},
    {Canary::ignores_shapes, "ignores-shapes",
     "by demand: slots are given to work that does not fit on them"},
    {Canary::keeps_no_epoch, "keeps-no-epoch",
     "an agent follows a leadership below one that it has seen", 2},
    {Canary::keeps_epoch_late, "keeps-epoch-late",
     "an agent greets a leader before its epoch is in the state file", 2},
    {Canary::ignores_incarnation, "ignores-incarnation",
     "an agent takes one leadership of an epoch for another", 2},
    {Canary::answers_without_end, "answers-without-end",
     "a leader answers heartbeats though another may lead by then", 2},
    {Canary::asks_the_turns_clock, "asks-the-turns-clock",
     "whether heartbeats are answered goes by the time that their turn began at", 2},
    {Canary::goes_not_above, "goes-not-above",
     "a leader goes on that is not above what agents have seen", 2},
    {Canary::waits_half, "waits-half", "a standby waits half of the time that a leader has", 2},
    {Canary::trusts_any_server, "trusts-any-server",
     "a row that names another server counts as stepped down, or as one's own", 2},
    {Canary::warm_on_any_server, "warm-on-any-server",
     "a take-over skips quarantine though the server is another than the row names", 2},
    {Canary::warm_in_quarantine, "warm-in-quarantine",
     "a warm take-over ends the quarantine of leases whose members were not heard", 2},
    {Canary::lends_half_a_host, "lends-half-a-host",
     "a part of a host is lent though it is indivisible"},
    {Canary::ignores_evidence, "ignores-evidence",
     "a take-over skips quarantine though its broker knows of no commit in the log, or of a later "
     "one",
     2},
    {Canary::ignores_horizons, "ignores-horizons",
     "slots are granted on a host that work of the borrower may outlast a reservation of"},
    {Canary::ignores_verdicts, "ignores-verdicts",
     "work is ended for waiting work that is kept back or could not start there"},
    {Canary::interrupt_kills, "interrupt-kills",
     "work that must end is told so by a signal that it does not catch"},
    {Canary::cuts_the_grace, "cuts-the-grace", "work that must end is ended when it is told so"},
    {Canary::closes_by_rule, "closes-by-rule",
     "a host whose name the rule could have made is another's, whatever is found there"},
    {Canary::waits_for_orders, "waits-for-orders",
     "a host is another's only once an order speaks of it"},
    {Canary::lends_the_asleep, "lends-the-asleep",
     "by demand: slots of a host that is asleep are lent as if it were up"},
    {Canary::wakes_at_once, "wakes-at-once",
     "a host that did not come up is switched on again at once"},
    {Canary::never_wakes, "never-wakes", "no agent is told which hosts to switch on"},
    {Canary::fence_ends, "fence-ends",
     "an owner's fence ends if its agent is away, while the borrower may still start"},
    {Canary::keeps_failed_dues, "keeps-failed-dues",
     "a lease's consumer stays due slots that an offer would have brought"},
    {Canary::plans_by_numbers, "plans-by-numbers",
     "a plan gives slots for waiting work by its number, whatever would start on them"},
    {Canary::plans_keep_unused, "plans-keep-unused",
     "what a plan gave for waiting work and nobody uses stays for ever"},
};

}  // namespace

std::vector<CanaryKind> canaries() {
  std::vector<CanaryKind> all;
  for (const Known& known : kKnown) all.push_back({known.name, known.description, known.brokers});
  return all;
}

bool plant(const std::string& name) {
  for (const Known& known : kKnown) {
    if (name == known.name) planted_canary = known.canary;
  }
  return planted_canary != Canary::none;
}

#else

std::vector<CanaryKind> canaries() {
  return {};
}
bool plant(const std::string&) {
  return false;
}

#endif

int list_canaries() {
  for (const CanaryKind& kind : canaries()) {
    std::printf("%-34s %s\n", kind.name.c_str(), kind.description.c_str());
  }
  return canaries().empty() ? 2 : 0;
}

}  // namespace leasehold::simulation
