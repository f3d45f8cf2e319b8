#include "agent/workload/slurm/printed/states.hpp"

#include <algorithm>
#include <span>

namespace leasehold::agent {

namespace {

struct KnownState {
  std::string_view word;
  SlurmPhase phase;
};

/// All states of Slurm's job_state_string(), in the order in which it asks for them. A job in a
/// state that is missing here keeps its hosts from being up.
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

struct NodeWord {
  std::string_view word;
  SlurmNodeUse use;
};

constexpr NodeWord kNodeBases[] = {
    {"IDLE", SlurmNodeUse::starts},      {"MIXED", SlurmNodeUse::starts},
    {"ALLOCATED", SlurmNodeUse::starts}, {"DOWN", SlurmNodeUse::never},
    {"ERROR", SlurmNodeUse::never},      {"FUTURE", SlurmNodeUse::never},
    {"UNKNOWN", SlurmNodeUse::never},    {"INVAL", SlurmNodeUse::never},
};

constexpr NodeWord kNodeFlags[] = {
    {"CLOUD", SlurmNodeUse::starts},
    {"COMPLETING", SlurmNodeUse::starts},
    {"DYNAMIC_NORM", SlurmNodeUse::starts},
    {"PLANNED", SlurmNodeUse::starts},
    {"RESERVED", SlurmNodeUse::starts},
    {"RESUME", SlurmNodeUse::starts},
    {"POWERED_DOWN", SlurmNodeUse::asleep},
    {"POWER_SAVING", SlurmNodeUse::asleep},
    {"POWER_UP", SlurmNodeUse::waking},
    {"POWERING_UP", SlurmNodeUse::waking},
    {"BLOCKED", SlurmNodeUse::not_now},  // by a job that has its part of the network
    {"MAINT", SlurmNodeUse::not_now},
    {"MAINTENANCE", SlurmNodeUse::not_now},
    {"PERFCTRS", SlurmNodeUse::not_now},
    {"POWERING_DOWN", SlurmNodeUse::not_now},  // only when it is off is it given out again
    {"POWER_DOWN", SlurmNodeUse::not_now},
    {"POWER_DRAIN", SlurmNodeUse::not_now},
    {"REBOOT", SlurmNodeUse::not_now},
    {"REBOOT_CANCEL", SlurmNodeUse::not_now},
    {"REBOOT_ISSUED", SlurmNodeUse::not_now},
    {"REBOOT_REQUESTED", SlurmNodeUse::not_now},
    {"DRAIN", SlurmNodeUse::never},
    {"DRAINED", SlurmNodeUse::never},
    {"DRAINING", SlurmNodeUse::never},
    {"DYNAMIC_FUTURE", SlurmNodeUse::never},
    {"EXTERNAL", SlurmNodeUse::never},
    {"FAIL", SlurmNodeUse::never},
    {"INVALID", SlurmNodeUse::never},
    {"INVALID_REG", SlurmNodeUse::never},
    {"UNDRAIN", SlurmNodeUse::never},
};

/// Some versions print these marks behind a word: the node is silent, off, coming up, restarting
/// and the like.
constexpr std::string_view kDownMarks = "*~#!%$@^";
constexpr std::string_view kMarks = "*~#!%$@^-";  // -: planned for a job

/// Splits "IDLE+DRAIN*" into base state and flags.
std::vector<std::string_view> node_words(std::string_view state) {
  std::vector<std::string_view> words;
  while (!state.empty()) {
    const size_t plus = std::min(state.find('+'), state.size());
    const std::string_view word = state.substr(0, plus);
    words.push_back(word.substr(0, word.find_last_not_of(kMarks) + 1));
    state.remove_prefix(std::min(plus + 1, state.size()));
  }
  return words;
}

const NodeWord* find_in(std::span<const NodeWord> words, std::string_view word) {
  const auto found = std::find_if(words.begin(), words.end(),
                                  [word](const NodeWord& one) { return one.word == word; });
  return found == words.end() ? nullptr : &*found;
}

/// Returns nullopt if the word is not known. A base state is known as the first word only, and a
/// flag with which work would start is no base state.
std::optional<SlurmNodeUse> use_by_word(std::string_view word, bool first) {
  if (const NodeWord* base = find_in(kNodeBases, word)) {
    return first ? base->use : SlurmNodeUse::never;
  }
  const NodeWord* flag = find_in(kNodeFlags, word);
  if (flag == nullptr || (first && flag->use == SlurmNodeUse::starts)) return std::nullopt;
  return first ? std::max(flag->use, SlurmNodeUse::not_now) : flag->use;
}

bool is_silent(std::string_view word) {
  return word == "NOT_RESPONDING" || word == "NO_RESPOND";
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

/// A node that comes up or restarts does not respond yet; one that is off and busy is about to be
/// switched on.
SlurmNodeUse slurm_node_use(std::string_view state, std::string& unknown) {
  const std::vector<std::string_view> words = node_words(state);
  const bool marked = state.find_first_of(kDownMarks) != state.npos;
  SlurmNodeUse use = words.empty() || marked ? SlurmNodeUse::never : SlurmNodeUse::starts;
  bool silent = false;
  for (size_t i = 0; i < words.size(); ++i) {
    silent = silent || is_silent(words[i]);
    if (is_silent(words[i])) continue;
    const std::optional<SlurmNodeUse> by = use_by_word(words[i], i == 0);
    if (!by && unknown.empty()) unknown = std::string(words[i]);
    use = std::max(use, by.value_or(SlurmNodeUse::never));
  }
  if (silent && use < SlurmNodeUse::waking) return SlurmNodeUse::never;
  return use == SlurmNodeUse::asleep && words[0] != "IDLE" ? SlurmNodeUse::waking : use;
}

bool slurm_is_drained(std::string_view state) {
  const std::vector<std::string_view> words = node_words(state);
  return std::any_of(words.begin(), words.end(),
                     [](std::string_view word) { return word == "DRAIN" || word == "DRAINED"; });
}

}  // namespace leasehold::agent
