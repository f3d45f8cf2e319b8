#include "agent/workload/slurm/fence/power.hpp"

#include <algorithm>

#include "common/text/joined.hpp"

namespace leasehold::agent {

namespace {

/// An agent that holds cores with jobs may change nothing of the controller.
bool can_except(const SlurmController& controller, SlurmFence fence) {
  return fence == SlurmFence::reservation && controller.version >= "23.02";
}

/// Reads "p[1-3],q7". In "p[1-3]:2" it is unknown which two are meant, so none is excepted.
bool is_excepted(const SlurmPowerSaving& power, const SlurmNode& node) {
  const auto& parts = power.excepted_partitions;
  for (const std::string& partition : node.partitions) {
    if (std::find(parts.begin(), parts.end(), partition) != parts.end()) return true;
  }
  const Result<std::vector<std::string>> nodes = expand_slurm_nodes(power.excepted_nodes);
  return nodes && std::find(nodes->begin(), nodes->end(), node.name) != nodes->end();
}

std::string counted(const std::vector<std::string>& hosts) {
  const size_t others = hosts.size() - 1;
  if (others == 0) return "host " + hosts.front() + " is";
  return "host " + hosts.front() + " and " + std::to_string(others) + " more are";
}

constexpr const char* kRisk =
    "SuspendProgram may switch such a host off under another cluster's work, for Slurm sees slots "
    "that "
    "others use as idle";

}  // namespace

wire::NotUp slurm_not_up(const SlurmHost& host) {
  if (!host.foreign.empty() || !host.unknown.empty()) return wire::NotUp::unsaid;
  switch (host.node.use) {
    case SlurmNodeUse::asleep:
      return wire::NotUp::asleep;
    case SlurmNodeUse::waking:
      return wire::NotUp::waking;
    case SlurmNodeUse::not_now:
      return wire::NotUp::not_now;
    case SlurmNodeUse::starts:
    case SlurmNodeUse::never:
      break;
  }
  return wire::NotUp::unsaid;
}

bool slurm_saves_power(const SlurmSnapshot& snapshot, const SlurmNode& node) {
  const SlurmPowerSaving& power = snapshot.controller.power;
  if (!power.program) return false;
  const auto saves = [&node](const SlurmPartition& one) {
    const auto& names = node.partitions;
    return one.saves_power && std::find(names.begin(), names.end(), one.name) != names.end();
  };
  const auto& all = snapshot.partitions;
  const bool timed = power.timed || std::any_of(all.begin(), all.end(), saves);
  return timed && !is_excepted(power, node);
}

/// The names are stored before Slurm is asked to change anything.
Status SlurmPower::except(const std::set<std::string>& more) {
  if (more.empty()) return {};
  std::set<std::string> all = kept_.names();
  all.insert(more.begin(), more.end());
  if (Status kept = kept_.keep(std::move(all)); !kept) return kept;
  return client_.except_from_power_saving(joined(more, ","), true);
}

Status SlurmPower::no_longer(const std::set<std::string>& less) {
  if (less.empty()) return {};
  if (Status done = client_.except_from_power_saving(joined(less, ","), false); !done) return done;
  std::set<std::string> left = kept_.names();
  for (const std::string& host : less) left.erase(host);
  return kept_.keep(std::move(left));
}

Status SlurmPower::keep_on(const SlurmSnapshot& snapshot, SlurmFences& fences,
                           const SlurmOthers& others) {
  if (!can_except(snapshot.controller, settings_.fence)) return {};
  const Status done = except_leased(snapshot, fences, others);
  refused_ = !done;
  if (refused_ && settings_.power_risk != SlurmPowerRisk::accept) keep_closed(snapshot, fences);
  return done;
}

/// Keeps closed what is closed where the host could be switched off.
void SlurmPower::keep_closed(const SlurmSnapshot& snapshot, SlurmFences& fences) {
  const std::map<std::string, int32_t> wanted = fences.wanted();
  for (const auto& [name, cores] : wanted) {
    const SlurmHost* host = snapshot.find(name);
    if (host != nullptr && slurm_saves_power(snapshot, host->node)) {
      fences.want(name, std::max(cores, fences.claimed_cores(*host)));
    }
  }
}

Status SlurmPower::except_leased(const SlurmSnapshot& snapshot, const SlurmFences& fences,
                                 const SlurmOthers& others) {
  std::set<std::string> more;
  std::set<std::string> less = kept_.names();
  for (const SlurmHost& host : snapshot.hosts) {
    const std::string& name = host.node.name;
    const auto wanted = fences.wanted().find(name);
    const bool lent = wanted != fences.wanted().end() && wanted->second > 0;
    // This Slurm never knows what the owner of an imported host runs there, lent or not.
    if (!lent && !others.contains(name)) continue;
    less.erase(name);
    if (slurm_saves_power(snapshot, host.node)) more.insert(name);
  }
  if (Status done = except(more); !done) return done;
  return no_longer(less);
}

Status SlurmPower::leave() {
  return no_longer(kept_.names());
}

std::string SlurmPower::stays(const Status& why) const {
  const std::string names = joined(kept_.names(), ",");
  return "SuspendExcNodes still names " + names + " (" + describe(why.error()) +
         "): scontrol update SuspendExcNodes-=" + names;
}

/// Hold jobs keep a host of this cluster busy while others use its slots.
bool SlurmPower::holds_it_on(const SlurmSnapshot& snapshot, bool imported) const {
  return (can_except(snapshot.controller, settings_.fence) && !refused_) ||
         (!imported && settings_.fence == SlurmFence::hold_job);
}

bool SlurmPower::lendable(const SlurmSnapshot& snapshot, const SlurmNode& node,
                          bool imported) const {
  return settings_.power_risk == SlurmPowerRisk::accept || holds_it_on(snapshot, imported) ||
         !slurm_saves_power(snapshot, node);
}

void SlurmPower::add_to(std::vector<std::string>& cautions, const SlurmSnapshot& snapshot,
                        const SlurmOthers& others) const {
  std::vector<std::string> risky;
  std::vector<std::string> asleep;
  for (const SlurmHost& host : snapshot.hosts) {
    const std::string& name = host.node.name;
    if (host.node.use == SlurmNodeUse::asleep) asleep.push_back(name);
    if (!holds_it_on(snapshot, others.contains(name)) && slurm_saves_power(snapshot, host.node)) {
      risky.push_back(name);
    }
  }
  const bool accepted = settings_.power_risk == SlurmPowerRisk::accept;
  if (!risky.empty()) {
    cautions.push_back(
        counted(risky) + (accepted ? " lent although " : " not lent: ") + kRisk +
        "; right would be to name such a host in SuspendExcNodes, or its partition in "
        "SuspendExcParts, of slurm.conf, or fence = \"hold-job\" at its owner" +
        (accepted ? "" : "; power_risk = \"accept\" lends such hosts all the same"));
  }
  if (!asleep.empty()) {
    cautions.push_back(counted(asleep) +
                       " switched off by power saving: the agent has it switched on (scontrol "
                       "update state=power_up, which takes root, SlurmUser or an operator) when "
                       "work of another cluster waits for its slots");
  }
  if (settings_.fence == SlurmFence::hold_job && snapshot.controller.power.reboots) {
    cautions.push_back(
        "RebootProgram is set: `scontrol reboot` waits until no borrowed work and so no hold job "
        "is on the host. To end that work: leasectl close HOST@CLUSTER --reclaim --wait");
  }
  if (snapshot.controller.power.reboots && settings_.fence != SlurmFence::hold_job) {
    cautions.push_back(
        "RebootProgram is set: `scontrol reboot` restarts a host when no job of this cluster is "
        "there, whatever another cluster runs on its leased slots; before a reboot: "
        "leasectl close HOST@CLUSTER --wait (with --reclaim that work is ended after its grace)");
  }
}

}  // namespace leasehold::agent
