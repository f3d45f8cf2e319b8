#include "agent/workload/slurm/division.hpp"

#include <algorithm>
#include <map>

#include "common/text/lower_case.hpp"

namespace leasehold::agent {

namespace {

using wire::Division;

bool mentions(const std::string& list, const char* word) {
  return lower_case(list).find(word) != std::string::npos;
}

/// A controller that does not print cgroup.conf is taken to constrain: to split a host wrongly
/// costs work, to lend it whole costs slots.
bool pins_cores(const SlurmController& controller) {
  if (mentions(controller.task_plugin, "affinity")) return true;
  return mentions(controller.task_plugin, "cgroup") &&
         lower_case(controller.constrain_cores) != "no";
}

std::vector<const SlurmPartition*> partitions_of(const SlurmSnapshot& snapshot,
                                                 const SlurmNode& node) {
  std::vector<const SlurmPartition*> found;
  for (const SlurmPartition& one : snapshot.partitions) {
    const auto& names = node.partitions;
    if (std::find(names.begin(), names.end(), one.name) != names.end()) found.push_back(&one);
  }
  return found;
}

/// True if each job has at most its cores' share of the memory, in every partition of the host:
/// then memory is divided as the cores are.
bool shares_memory_by_core(const SlurmSnapshot& snapshot, const SlurmNode& node) {
  const int64_t cpus = int64_t{node.cores} * node.threads;
  return std::all_of(snapshot.partitions.begin(), snapshot.partitions.end(), [&](const auto& one) {
    const auto& names = node.partitions;
    if (std::find(names.begin(), names.end(), one.name) == names.end()) return true;
    if (one.memory_per_node) return false;
    const int64_t each = one.memory_per_cpu_mb.value_or(snapshot.controller.memory_per_cpu_mb);
    return each > 0 && each * cpus <= node.mem_mb;
  });
}

bool gives_out_whole_nodes(const SlurmSnapshot& snapshot, const SlurmNode& node) {
  const auto partitions = partitions_of(snapshot, node);
  return snapshot.controller.select == "select/linear" ||
         std::any_of(partitions.begin(), partitions.end(),
                     [](const SlurmPartition* one) { return one->whole_hosts; });
}

std::string setting_of(Division division, const SlurmController& controller) {
  if (division == Division::pinned_cores) {
    return "TaskPlugin=" + controller.task_plugin +
           " binds jobs to cores, and jobs of two clusters would be bound to the same ones";
  }
  if (division == Division::memory) {
    return "SelectTypeParameters=" + controller.selects +
           " gives out memory, and two clusters would give out the same; right would be a "
           "MaxMemPerCPU of at most a core's share in every partition of the host, at both sides";
  }
  return "it has devices (Gres), and two clusters would give out the same ones (a borrower "
         "has them where its node line and gres.conf name them, too)";
}

}  // namespace

bool gives_out_memory(const SlurmController& controller) {
  return mentions(controller.selects, "memory");
}

wire::Division slurm_division(const SlurmSnapshot& snapshot, const SlurmNode& node) {
  if (gives_out_whole_nodes(snapshot, node)) return Division::whole_nodes;
  if (pins_cores(snapshot.controller)) return Division::pinned_cores;
  if (gives_out_memory(snapshot.controller) && !shares_memory_by_core(snapshot, node)) {
    return Division::memory;
  }
  return node.devices.empty() ? Division::divisible : Division::devices;
}

std::vector<std::string> slurm_division_cautions(const SlurmSnapshot& snapshot) {
  std::map<Division, std::vector<std::string>> hosts;
  for (const SlurmHost& host : snapshot.hosts) {
    hosts[slurm_division(snapshot, host.node)].push_back(host.node.name);
  }
  std::vector<std::string> cautions;
  for (const auto& [division, of] : hosts) {
    // rights.cpp has the sentences about whole nodes.
    if (!is_indivisible(division) || division == Division::whole_nodes) continue;
    const size_t others = of.size() - 1;
    cautions.push_back(
        "host " + of.front() + (others == 0 ? "" : " and " + std::to_string(others) + " more") +
        (others == 0 ? " is" : " are") +
        " lent whole or not at all: " + setting_of(division, snapshot.controller) +
        "; export all slots of each by one policy to one consumer, or write [hosts] divisible = "
        "\"yes\" if you know better");
  }
  return cautions;
}

}  // namespace leasehold::agent
