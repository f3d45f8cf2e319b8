// Hosts that go off and come up again, and those that an agent is to switch on. Not a test itself.
#pragma once

#include <string>

#include "broker/core/agents/off_hosts.hpp"
#include "broker/core/lease/asleep.hpp"
#include "tests/unit/core/lease/demand_fixtures.hpp"

namespace leasehold::test {

inline void turn(Site& site, size_t host, bool up, wire::NotUp not_up = wire::NotUp::asleep,
                 const std::string& owner = "east") {
  Agent& east = site.agent(owner);
  east.hosts.at(host).up = up;
  east.hosts.at(host).not_up = up ? wire::NotUp::unsaid : not_up;
  for (auto& [name, agent] : site.agents) {  // a host that is off is so for everybody
    for (auto& [generation, group] : agent.groups) {
      const SlotGroup& of = site.state.slot_groups[find_slot_group(site.state, generation)];
      const bool own = site.state.clusters[of.members[kProvider].cluster].name == owner;
      if (own && host < group.rows.size()) group.rows[host].up = up;
    }
  }
  site.step(InventoryReported{owner, east.session, east.hosts});
  site.run_until_idle();
}

inline OffHosts off_hosts(const Site& site, const char* cluster = "east", int64_t later_ms = 0) {
  return OffHostsFinder().find(site.state, find_cluster(site.state, cluster), site.now + later_ms);
}

inline void wait_for(Site& site, int64_t slots) {
  site.agent("west").pending = slots;
  site.report("west");
  site.run_until_idle();
}

}  // namespace leasehold::test
