#include "agent/workload/slurm/fence/others.hpp"

#include <algorithm>

#include "common/log.hpp"

namespace leasehold::agent {

Status SlurmOthers::learn(const SlurmSnapshot& snapshot, const CapJournal& journal, bool started) {
  std::vector<HostSeen> seen;
  for (const SlurmHost& host : snapshot.hosts) {
    seen.push_back({host.node.name, host.node.drained ? 0 : host.node.cores,
                    host.holds + host.completing > 0, !host.fences.empty()});
  }
  if (Status kept = owners_.learn(seen, journal); !kept) return kept;
  return started ? Status{} : owners_.refused();
}

void SlurmOthers::close(const SlurmSnapshot& snapshot, SlurmFences& fences) const {
  for (const SlurmHost& host : snapshot.hosts) {
    if (contains(host.node.name) && !fences.wants(host.node.name)) {
      fences.want(host.node.name, host.node.cores);
    }
  }
}

void SlurmOthers::resume(const SlurmSnapshot& snapshot, const SlurmFences& fences,
                         UnknownWords& unknown) {
  for (const SlurmHost& host : snapshot.hosts) {
    const std::string& name = host.node.name;
    if (!contains(name)) continue;
    const bool waits = host.node.drained && host.node.reason.starts_with(kWaitsForFence);
    if (!host.node.drained) drained_otherwise_.erase(name);
    if (host.node.drained && !waits) drained_otherwise_.insert(name);
    if (!waits || drained_otherwise_.contains(name) || !fences.holds(host)) continue;
    const Status up = client_.resume(name);
    if (!up) unknown.see("host " + name + " stays drained: " + up.error().message);
    if (up) log_info("host-resumed", {{"host", name}});
  }
}

Status SlurmOthers::leave_drained(const SlurmHost& host) const {
  if (Status drained = client_.drain(host.node.name); !drained) return drained;
  for (const SlurmFenceFound& fence : host.fences) {
    if (Status gone = is_hold_job(fence) ? client_.cancel(fence.name) : client_.unfence(fence.name);
        !gone) {
      return gone;
    }
  }
  return {};
}

Result<std::vector<std::string>> SlurmOthers::leave(const SlurmSnapshot& snapshot) const {
  std::vector<std::string> stays;
  for (const SlurmHost& host : snapshot.hosts) {
    const std::string& name = host.node.name;
    if (host.fences.empty()) continue;
    if (contains(name) && owners_.slots_before(name) == 0) {
      if (Status left = leave_drained(host); !left) return tl::unexpected(left.error());
      continue;
    }
    for (const SlurmFenceFound& fence : host.fences) {
      const bool job = is_hold_job(fence);
      stays.push_back((job ? "job " : "reservation ") + fence.name + " stays on host " + name +
                      ", or this cluster's jobs would start on another cluster's host; take the "
                      "node out of slurm.conf or drain it, then: " +
                      (job ? "scancel " : "scontrol delete reservationname=") + fence.name);
    }
  }
  return stays;
}

void SlurmOthers::add_to(std::vector<std::string>& cautions, const SlurmSnapshot& snapshot,
                         const std::vector<std::string>& partitions) const {
  for (const SlurmHost& host : snapshot.hosts) {
    const std::vector<std::string>& in = host.node.partitions;
    const bool any = std::any_of(in.begin(), in.end(), [&partitions](const std::string& one) {
      return partitions.empty() ||
             std::find(partitions.begin(), partitions.end(), one) != partitions.end();
    });
    if (any || !contains(host.node.name)) continue;
    cautions.push_back("no job can start on the borrowed host " + host.node.name +
                       ": it is in no " +
                       (partitions.empty() ? "partition of slurm.conf; add it to one"
                                           : "partition that [hosts] leased_partitions names; add "
                                             "it to one of these"));
  }
}

Status SlurmOthers::check_map(const SlurmSnapshot& snapshot, const std::string& conf) const {
  for (const auto& [whose, name] : owners_.names().map) {
    if (snapshot.find(name) == nullptr) {
      return fail(ErrorCode::usage, "[hosts] map names " + name +
                                        ", which is no node of this Slurm cluster; add it to " +
                                        conf + " or take it out of the map");
    }
  }
  return {};
}

}  // namespace leasehold::agent
