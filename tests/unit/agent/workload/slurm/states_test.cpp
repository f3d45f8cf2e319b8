// These rows say what Slurm does with a node in each state of `scontrol show node`, 22.05 to 26.05.
#include "agent/workload/slurm/printed/states.hpp"

#include <catch2/catch.hpp>

namespace leasehold::agent {
namespace {

struct StateRow {
  const char* state;
  SlurmNodeUse use;
};

void check_uses(std::initializer_list<StateRow> rows) {
  for (const StateRow& row : rows) {
    INFO(row.state);
    std::string unknown;
    CHECK(slurm_node_use(row.state, unknown) == row.use);
    CHECK(unknown.empty());
  }
}

TEST_CASE("slurm: work starts on a node at once, or once it is switched on") {
  using enum SlurmNodeUse;
  check_uses({
      {"IDLE", starts},
      {"MIXED+PLANNED", starts},
      {"ALLOCATED+COMPLETING", starts},
      {"IDLE+CLOUD", starts},
      {"MIXED+CLOUD+RESERVED", starts},
      {"IDLE+DYNAMIC_NORM", starts},
      {"IDLE+CLOUD+POWERED_DOWN", asleep},
      {"IDLE+POWERED_DOWN", asleep},
      {"IDLE+POWERED_DOWN+PLANNED", asleep},
      {"IDLE+POWER_SAVING", asleep},
      // Its own work has it already, or it is already coming up: nobody else wakes it.
      {"ALLOCATED+CLOUD+POWERED_DOWN", waking},
      {"IDLE+CLOUD+POWER_UP+POWERED_DOWN", waking},
      {"IDLE+POWERING_UP", waking},
      {"MIXED+CLOUD+NOT_RESPONDING+POWERING_UP", waking},
      {"IDLE-", starts},  // sinfo's mark: planned for a job
  });
}

TEST_CASE("slurm: work starts on a node later, or not before somebody does something") {
  using enum SlurmNodeUse;
  check_uses({
      // Until it is off, which takes SuspendTimeout, Slurm gives it to nobody.
      {"IDLE+CLOUD+POWERING_DOWN", not_now},
      {"IDLE+POWER_DOWN", not_now},
      {"MIXED+POWER_DRAIN", not_now},
      {"MIXED+REBOOT_REQUESTED", not_now},
      {"IDLE+POWERED_DOWN+REBOOT_REQUESTED", not_now},
      {"IDLE+REBOOT_ISSUED+NOT_RESPONDING", not_now},
      {"IDLE+BLOCKED", not_now},
      {"IDLE+BLOCKED+POWERED_DOWN", not_now},
      {"IDLE+MAINTENANCE+RESERVED", not_now},
      {"IDLE+DRAIN", never},
      {"IDLE+DRAIN+POWERED_DOWN", never},
      {"IDLE+DRAIN+POWERING_UP", never},
      {"MIXED+DRAIN+REBOOT_REQUESTED", never},
      {"IDLE+FAIL", never},
      {"IDLE+NOT_RESPONDING", never},
      {"IDLE+NOT_RESPONDING+POWERED_DOWN", never},
      {"IDLE+INVALID_REG", never},
      {"IDLE+DYNAMIC_FUTURE", never},
      {"IDLE+EXTERNAL", never},
      {"DOWN", never},
      {"DOWN+CLOUD+POWERED_DOWN", never},  // it did not come up within ResumeTimeout
      {"DOWN+POWERING_UP", never},
      {"FUTURE", never},
      {"UNKNOWN+NOT_RESPONDING", never},
      {"IDLE+MIXED", never},
      // Marks that say that nothing starts there.
      {"IDLE*", never},
      {"IDLE~", never},
      {"DOWN*", never},
      {"", never},
  });
}

TEST_CASE("slurm: a node whose state has a word that is not known starts nothing, and names it") {
  const std::pair<const char*, const char*> rows[] = {{"IDLE+ENCHANTED", "ENCHANTED"},
                                                      {"PURPLE", "PURPLE"},
                                                      {"CLOUD+POWERED_DOWN", "CLOUD"},
                                                      {"IDLE+POWERED_DOWN+HAUNTED", "HAUNTED"}};
  for (const auto& [state, word] : rows) {
    INFO(state);
    std::string unknown;
    CHECK(slurm_node_use(state, unknown) == SlurmNodeUse::never);
    CHECK(unknown == word);
  }
}

TEST_CASE("slurm: only what somebody drained counts as drained, asleep or not") {
  for (const char* drained : {"IDLE+DRAIN", "IDLE+CLOUD+DRAIN+POWERED_DOWN", "ALLOCATED+DRAINED"}) {
    CHECK(slurm_is_drained(drained));
  }
  for (const char* not_drained : {"IDLE+POWERED_DOWN", "DOWN", "MIXED+POWER_DRAIN", ""}) {
    CHECK_FALSE(slurm_is_drained(not_drained));
  }
}

}  // namespace
}  // namespace leasehold::agent
