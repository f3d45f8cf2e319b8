// Groups, hosts and looks as tests of Book need them, each in one line.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "agent/core/limits/limits.hpp"
#include "agent/core/limits/view.hpp"

namespace leasehold::agent {

inline wire::ConfiguredGroup group(uint64_t generation, wire::Role role, const char* host,
                                   int32_t slots, const char* peer = "west") {
  wire::ConfiguredGroup made;
  made.generation = generation;
  made.role = role;
  made.peer = peer;
  made.lease = "p:" + std::string(peer);
  made.hosts.push_back({host, slots, false});
  return made;
}

inline wire::HostFacts facts(const char* name, int32_t slots) {
  wire::HostFacts made;
  made.name = name;
  made.slots = slots;
  return made;
}

inline View view(std::vector<wire::HostFacts> hosts, std::vector<HostLoad> loads) {
  View made;
  made.hosts = std::move(hosts);
  made.loads = std::move(loads);
  return made;
}

inline GroupLimits saved(uint64_t generation, wire::Role role, int32_t limit, int32_t exported,
                         uint64_t seq) {
  GroupLimits limits;
  limits.generation = generation;
  limits.role = role;
  limits.seq = seq;
  limits.hosts.resize(1);
  limits.hosts[0].limit = limit;
  limits.hosts[0].exported = exported;
  return limits;
}

}  // namespace leasehold::agent
