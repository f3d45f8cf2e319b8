// These functions give the meaning for an agent of Slurm's words for a job's state, for why it is
// pending and for a node's state, in versions 22.05 to 26.05. They are pure. text.hpp and units.hpp
// find the words in the output.
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

/// Returns the phase of one word, as `squeue -o %T` prints it; nullopt if the word is not known.
std::optional<SlurmPhase> slurm_phase(std::string_view state);

/// Returns the phase of a base state and its flags in any order, as JSON has them: it is that of
/// the word which Slurm itself prints for them. It is nullopt if one of them is not known, or if
/// there is none.
std::optional<SlurmPhase> slurm_phase(const std::vector<std::string>& states);

/// True if a job that is pending for this reason would start if there were more slots. It is false
/// for limits of associations and QOS, holds and all that is not known.
bool slots_would_help(std::string_view reason);

/// The use that Slurm would make of a node if work waited for it. If a state has several words, the
/// one that is last in this list counts.
enum class SlurmNodeUse : uint8_t {
  starts,   // it gives the node out, and the work starts at once
  asleep,   // it gives the node out: power saving switched it off, and it is switched on for work
  waking,   // it is being switched on, or is about to be
  not_now,  // it gives it out again by itself: the node goes off, restarts, is blocked
  never,    // down, drained, failed: an administrator repairs or resumes the node first
};

/// Reads a state as `scontrol show node` prints it: "IDLE+CLOUD+POWERED_DOWN". A word that is not
/// known counts as `never`, and the first such word is put into `unknown`.
SlurmNodeUse slurm_node_use(std::string_view state, std::string& unknown);
bool slurm_is_drained(std::string_view state);

}  // namespace leasehold::agent
