#include "agent/workload/slurm_rights.hpp"

#include <unistd.h>

#include <algorithm>

namespace leasehold::agent {

namespace {

/// "slurm(64030)" is this process's user, or it is root.
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
    if (std::find(hidden.begin(), hidden.end(), needed) != hidden.end())
      lacking.push_back(std::string("it cannot see ") + needed +
                        " of others: slurm.conf has PrivateData=" + needed +
                        "; run the agent as SlurmUser, " + controller.user + ", or as root");
  }
}

}  // namespace

std::vector<std::string> slurm_rights_lacking(const SlurmScene& scene, SlurmFence mode) {
  std::vector<std::string> lacking;
  const SlurmController& controller = scene.controller;
  if (!is_privileged(controller.user)) {
    if (mode == SlurmFence::reservation)
      lacking.push_back("it may not make reservations: only root and SlurmUser, " +
                        controller.user +
                        ", may; run the agent as one of them, or set fence = "
                        "\"hold-job\"");
    lacking.push_back(
        "it may not signal or requeue jobs of other users, as only root and SlurmUser " +
        controller.user + " may: nothing in use can be reclaimed");
    add_hidden(controller, lacking);
  }
  if (!selects_cores(controller))
    lacking.push_back("parts of a host cannot be fenced with SelectType=" + controller.select +
                      " and SelectTypeParameters=" + controller.selects +
                      "; right would be select/cons_tres with CR_CPU or CR_Core");
  for (const SlurmHost& host : scene.hosts)
    if (!host.foreign.empty())
      lacking.push_back("host " + host.node.name + " is not leased while reservation " +
                        host.foreign + " stands on it");
  return lacking;
}

}  // namespace leasehold::agent
