// SlurmSnapshot is one look at a Slurm cluster, with the jobs counted by host. A slot is a core,
// with however many threads. A host holds what runs, is suspended or set up there; work that has
// ended and may still have processes is counted apart. fence/fences.hpp makes the decisions.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/workload/slurm/look/client.hpp"

namespace leasehold::agent {

struct SlurmHost {
  SlurmNode node;
  /// Slots that its jobs hold. They are added up; if jobs take turns on the same cores, and the
  /// host is fenced or the sum is more than it has, the cores are counted instead.
  int32_t holds = 0;
  bool jobs_take_turns = false;  // as PreemptMode=SUSPEND has it, or `scontrol suspend`
  int32_t completing = 0;  // slots of jobs that have ended, counted though another job has the core
  int32_t ended_peak = 0;  // the widest job that ended since the look before the last
  std::vector<SlurmFenceFound> fences;  // ours
  std::string foreign;  // the reservation of somebody else that has the host now, if there is one
  /// Slots that reservations of others have now, if those have only a part of the host.
  int32_t reserved = 0;
  int32_t in_reserved = 0;  // of jobs that use those reservations
  /// The first one of somebody else that has the whole host, or will have some of it.
  std::optional<SlurmReservation> horizon;
  std::string unknown;  // what is said of it and not understood, a sentence

  int32_t slots_of(int32_t cpus) const { return (cpus + node.threads - 1) / node.threads; }
  std::set<int32_t> cores_of(const SlurmShare& share) const;
  int64_t next_number() const;  // above those of fences that stand
};

struct SlurmSnapshot {
  /// The controller is as it was at the end of the look. `now_s` alone is at or before the
  /// beginning of the look, and so no later than anything that the look found: ages come out too
  /// low, and an ended job is reported twice rather than never.
  SlurmController controller;
  SlurmWantsByJob wants;  // where they were asked for
  std::vector<SlurmHost> hosts;
  std::unordered_map<std::string, size_t> places;  // in `hosts`, by name
  std::vector<SlurmJob> jobs;
  std::vector<SlurmPartition> partitions;
  std::vector<std::string> parts_reserved;  // names of reservations that have parts of hosts
  /// Sentences about jobs and reservations on hosts that are not listed; Slurm does not list a
  /// cloud host that is switched off.
  std::vector<std::string> unlisted;

  bool takes_whole_hosts(const SlurmJob& job) const;
  bool jobs_take_turns() const;
  SlurmHost* find(const std::string& name);
  /// Works as find(), and adds a host that is not listed to `unlisted`.
  SlurmHost* find(const std::string& name, const std::string& what);
  const SlurmHost* find(const std::string& name) const;
};

}  // namespace leasehold::agent
