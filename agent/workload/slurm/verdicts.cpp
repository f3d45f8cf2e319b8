#include "agent/workload/slurm/verdicts.hpp"

#include <algorithm>
#include <set>

#include "agent/workload/slurm/division.hpp"

namespace leasehold::agent {

namespace {

bool has_word(const std::string& list, const std::string& word) {
  return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

/// What one job wants of one host, made once for all hosts.
class Asked {
 public:
  Asked(const SlurmJob& job, const SlurmWants& wants, bool memory_is_given_out)
      : job_(job),
        wants_(wants),
        memory_is_given_out_(memory_is_given_out),
        unknown_(wants.unknown) {
    read(job.requested, requested_);
    read(job.excluded, excluded_);
  }

  const std::string& unknown() const { return unknown_; }

  bool fits(const SlurmNode& node) const {
    return unknown_.empty() && (requested_.empty() || requested_.contains(node.name)) &&
           !excluded_.contains(node.name) && in_partition(node) && cores_fit(node) &&
           memory_fits(node) && devices_fit(node) &&
           slurm_features_fit(wants_.features, node.features).value_or(false);
  }

 private:
  void read(const std::string& list, std::set<std::string>& into) {
    if (list.empty()) return;
    const Result<std::vector<std::string>> nodes = expand_slurm_nodes(list);
    if (nodes)
      into.insert(nodes->begin(), nodes->end());
    else
      unknown_ = "the hosts '" + list + "' that a waiting job names are not understood";
  }

  /// A node whose partitions are not told may be in any.
  bool in_partition(const SlurmNode& node) const {
    return node.partitions.empty() ||
           std::any_of(node.partitions.begin(), node.partitions.end(),
                       [this](const std::string& one) { return has_word(job_.partitions, one); });
  }

  static int64_t cpus_of(const SlurmNode& node) { return int64_t{node.cores} * node.threads; }

  bool cores_fit(const SlurmNode& node) const { return cpus_of(node) >= job_.cpus_together; }

  /// Slurm adds up the memory of CPUs only where it gives out memory. A job that has too many CPUs
  /// for this host has at least those here that it wants together.
  bool memory_fits(const SlurmNode& node) const {
    const bool alone = job_.nodes_wanted <= 1 && job_.cpus <= cpus_of(node);
    const int64_t cpus = !memory_is_given_out_ ? 1 : alone ? job_.cpus : job_.cpus_together;
    return node.mem_mb >= wants_.mem_mb_per_host && node.mem_mb >= wants_.mem_mb_per_cpu * cpus;
  }

  bool devices_fit(const SlurmNode& node) const {
    return std::all_of(wants_.devices.begin(), wants_.devices.end(), [&](const SlurmDevice& want) {
      int64_t there = 0;
      for (const SlurmDevice& has : node.devices)
        if (has.name == want.name && (want.type.empty() || want.type == has.type))
          there += has.count;
      return there >= want.count;
    });
  }

  const SlurmJob& job_;
  const SlurmWants& wants_;
  const bool memory_is_given_out_;
  std::string unknown_;
  std::set<std::string> requested_;
  std::set<std::string> excluded_;
};

/// Jobs that want the same of a host have the same key.
std::string key_of(const SlurmJob& job, const SlurmWants& wants) {
  std::string key;
  const auto add = [&key](const std::string& word) { (key += word) += '\n'; };
  for (const std::string* word :
       {&job.partitions, &job.requested, &job.excluded, &wants.features, &wants.unknown})
    add(*word);
  for (const int64_t count :
       {int64_t{job.cpus}, int64_t{job.cpus_together}, int64_t{job.nodes_wanted},
        wants.mem_mb_per_host, wants.mem_mb_per_cpu})
    add(std::to_string(count));
  for (const SlurmDevice& device : wants.devices)
    add(device.name + ":" + device.type + ":" + std::to_string(device.count));
  return key;
}

/// Cores of the largest of these hosts.
int32_t most_cores(const SlurmScene& scene, const std::vector<std::string>& hosts) {
  int32_t most = 0;
  for (const std::string& name : hosts)
    if (const SlurmHost* host = scene.find(name)) most = std::max(most, host->node.cores);
  return most;
}

}  // namespace

SlurmShape slurm_shape(const SlurmJob& job, int32_t threads, int32_t most) {
  const auto cores_of = [threads](int32_t cpus) {
    return static_cast<int32_t>((int64_t{cpus} + threads - 1) / threads);
  };
  const int32_t cores = cores_of(job.cpus);
  const int32_t hosts = std::max(1, job.nodes_wanted);
  const bool on_one = hosts == 1 && cores <= most;
  return {threads, on_one ? cores : std::min(cores, cores_of(job.cpus_together)), hosts};
}

int32_t least_threads(const SlurmScene& scene) {
  int32_t threads = INT32_MAX;
  for (const SlurmHost& host : scene.hosts) threads = std::min(threads, host.node.threads);
  return threads;
}

SlurmVerdicts slurm_verdicts(const SlurmScene& scene,
                             const std::unordered_map<std::string, SlurmWants>& wants) {
  SlurmVerdicts made;
  std::unordered_map<std::string, SlurmVerdict> known;  // by key_of()
  const bool memory_is_given_out = gives_out_memory(scene.controller);
  const int32_t threads = least_threads(scene);
  for (const SlurmJob& job : scene.jobs) {
    if (job.phase != SlurmPhase::pending) continue;
    const auto wanted = wants.find(job.id);
    if (wanted == wants.end()) continue;
    SlurmVerdict& verdict = made[job.id];
    ++verdict.tasks;
    if (verdict.hosts) continue;
    SlurmVerdict& alike = known[key_of(job, wanted->second)];
    if (!alike.hosts) {
      const Asked asked(job, wanted->second, memory_is_given_out);
      std::vector<std::string> names;
      for (const SlurmHost& host : scene.hosts)
        if (asked.fits(host.node)) names.push_back(host.node.name);
      alike.hosts = std::make_shared<const std::vector<std::string>>(std::move(names));
      alike.unknown = asked.unknown();
    }
    verdict.hosts = alike.hosts;
    verdict.unknown = alike.unknown;
    verdict.shape = slurm_shape(job, threads, most_cores(scene, *alike.hosts));
    verdict.whole = scene.takes_whole_hosts(job);
  }
  return made;
}

void tell_where_they_fit(const SlurmVerdicts& verdicts, std::vector<WorkUnit>& units) {
  const auto none = std::make_shared<const std::vector<std::string>>();
  for (WorkUnit& unit : units) {
    if (unit.running()) continue;
    const auto verdict = verdicts.find(unit.id);
    unit.fits = verdict == verdicts.end() ? none : verdict->second.hosts;
    if (verdict == verdicts.end()) continue;
    const SlurmShape& shape = verdict->second.shape;
    unit.set_tasks((int64_t{unit.slots} + shape.threads - 1) / shape.threads,
                   verdict->second.tasks);
    unit.slots_per_host = shape.per_host;
    unit.hosts_wanted = shape.hosts;
    unit.whole_hosts = unit.whole_hosts || verdict->second.whole;
  }
}

}  // namespace leasehold::agent
