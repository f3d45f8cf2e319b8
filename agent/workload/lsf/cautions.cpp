#include "agent/workload/lsf/cautions.hpp"

#include <set>
#include <string_view>
#include <unordered_set>

namespace leasehold::agent {

void note_unknown(const std::vector<LsfHost>& hosts, const std::vector<WorkUnit>& units,
                  const LsfUnknown& states, UnknownWords& unknown, View& view) {
  unknown.begin();
  for (const LsfHost& host : hosts) {
    if (!host.unknown.empty()) {
      unknown.see("host " + host.name + " has the unknown status '" + host.unknown + "'");
    }
  }
  std::set<std::string> odd;
  for (const auto& [job, state] : states) {
    unknown.see("job " + job + " is in the unknown state '" + state + "'");
  }
  for (const WorkUnit& unit : units) {
    if (states.contains(unit.id)) {
      for (const UnitHost& host : unit.hosts) odd.insert(host.host);
    }
  }
  for (HostLoad& load : view.loads) load.up = load.up && !odd.contains(load.host);
  for (wire::HostFacts& facts : view.hosts) facts.up = facts.up && !odd.contains(facts.name);
}

void note_unlisted(const std::vector<LsfHost>& hosts, const std::vector<WorkUnit>& units,
                   UnknownWords& unknown) {
  std::unordered_set<std::string_view> listed;
  for (const LsfHost& host : hosts) listed.insert(host.name);
  std::set<std::string> warned;
  for (const WorkUnit& unit : units) {
    for (const UnitHost& on : unit.hosts) {
      if (!listed.contains(on.host) && warned.insert(on.host).second) {
        unknown.see("job " + unit.id + " is on host " + on.host +
                    ", which bhosts does not list; it counts as running, but on no leased host");
      }
    }
  }
}

void note_reasons(const LsfNeedsOfJobs& needs, UnknownWords& unknown) {
  for (const auto& [job, wants] : needs) {
    if (!wants.unknown.empty()) {
      unknown.see("LSF's reason '" + wants.unknown +
                  "' is not known: jobs that wait for it are not counted as demand");
    }
  }
}

std::vector<std::string> without_slots(const std::vector<LsfHost>& hosts) {
  std::vector<std::string> lacking;
  for (const LsfHost& host : hosts) {
    if (!host.max) {
      lacking.push_back("host " + host.name + " has no number of job slots, so none can be " +
                        "leased: give it a row with MXJ in lsb.hosts");
    }
  }
  return lacking;
}

std::vector<std::string> left_closed(const LsfSlots& slots, const HostOwners& owners) {
  std::vector<std::string> stays;
  for (const auto& [host, number] : slots.hosts()) {
    if (owners.others(host) && number > 0) {
      stays.push_back("host " + host + " has 0 job slots and had " + std::to_string(number) +
                      ", for it is another cluster's; to give them back: bconf update host=" +
                      host + " \"MXJ=" + std::to_string(number) + "\"");
    }
  }
  return stays;
}

}  // namespace leasehold::agent
