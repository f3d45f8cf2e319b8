// SlurmPower keeps leased hosts switched on. Slurm's own power saving takes a host whose slots
// another cluster uses for idle, as a reservation keeps no host on, and would switch it off under
// that work. From 23.02 on Slurm excepts hosts from it while it runs: SlurmPower excepts those with
// leased slots, and ends the exception afterwards. Before 23.02 only slurm.conf, or jobs that hold
// the fenced cores, can do that.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "agent/workload/slurm/fence/fences.hpp"
#include "agent/workload/slurm/fence/kept_names.hpp"
#include "agent/workload/slurm/fence/others.hpp"
#include "common/wire/not_up.hpp"

namespace leasehold::agent {

class SlurmPower {
 public:
  SlurmPower(const SlurmClient& client, const SlurmSettings& settings, KeptNames kept)
      : client_(client), settings_(settings), kept_(std::move(kept)) {}

  /// Before any slot opens, excepts the hosts that Slurm may switch off and that have leased slots
  /// or are imported; all other exceptions end. If Slurm refuses, no slot opens on a host that it
  /// may switch off, unless the risk is accepted.
  Status keep_on(const SlurmSnapshot& snapshot, SlurmFences& fences, const SlurmOthers& others);
  /// False if work of another cluster there could be switched off, and nobody has accepted that.
  bool lendable(const SlurmSnapshot& snapshot, const SlurmNode& node, bool imported) const;
  void add_to(std::vector<std::string>& cautions, const SlurmSnapshot& snapshot,
              const SlurmOthers& others) const;
  /// Ends the exceptions that this agent made.
  Status leave();
  /// Returns a sentence about the hosts that leave() left excepted, with the command that takes
  /// them back.
  std::string stays(const Status& why) const;

 private:
  Status except_leased(const SlurmSnapshot& snapshot, const SlurmFences& fences,
                       const SlurmOthers& others);
  static void keep_closed(const SlurmSnapshot& snapshot, SlurmFences& fences);
  Status except(const std::set<std::string>& more);
  Status no_longer(const std::set<std::string>& less);
  bool holds_it_on(const SlurmSnapshot& snapshot, bool imported) const;

  const SlurmClient& client_;
  SlurmSettings settings_;
  KeptNames kept_;
  bool refused_ = false;  // Slurm did not take the last change
};

/// Returns why the host is not up, for its owner's agent to report; `unsaid` if a reservation or an
/// unknown state closes it, too.
wire::NotUp slurm_not_up(const SlurmHost& host);

/// True if Slurm may switch the host off while no job of this cluster is there.
bool slurm_saves_power(const SlurmSnapshot& snapshot, const SlurmNode& node);

}  // namespace leasehold::agent
