#include "agent/workload/slurm/verdicts.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "agent/workload/slurm/division.hpp"
#include "agent/workload/slurm/printed/words.hpp"
#include "common/bounds.hpp"

namespace leasehold::agent {

namespace {

/// The wants of one job, read once and then compared with each kind of host.
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

  /// Returns the lists of hosts that the job names; if both are empty, any host that fits will do.
  std::string named() const { return job_.requested + "\n" + job_.excluded; }
  bool may_be_on(const std::string& host) const {
    return (requested_.empty() || requested_.contains(host)) && !excluded_.contains(host);
  }
  /// True if a node of this kind fits, whatever its name. None does for a job that must start in a
  /// reservation of others: the slots of such a one are never leased.
  bool fits(const SlurmNode& node) const {
    return unknown_.empty() && wants_.reservation.empty() && in_partition(node) &&
           cores_fit(node) && memory_fits(node) && devices_fit(node) &&
           slurm_features_fit(wants_.features, node.features).value_or(false);
  }

 private:
  void read(const std::string& list, std::set<std::string>& into) {
    if (list.empty()) return;
    const Result<std::vector<std::string>> nodes = expand_slurm_nodes(list);
    if (nodes) {
      into.insert(nodes->begin(), nodes->end());
    } else {
      unknown_ = "the hosts '" + list + "' that a waiting job names are not understood";
    }
  }

