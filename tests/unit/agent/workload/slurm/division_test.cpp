// Whether hosts may be split, by what Slurm prints of its settings.
#include "agent/workload/slurm/division.hpp"

#include <catch2/catch.hpp>

using namespace leasehold;
using namespace leasehold::agent;

namespace {

using wire::Division;

std::string config(const std::string& lines) {
  return "Configuration data as of 2026-11-21T10:53:10\n"
         "BOOT_TIME               = 2026-11-21T10:00:00\n"
         "SLURM_VERSION           = 22.05.8\n"
         "SlurmUser               = root(0)\n"
         "SelectType              = select/cons_tres\n" +
         lines;
}

/// Returns what scontrol prints after the settings of slurm.conf if it has read cgroup.conf.
std::string cgroups(const std::string& constrain) {
  return "TaskPlugin              = task/cgroup\n"
         "\n"
         "Cgroup Support Configuration:\n"
         "ConstrainCores          = " +
         constrain + "\n";
}

SlurmNode node(const std::string& what = "Gres=(null)") {
  const auto nodes = parse_slurm_nodes(
      "NodeName=p1 Arch=x86_64 CoresPerSocket=8  CPUAlloc=0 CPUEfctv=8 CPUTot=8 " + what +
      " RealMemory=16000 Sockets=1 Boards=1 State=IDLE ThreadsPerCore=1 Partitions=batch,long  "
      "CfgTRES=cpu=8,mem=16000M\n");
  REQUIRE(nodes);
  return nodes->front();
}

std::string partition(const std::string& name, const std::string& rest) {
  return "PartitionName=" + name + " OverSubscribe=NO " + rest + "\n";
}

const std::string kPlain = "DefMemPerNode=UNLIMITED MaxMemPerNode=UNLIMITED";

SlurmSnapshot snapshot(const std::string& lines, const std::string& partitions = "") {
  SlurmSnapshot made;
  const auto controller = parse_slurm_config(config(lines));
  REQUIRE(controller);
  made.controller = *controller;
  const auto read =
      parse_slurm_partitions(partitions.empty() ? partition("batch", kPlain) : partitions);
  REQUIRE(read);
  made.partitions = *read;
  made.hosts.emplace_back().node = node();
  return made;
}

}  // namespace

TEST_CASE("cores that Slurm binds work to make a host indivisible") {
  struct Row {
    std::string lines;
    Division is;
  };
  const Row rows[] = {
      {"TaskPlugin              = task/none\n", Division::divisible},
      {"TaskPlugin              = (null)\n", Division::divisible},
      {"TaskPlugin              = task/affinity\n", Division::pinned_cores},
      {"TaskPlugin              = task/affinity,task/cgroup\n", Division::pinned_cores},
      {cgroups("yes"), Division::pinned_cores},
      {cgroups("no"), Division::divisible},
      // A controller that has not read cgroup.conf does not say.
      {"TaskPlugin              = task/cgroup\n", Division::pinned_cores},
  };
  for (const Row& row : rows) {
    CAPTURE(row.lines);
    CHECK(token(slurm_division(snapshot(row.lines), node())) == token(row.is));
  }
}

TEST_CASE("memory that Slurm gives out goes with the cores only where each has a share at most") {
  const std::string memory = "SelectTypeParameters    = CR_CORE_MEMORY\n";
  const std::string cluster = memory + "MaxMemPerCPU            = 2000\n";
  const auto of = [](const std::string& per_cpu) {
    return partition("batch", "DefMemPerNode=UNLIMITED " + per_cpu);
  };
  struct Row {
    std::string lines;
    std::string partitions;
    Division is;
  };
  const Row rows[] = {
      {memory, "", Division::memory},
      {"SelectTypeParameters    = CR_CORE\n", "", Division::divisible},
      {cluster, "", Division::divisible},
      {memory + "MaxMemPerCPU            = 2001\n", "", Division::memory},
      {memory, of("MaxMemPerCPU=2000"), Division::divisible},
      {cluster, of("MaxMemPerCPU=4000"), Division::memory},
      {cluster, of("MaxMemPerNode=16000"), Division::memory},
      // One partition of the host is enough, one that does not have it counts for nothing.
      {memory, of("MaxMemPerCPU=2000") + partition("long", kPlain), Division::memory},
      {memory, of("MaxMemPerCPU=2000") + partition("other", kPlain), Division::divisible},
  };
  for (const Row& row : rows) {
    CAPTURE(row.lines, row.partitions);
    CHECK(token(slurm_division(snapshot(row.lines, row.partitions), node())) == token(row.is));
  }
}

TEST_CASE("devices, and partitions and managers of whole nodes, make a host indivisible") {
  const std::string plain = "TaskPlugin              = task/none\n";
  CHECK(slurm_division(snapshot(plain), node("Gres=gpu:2")) == Division::devices);
  CHECK(slurm_division(snapshot(plain), node("Gres=(null)")) == Division::divisible);
  CHECK(slurm_division(snapshot(plain, "PartitionName=batch OverSubscribe=EXCLUSIVE\n"), node()) ==
        Division::whole_nodes);
  CHECK(slurm_division(snapshot(plain, "PartitionName=other OverSubscribe=EXCLUSIVE\n"), node()) ==
        Division::divisible);
  SlurmSnapshot linear = snapshot(plain);
  linear.controller.select = "select/linear";
  CHECK(slurm_division(linear, node()) == Division::whole_nodes);
}

TEST_CASE("the probe names the setting, what follows and what can be done") {
  CHECK(slurm_division_cautions(snapshot("TaskPlugin              = task/none\n")).empty());
  SlurmSnapshot pinned = snapshot("TaskPlugin              = task/affinity\n");
  pinned.hosts.push_back(pinned.hosts.front());
  const std::vector<std::string> said = slurm_division_cautions(pinned);
  REQUIRE(said.size() == 1);
  using Catch::Contains;
  CHECK_THAT(said.front(), Contains("p1 and 1 more are lent whole or not at all") &&
                               Contains("TaskPlugin=task/affinity") &&
                               Contains("export all slots") &&
                               Contains("[hosts] divisible = \"yes\""));
}

TEST_CASE("threads count only where Slurm gives them out") {
  const auto cores = [](const std::string& cpus, const std::string& threads) {
    const auto nodes = parse_slurm_nodes(
        "NodeName=p1 CoresPerSocket=8  CPUAlloc=0 CPUEfctv=" + cpus + " CPUTot=" + cpus +
        " RealMemory=16000 Sockets=1 "
        "Boards=1 State=IDLE ThreadsPerCore=" +
        threads + " CfgTRES=cpu=8,mem=16000M\n");
    REQUIRE(nodes);
    return std::pair(nodes->front().cores, nodes->front().threads);
  };
  CHECK(cores("16", "2") == std::pair(8, 2));
  CHECK(cores("8", "1") == std::pair(8, 1));
  // A node line with CPUs= as many as cores: read as 4 slots, and 8 of them used.
  CHECK(cores("8", "2") == std::pair(8, 1));
}
