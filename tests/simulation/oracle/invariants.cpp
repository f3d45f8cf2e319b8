// The names of what Oracle checks, as reports and canaries.txt have them.
#include "tests/simulation/oracle/oracle.hpp"

namespace leasehold::simulation {

const char* token(Invariant invariant) {
  constexpr const char* kTokens[kInvariants] = {"slot-twice",
                                                "enforced-above-limit",
                                                "limit-changed-unasked",
                                                "limit-above-held",
                                                "ledger-sum",
                                                "slot-lost",
                                                "number-fell",
                                                "no-inactive-phase",
                                                "inactive-too-long",
                                                "forgotten",
                                                "granted-in-breach",
                                                "drained-gained",
                                                "down-host-filled",
                                                "no-reason",
                                                "history-differs",
                                                "world-not-quiet",
                                                "stopped-by-others",
                                                "host-split",
                                                "took-turns",
                                                "granted-in-vain",
                                                "granted-too-soon",
                                                "kept-unused",
                                                "two-lead",
                                                "leader-fell",
                                                "indivisible-split",
                                                "horizon-filled",
                                                "ended-in-vain",
                                                "ended-too-soon",
                                                "work-lost",
                                                "own-host-closed",
                                                "others-host-open",
                                                "asleep-lent",
                                                "work-on-off-host",
                                                "woken-too-soon",
                                                "never-woken"};
  return kTokens[static_cast<size_t>(invariant)];
}

}  // namespace leasehold::simulation