  /// A node for which Slurm prints no partitions may be in any.
  bool in_partition(const SlurmNode& node) const {
    return node.partitions.empty() ||
           std::any_of(node.partitions.begin(), node.partitions.end(),
                       [this](const std::string& one) { return lists_word(job_.partitions, one); });
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
      for (const SlurmDevice& has : node.devices) {
        if (has.name == want.name && (want.type.empty() || want.type == has.type)) {
          there += has.count;
        }
      }
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

void add_device(const SlurmDevice& device, std::string& key) {
  key += device.name + ":" + device.type + ":" + std::to_string(device.count) + "\n";
}

/// Jobs that want the same of a host have the same key.
std::string key_of(const SlurmJob& job, const SlurmWants& wants) {
  std::string key;
  const auto add = [&key](const std::string& word) { (key += word) += '\n'; };
  for (const std::string* word : {&job.partitions, &job.requested, &job.excluded, &wants.features,
                                  &wants.reservation, &wants.unknown}) {
    add(*word);
  }
  for (const int64_t count :
       {int64_t{job.cpus}, int64_t{job.cpus_together}, int64_t{job.nodes_wanted},
        wants.mem_mb_per_host, wants.mem_mb_per_cpu}) {
    add(std::to_string(count));
  }
  for (const SlurmDevice& device : wants.devices) add_device(device, key);
  return key;
}

/// Groups hosts with the same properties, so that each kind of job is compared with each kind of
/// host once. Jobs that fit the same kinds share a list of names: with one list a job, those of a
/// long queue filled the memory.
class HostKinds {
 public:
  struct Fitting {
    std::shared_ptr<const std::vector<std::string>> hosts;
    int32_t most_cores = 0;  // of one of them
  };

  explicit HostKinds(const SlurmSnapshot& snapshot) : snapshot_(snapshot) {
    std::unordered_map<std::string, size_t> known;
    for (const SlurmHost& host : snapshot.hosts) {
      const auto [kind, first] = known.try_emplace(kind_of(host.node), kinds_.size());
      if (first) kinds_.push_back(&host.node);
      of_host_.push_back(kind->second);
    }
  }

  const Fitting& hosts_for(const Asked& asked) {
    std::vector<bool> fit(kinds_.size());
    for (size_t i = 0; i < kinds_.size(); ++i) fit[i] = asked.fits(*kinds_[i]);
    Fitting& found = by_kinds_[{fit, asked.named()}];
    if (!found.hosts) found = fitting(fit, asked);
    return found;
  }

 private:
  static std::string kind_of(const SlurmNode& node) {
    std::string kind;
    for (const int64_t count : {int64_t{node.cores}, int64_t{node.threads}, node.mem_mb}) {
      (kind += std::to_string(count)) += '\n';
    }
    for (const std::vector<std::string>* words : {&node.partitions, &node.features}) {
      for (const std::string& word : *words) (kind += word) += ',';
      kind += '\n';
    }
    for (const SlurmDevice& device : node.devices) add_device(device, kind);
    return kind;
  }

  Fitting fitting(const std::vector<bool>& fit, const Asked& asked) const {
    Fitting found;
    std::vector<std::string> names;
    for (size_t i = 0; i < of_host_.size(); ++i) {
      const SlurmNode& node = snapshot_.hosts[i].node;
      if (!fit[of_host_[i]] || !asked.may_be_on(node.name)) continue;
      names.push_back(node.name);
      found.most_cores = std::max(found.most_cores, node.cores);
    }
    found.hosts = std::make_shared<const std::vector<std::string>>(std::move(names));
    return found;
  }

  const SlurmSnapshot& snapshot_;
  std::vector<const SlurmNode*> kinds_;  // one host of each
  std::vector<size_t> of_host_;          // by the host's index
  /// The hosts by the kinds that fit and the hosts that jobs name.
  std::map<std::pair<std::vector<bool>, std::string>, Fitting> by_kinds_;
};

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

int32_t least_threads(const SlurmSnapshot& snapshot) {
  int32_t threads = INT32_MAX;
  for (const SlurmHost& host : snapshot.hosts) threads = std::min(threads, host.node.threads);
  return threads;
}

SlurmVerdicts slurm_verdicts(const SlurmSnapshot& snapshot,
                             const std::unordered_map<std::string, SlurmWants>& wants) {
  SlurmVerdicts made;
  std::unordered_map<std::string, SlurmVerdict> known;  // by key_of()
  HostKinds kinds(snapshot);
  made.reserve(wants.size());
  const bool memory_is_given_out = gives_out_memory(snapshot.controller);
  const int32_t threads = least_threads(snapshot);
  for (const SlurmJob& job : snapshot.jobs) {
    if (job.phase != SlurmPhase::pending) continue;
    const auto wanted = wants.find(job.id);
    if (wanted == wants.end()) continue;
    SlurmVerdict& verdict = made[job.id];
    ++verdict.tasks;
    if (verdict.hosts) continue;
    SlurmVerdict& alike = known[key_of(job, wanted->second)];
    if (!alike.hosts) {
      const Asked asked(job, wanted->second, memory_is_given_out);
      const HostKinds::Fitting& fitting = kinds.hosts_for(asked);
      alike.hosts = fitting.hosts;
      alike.unknown = asked.unknown();
      alike.shape = slurm_shape(job, threads, fitting.most_cores);
    }
    verdict.hosts = alike.hosts;
    verdict.unknown = alike.unknown;
    verdict.shape = alike.shape;
    verdict.whole = snapshot.takes_whole_hosts(job);
  }
  return made;
}

void set_where_they_fit(const SlurmVerdicts& verdicts, std::vector<WorkUnit>& units) {
  const auto none = std::make_shared<const std::vector<std::string>>();
  for (WorkUnit& unit : units) {
    if (unit.running()) continue;
    const auto verdict = verdicts.find(unit.id);
    unit.fits = verdict == verdicts.end() ? none : verdict->second.hosts;
    if (verdict == verdicts.end()) continue;
    const SlurmShape& shape = verdict->second.shape;
    const int64_t cores = (int64_t{unit.slots} + shape.threads - 1) / shape.threads;
    unit.set_tasks(std::max(cores, int64_t{shape.per_host} * shape.hosts), verdict->second.tasks);
    unit.slots_per_host = shape.per_host;
    unit.hosts_wanted = shape.hosts;
    unit.whole_hosts = unit.whole_hosts || verdict->second.whole;
  }
}

}  // namespace leasehold::agent
