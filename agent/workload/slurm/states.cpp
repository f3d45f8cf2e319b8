#include "agent/workload/slurm/states.hpp"

#include <algorithm>

namespace leasehold::agent {

namespace {

struct KnownState {
  std::string_view word;
  SlurmPhase phase;
};

/// All of them, as one that is missing makes the look fail; in the order in which Slurm's
/// job_state_string() asks for them.
constexpr KnownState kStates[] = {
    {"COMPLETING", SlurmPhase::completing}, {"STAGE_OUT", SlurmPhase::completing},
    {"CONFIGURING", SlurmPhase::holds},     {"EXPEDITING", SlurmPhase::completing},
    {"RESIZING", SlurmPhase::holds},        {"REQUEUED", SlurmPhase::waits},
    {"REQUEUE_FED", SlurmPhase::waits},     {"REQUEUE_HOLD", SlurmPhase::waits},
    {"SPECIAL_EXIT", SlurmPhase::waits},    {"STOPPED", SlurmPhase::holds},
    {"REVOKED", SlurmPhase::ended},         {"RESV_DEL_HOLD", SlurmPhase::waits},
    {"SIGNALING", SlurmPhase::holds},       {"PENDING", SlurmPhase::pending},
    {"RUNNING", SlurmPhase::holds},         {"SUSPENDED", SlurmPhase::holds},
    {"COMPLETED", SlurmPhase::ended},       {"CANCELLED", SlurmPhase::ended},
    {"FAILED", SlurmPhase::ended},          {"TIMEOUT", SlurmPhase::ended},
    {"NODE_FAIL", SlurmPhase::ended},       {"PREEMPTED", SlurmPhase::ended},
    {"BOOT_FAIL", SlurmPhase::ended},       {"DEADLINE", SlurmPhase::ended},
    {"OUT_OF_MEMORY", SlurmPhase::ended},
};

/// Flags that only JSON has; the base state beside them says what a job holds.
constexpr std::string_view kAsides[] = {"LAUNCH_FAILED", "POWER_UP_NODE", "RECONFIG_FAIL",
                                        "UPDATE_DB"};

/// Beginnings; what follows is text for people, with or without blanks.
constexpr std::string_view kSlotsHelp[] = {"None",
                                           "Priority",
                                           "Resources",
                                           "ReqNodeNotAvail",
                                           "Nodes required for job",
                                           "Nodes_required_for_job",
                                           "NodeDown",
                                           "SchedDefer"};

const KnownState* find_state(std::string_view word) {
  const auto* found = std::find_if(std::begin(kStates), std::end(kStates),
                                   [word](const KnownState& one) { return one.word == word; });
  return found == std::end(kStates) ? nullptr : found;
}

}  // namespace

std::optional<SlurmPhase> slurm_phase(std::string_view state) {
  const KnownState* known = find_state(state);
  if (known == nullptr) return std::nullopt;
  return known->phase;
}

std::optional<SlurmPhase> slurm_phase(const std::vector<std::string>& states) {
  const KnownState* said = nullptr;
  for (const std::string& word : states) {
    const KnownState* known = find_state(word);
    const bool aside = std::find(std::begin(kAsides), std::end(kAsides), word) != std::end(kAsides);
    if (known == nullptr && !aside) return std::nullopt;
    if (known != nullptr && (said == nullptr || known < said)) said = known;
  }
  if (said == nullptr) return std::nullopt;
  return said->phase;
}

bool slots_would_help(std::string_view reason) {
  return std::any_of(std::begin(kSlotsHelp), std::end(kSlotsHelp), [reason](std::string_view word) {
    return reason.substr(0, word.size()) == word;
  });
}

}  // namespace leasehold::agent
