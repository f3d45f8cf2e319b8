#include "agent/workload/slurm/rights.hpp"

#include <unistd.h>

#include <algorithm>
#include <map>

#include "agent/workload/slurm/division.hpp"
#include "agent/workload/slurm/printed/words.hpp"
#include "common/log.hpp"

namespace leasehold::agent {

namespace {

/// True if "slurm(64030)" is this process's user, or if that is root.
bool is_privileged(const std::string& slurm_user) {
  const std::string number = "(" + std::to_string(::geteuid()) + ")";
  return ::geteuid() == 0 || slurm_user.find(number) != std::string::npos;
}

bool selects_cores(const SlurmController& controller) {
  const bool cores = controller.selects.find("CR_CPU") != std::string::npos ||
                     controller.selects.find("CR_CORE") != std::string::npos ||
                     controller.selects.find("CR_Core") != std::string::npos;
  return cores && controller.select != "select/linear";
}

void add_hidden(const SlurmController& controller, std::vector<std::string>& lacking) {
  for (const char* needed : {"jobs", "nodes", "reservations"}) {
    const auto& hidden = controller.private_data;
    if (std::find(hidden.begin(), hidden.end(), needed) != hidden.end()) {
      lacking.push_back(std::string("the agent cannot see ") + needed +
                        " of others: slurm.conf has PrivateData=" + needed +
                        "; run the agent as SlurmUser, " + controller.user + ", or as root");
    }
  }
}

std::string counted(const std::vector<std::string>& hosts) {
  const size_t others = hosts.size() - 1;
  return "host " + hosts.front() + (others == 0 ? "" : " and " + std::to_string(others) + " more");
}

std::string text_of(const SlurmReservation& ahead) {
  return "reservation " + ahead.name + " begins " + format_utc({ahead.start_s * 1'000}) +
         " and ends " + format_utc({ahead.end_s * 1'000}) +
         "; while it lasts nothing more of the host is lent";
}

/// Adds what slurm.conf says that may harm borrowed work.
void add_cautions_of(const SlurmController& controller, std::vector<std::string>& cautions) {
  for (const std::string& program : controller.host_programs) {
    cautions.push_back(
        program +
        " runs on lent hosts beside other clusters' jobs: if it ends processes of users without a "
        "job of this cluster, cleans /tmp or drains a host under load, it must spare what the "
        "other cluster's daemon started");
  }
  if (!controller.requeues) {
    cautions.push_back(
        "JobRequeue=0: a reclaim ends a job for good unless it was submitted with --requeue; right "
        "would be JobRequeue=1");
  }
}

}  // namespace

bool is_slurm_operator(std::string_view account, unsigned user) {
  const std::string number = "(" + std::to_string(user) + ")";
  for (size_t at = 0; at < account.size();) {
    const std::string_view line = take_line(account, at);
    const std::string_view name = value_of(line, "UserName");
    if (name.size() <= number.size() || name.substr(name.size() - number.size()) != number) {
      continue;
    }
    const std::string_view level = value_of(line, "AdminLevel");
    return level == "Operator" || level == "Administrator";
  }
  return false;
}

std::vector<std::string> slurm_rights_lacking(const SlurmSnapshot& snapshot, SlurmFence mode,
                                              const std::string& account) {
  std::vector<std::string> lacking;
  const SlurmController& controller = snapshot.controller;
  if (!is_privileged(controller.user) && !is_slurm_operator(account, ::geteuid())) {
    if (mode == SlurmFence::reservation) {
      lacking.push_back("the agent may not make reservations: only root, SlurmUser " +
                        controller.user +
                        " and operators may; run the agent as one of them (with slurmdbd: sacctmgr "
                        "modify user NAME set adminlevel=Operator), or set fence = \"hold-job\"");
    }
    lacking.push_back(
        "the agent may not signal or requeue jobs of other users, as only root, SlurmUser " +
        controller.user + " and operators may: nothing in use can be reclaimed");
    add_hidden(controller, lacking);
  }
  if (!selects_cores(controller)) {
    lacking.push_back("parts of a host cannot be fenced with SelectType=" + controller.select +
                      " and SelectTypeParameters=" + controller.selects +
                      "; right would be select/cons_tres with CR_CPU or CR_Core, or to lease whole "
                      "hosts only: all slots of each, type = \"exclusive\"");
  }
  for (const SlurmHost& host : snapshot.hosts) {
    if (!host.foreign.empty()) {
      lacking.push_back("host " + host.node.name + " is not leased while reservation " +
                        host.foreign + " is on it; remove it, or wait for its end");
    }
  }
  return lacking;
}

std::vector<std::string> slurm_cautions(const SlurmSnapshot& snapshot, SlurmFence mode,
                                        const std::vector<std::string>& leased_partitions) {
  std::vector<std::string> cautions = slurm_division_cautions(snapshot);
  for (const SlurmPartition& one : snapshot.partitions) {
    const auto& leased = leased_partitions;
    const bool named = std::find(leased.begin(), leased.end(), one.name) != leased.end();
    if (!one.whole_hosts || (!leased.empty() && !named)) continue;
    cautions.push_back(
        "partition " + one.name +
        " gives out whole hosts: while any slot of a host is fenced none of its jobs "
        "starts there; lease all slots of a host, as one: unit = \"host\" in the broker's "
        "[[export_policy]]");
  }
  std::map<std::string, std::vector<std::string>> reserved;  // hosts by what is said of them
  std::vector<std::string> partly;
  for (const SlurmHost& host : snapshot.hosts) {
    if (host.reserved > 0) partly.push_back(host.node.name);
    if (host.horizon && host.horizon->begins_later) {
      reserved[text_of(*host.horizon)].push_back(host.node.name);
    }
  }
  for (const auto& [text, hosts] : reserved) cautions.push_back(counted(hosts) + ": " + text);
  if (!partly.empty()) {
    cautions.push_back(counted(partly) +
                       ": some slots are reserved for others; they count as used");
  }
  add_cautions_of(snapshot.controller, cautions);
  if (mode == SlurmFence::hold_job) {
    cautions.push_back(
        "fence = \"hold-job\": limits of the agent's account and QOS count for hold jobs, and a "
        "core that comes free may be taken by another job first");
  }
  return cautions;
}

std::optional<wire::Horizon> slurm_horizon(const SlurmHost& host) {
  if (!host.horizon) return std::nullopt;
  const int64_t from_ms = host.horizon->start_s * 1'000;
  return wire::Horizon{host.horizon->name, from_ms, std::max(from_ms, host.horizon->end_s * 1'000)};
}

void log_slurm_reservations(const SlurmHost& host, std::set<std::string>& logged) {
  const std::string& name = host.node.name;
  if (!host.foreign.empty() && logged.insert(name + " " + host.foreign).second) {
    log_warn("foreign-reservation",
             {{"host", name},
              {"reservation", host.foreign},
              {"why", "the reservation is not of this agent"},
              {"then", "nothing more of the host is lent"},
              {"do", "nothing, or remove the reservation if it is not meant"}});
  }
  if (host.horizon && host.horizon->begins_later &&
      logged.insert(name + " " + host.horizon->name).second) {
    log_warn("reservation-ahead",
             {{"host", name},
              {"reservation", host.horizon->name},
              {"begins", format_utc({host.horizon->start_s * 1'000})},
              {"ends", format_utc({host.horizon->end_s * 1'000})},
              {"then", "no borrower starts work there that might not end before"}});
  }
}

}  // namespace leasehold::agent
