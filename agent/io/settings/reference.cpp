#include "agent/io/settings/reference.hpp"

#include "agent/io/settings/keys.hpp"
#include "common/config/keys/reference.hpp"

namespace leasehold::agent {

// KeyReference finds this overload by its argument.
static std::string kind_of(const KeyRow&, const ManagerRow* const&) {
  std::string names;
  for (const ManagerRow& row : managers()) {
    names += (names.empty() ? "" : ", ") + in_code_quoted(row.name);
  }
  return names;
}

namespace {

constexpr const char* kHead =
    "# Keys of the agent's configuration\n"
    "\n"
    "Made by `lease-agent --describe-config`. Example with every key: `agent.toml`.\n"
    "Durations carry their unit: ms s m h d, as in `\"1h30m\"`. What is called a path here "
    "starts,\n"
    "where it is relative, at the folder of the file.\n"
    "SIGHUP reads `log_level`, `broker` and [security] again; all else changes with the next start "
    "only.\n";

void add_agent(KeyReference& reference) {
  const Settings plain;
  const AdapterSettings& adapter = plain.workload.adapter;
  reference.section("[agent]", "");
  reference.add(kAgentKeys, plain, plain.agent, adapter);
  reference.section("[security]", "Needed for a broker on another machine (`tcp://`).");
  reference.add(kSecurityKeys, plain.security);
  reference.section("[hosts]", "What hosts of other clusters are called here.");
  reference.add(kHostsKeys, plain.agent.names, adapter, plain.agent);
  reference.section("[workload]", "");
  reference.add(kWorkloadKeys, plain.workload, adapter);
}

void add_managers(KeyReference& reference) {
  for (const ManagerRow& row : managers()) {
    reference.section(std::string("[workload.") + row.name + "]", row.about);
    row.describe(reference);
  }
}

void add_scheduling(KeyReference& reference) {
  reference.section("[scheduling]",
                    "How work that must end is chosen, and preemption inside a consumer.");
  reference.add(kSchedulingKeys, SchedulingSettings{});
  reference.section("[[session_type]]",
                    "The first that matches a job; none: the defaults, a session for each user.");
  reference.add(kSessionTypeKeys, SessionType{});
  reference.section("[[session_type]] match", "All that is given must hold; `\"\"`: anything.");
  reference.add(kSessionMatchKeys, SessionMatch{});
}

}  // namespace

std::string key_reference() {
  KeyReference reference(kHead);
  add_agent(reference);
  add_managers(reference);
  add_scheduling(reference);
  return reference.take();
}

}  // namespace leasehold::agent
