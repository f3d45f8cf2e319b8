#include "agent/workload/slurm/look/snapshot.hpp"

#include <algorithm>

#include "agent/workload/slurm/printed/words.hpp"

namespace leasehold::agent {

std::set<int32_t> SlurmHost::cores_of(const SlurmShare& share) const {
  std::set<int32_t> cores;
  for (const int32_t cpu : share.cpus) cores.insert(cpu / node.numbered);
  return cores;
}

int64_t SlurmHost::next_number() const {
  int64_t highest = 0;
  for (const SlurmFenceFound& fence : fences) highest = std::max(highest, fence.number);
  return highest + 1;
}

/// From 26.05 on, "NO" means that nobody else may use its cores, not its hosts.
bool SlurmSnapshot::takes_whole_hosts(const SlurmJob& job) const {
  if (controller.select == "select/linear") return true;
  if (job.shares == "NO" && controller.version < "26.05") return true;
  return std::any_of(partitions.begin(), partitions.end(), [&job](const SlurmPartition& one) {
    return one.whole_hosts && lists_word(job.partitions, one.name);
  });
}

bool SlurmSnapshot::jobs_take_turns() const {
  const std::string& mode = controller.preempt_mode;
  return mode.find("SUSPEND") != mode.npos || mode.find("GANG") != mode.npos;
}

SlurmHost* SlurmSnapshot::find(const std::string& name) {
  const auto found = places.find(name);
  return found == places.end() ? nullptr : &hosts[found->second];
}

SlurmHost* SlurmSnapshot::find(const std::string& name, const std::string& what) {
  SlurmHost* host = find(name);
  if (host == nullptr) unlisted.push_back(what + " is on host " + name + ", which is not listed");
  return host;
}

const SlurmHost* SlurmSnapshot::find(const std::string& name) const {
  const auto found = places.find(name);
  return found == places.end() ? nullptr : &hosts[found->second];
}

}  // namespace leasehold::agent
