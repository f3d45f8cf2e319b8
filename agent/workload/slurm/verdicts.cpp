#include "agent/workload/slurm/verdicts.hpp"

#include <algorithm>
#include <set>

namespace leasehold::agent {

namespace {

bool has_word(const std::string& list, const std::string& word) {
  return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

/// What one job wants of one host, made once for all hosts.
class Asked {
 public:
  Asked(const SlurmJob& job, const SlurmWants& wants) : job_(job), wants_(wants) {
    good_ = read(job.requested, requested_) && read(job.excluded, excluded_);
  }

  bool fits(const SlurmNode& node) const {
    return good_ && (requested_.empty() || requested_.contains(node.name)) &&
           !excluded_.contains(node.name) && in_partition(node) && cores_fit(node) &&
           memory_fits(node) && devices_fit(node) &&
           slurm_features_fit(wants_.features, node.features);
  }

 private:
  /// A list that is not understood fits no host.
  static bool read(const std::string& list, std::set<std::string>& into) {
    if (list.empty()) return true;
    const Result<std::vector<std::string>> nodes = expand_slurm_nodes(list);
    if (nodes) into.insert(nodes->begin(), nodes->end());
    return nodes.has_value();
  }

  /// A node whose partitions are not told may be in any.
  bool in_partition(const SlurmNode& node) const {
    return node.partitions.empty() ||
           std::any_of(node.partitions.begin(), node.partitions.end(),
                       [this](const std::string& one) { return has_word(job_.partitions, one); });
  }

  static int64_t cpus_of(const SlurmNode& node) { return int64_t{node.cores} * node.threads; }

  bool cores_fit(const SlurmNode& node) const { return cpus_of(node) >= job_.cpus_together; }

  /// Of a job that this host has too few CPUs for, at least as many are here as it wants together.
  bool memory_fits(const SlurmNode& node) const {
    const bool alone = job_.nodes_wanted <= 1 && job_.cpus <= cpus_of(node);
    const int64_t cpus = alone ? job_.cpus : job_.cpus_together;
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
  std::set<std::string> requested_;
  std::set<std::string> excluded_;
  bool good_ = false;
};

/// The same of all jobs that want the same of a host.
std::string sameness(const SlurmJob& job, const SlurmWants& wants) {
  std::string key;
  const auto add = [&key](const std::string& word) { (key += word) += '\n'; };
  for (const std::string* word : {&job.partitions, &job.requested, &job.excluded, &wants.features})
    add(*word);
  for (const int64_t count :
       {int64_t{job.cpus}, int64_t{job.cpus_together}, int64_t{job.nodes_wanted},
        wants.mem_mb_per_host, wants.mem_mb_per_cpu})
    add(std::to_string(count));
  for (const SlurmDevice& device : wants.devices)
    add(device.name + ":" + device.type + ":" + std::to_string(device.count));
  return key;
}

}  // namespace

SlurmVerdicts slurm_verdicts(const SlurmScene& scene,
                             const std::unordered_map<std::string, SlurmWants>& wants) {
  SlurmVerdicts made;
  std::unordered_map<std::string, std::shared_ptr<const std::vector<std::string>>> known;
  for (const SlurmJob& job : scene.jobs) {
    if (job.phase != SlurmPhase::pending) continue;
    const auto wanted = wants.find(job.id);
    if (wanted == wants.end()) continue;
    SlurmVerdict& verdict = made[job.id];
    ++verdict.tasks;
    if (verdict.hosts) continue;
    auto& hosts = known[sameness(job, wanted->second)];
    if (!hosts) {
      const Asked asked(job, wanted->second);
      std::vector<std::string> names;
      for (const SlurmHost& host : scene.hosts)
        if (asked.fits(host.node)) names.push_back(host.node.name);
      hosts = std::make_shared<const std::vector<std::string>>(std::move(names));
    }
    verdict.hosts = hosts;
  }
  return made;
}

void tell_where_they_fit(const SlurmVerdicts& verdicts, std::vector<WorkUnit>& units) {
  const auto none = std::make_shared<const std::vector<std::string>>();
  for (WorkUnit& unit : units) {
    if (unit.running()) continue;
    const auto verdict = verdicts.find(unit.id);
    unit.fits = verdict == verdicts.end() ? none : verdict->second.hosts;
    if (verdict != verdicts.end()) unit.slots *= std::max(1, verdict->second.tasks);
  }
}

}  // namespace leasehold::agent
