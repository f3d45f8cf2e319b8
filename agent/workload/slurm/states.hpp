// What Slurm's words for a job's state, for why it is pending and for a node's state mean to an
// agent: of 22.05 to 26.05. Pure. Where the words stand in what programs print is text.hpp's and
// units.hpp's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leasehold::agent {

enum class SlurmPhase : uint8_t {
  pending,
  waits,       // pending, and more slots would not start it: held, too early, at a limit
  holds,       // its slots: runs, is suspended, is set up
  completing,  // it has ended; its processes may not have
  ended,
};

/// Of one word, as `squeue -o %T` prints it. A word that is not known is not guessed at.
std::optional<SlurmPhase> slurm_phase(std::string_view state);

/// Of a base state and its flags in any order, as JSON has them: that of the word which Slurm
/// itself prints for them. Nothing: a word among them is not known, or there is none.
std::optional<SlurmPhase> slurm_phase(const std::vector<std::string>& states);

/// A job that is pending for this reason would start if there were more slots. Limits of
/// associations and QOS, holds and all that is not known: no.
bool slots_would_help(std::string_view reason);

/// What Slurm would do with a node if work waited for it. Of several words in its state the one
/// that stands last here counts.
enum class SlurmNodeUse : uint8_t {
  starts,   // it gives the node out, and the work starts at once
  asleep,   // it gives the node out: power saving switched it off, and it is switched on for work
  waking,   // it is being switched on, or is about to be
  not_now,  // it gives it out again by itself: the node goes off, restarts, is blocked
  never,    // not before somebody mends or resumes it: down, drained, failed
};

/// Of `scontrol show node`: "IDLE+CLOUD+POWERED_DOWN". A word that is not known counts as `never`,
/// and the first such one is put into `unknown`.
SlurmNodeUse slurm_node_use(std::string_view state, std::string& unknown);
bool slurm_is_drained(std::string_view state);

}  // namespace leasehold::agent
