// Canary: a mistake that tests plant in the programs to see whether the simulation of faults finds
// it (tests/simulation/README.md). In the programs that people run LEASEHOLD_CANARY(x) is `false`
// and leaves no trace; only the copy of the sources built with LEASEHOLD_CANARIES has the switch.
#pragma once

#ifdef LEASEHOLD_CANARIES

#include <cstdint>

namespace leasehold {

enum class Canary : uint8_t {
  none,
  sends_before_commit,
  grants_before_release,
  adds_increments,
  applies_equal_seq,
  ignores_session,
  credits_older_seq,
  first_slot_without_transfer,
  opens_at_start,
  forgets_limits,
  reads_use_before_fence,
  answers_before_settle,
  no_quarantine,
  renews_the_lost,
  expires_from_last_change,
  missing_host_is_unused,
  counts_answer_twice,
  trusts_fence_unseen,
  raises_while_silent,
  keeps_memory_after_failed_commit,
  no_transfer_timeout,
  order_numbers_start_again,
  ignores_breach,
  trusts_any_order_number,
  trusts_copied_state,
  provider_takes_unallocated,
  drains_imports_only,
  fills_down_hosts,
  trusts_the_unanswered,
  leaves_out_an_image,
  trusts_other_state,
  forgets_the_unused,
  keeps_the_unused,
  gives_back_once,
  ignores_shapes,
  keeps_no_epoch,
  keeps_epoch_late,
  ignores_incarnation,
  answers_without_end,
  asks_the_turns_clock,
  goes_not_above,
  waits_half,
  trusts_any_server,
  warm_on_any_server,
  warm_in_quarantine,
  lends_half_a_host,
  ignores_evidence,
  ignores_horizons,
  ignores_verdicts,
  interrupt_kills,
  cuts_the_grace,
  closes_by_rule,
  waits_for_orders,
  lends_the_asleep,
  wakes_at_once,
  never_wakes,
  fence_ends,
  keeps_failed_dues,
  plans_by_numbers,
  plans_keep_unused,
};

/// Set at most one time, before anything runs.
inline Canary planted_canary = Canary::none;

}  // namespace leasehold

#define LEASEHOLD_CANARY(name) (::leasehold::planted_canary == ::leasehold::Canary::name)

#else

#define LEASEHOLD_CANARY(name) false

#endif
