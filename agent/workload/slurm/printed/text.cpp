#include "agent/workload/slurm/printed/text.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "agent/workload/slurm/printed/words.hpp"
#include "common/text/trimmed.hpp"

namespace leasehold::agent {

namespace {

constexpr const char* kConfig = "scontrol show config";
constexpr const char* kNodes = "scontrol show node";
constexpr const char* kReservations = "scontrol show reservation";
constexpr const char* kPartitions = "scontrol show partition";

/// Returns the value of a line of the configuration: "BOOT_TIME               = 2026-…".
std::string_view config_value(std::string_view text, std::string_view key) {
  for (size_t at = 0; at < text.size();) {
    const std::string_view line = take_line(text, at);
    if (line.substr(0, key.size()) != key) continue;
    const size_t equals = line.find('=');
    if (equals == line.npos || trimmed(line.substr(0, equals)) != key) continue;
    return trimmed(line.substr(equals + 1));
  }
  return {};
}

/// Splits "a,b"; "(null)" and "none" are no words.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (size_t from = 0; from < text.size();) {
    const size_t comma = std::min(text.find(',', from), text.size());
    std::string word(text.substr(from, comma - from));
    if (!word.empty() && word != "none" && word != "(null)") words.push_back(std::move(word));
    from = comma + 1;
  }
  return words;
}

/// Returns how many CPUs of a core jobs are given. If a node line has as many CPUs as cores, no job
/// is given the other threads: there a core is one CPU.
int32_t threads_given(std::string_view line, int64_t total, int64_t threads) {
  const std::optional<int64_t> sockets = number(value_of(line, "Sockets"));
  const std::optional<int64_t> each = number(value_of(line, "CoresPerSocket"));
  const bool all = !sockets || !each || total >= *sockets * *each * threads;
  return static_cast<int32_t>(all ? threads : 1);
}

Result<SlurmNode> parse_node(std::string_view line) {
  SlurmNode node;
  node.name = std::string(value_of(line, "NodeName"));
  const std::optional<int64_t> total = number(value_of(line, "CPUTot"));
  const std::string_view effective_text = value_of(line, "CPUEfctv");
  const std::optional<int64_t> effective = effective_text.empty() ? total : number(effective_text);
  const std::optional<int64_t> threads = number(value_of(line, "ThreadsPerCore"));
  const std::optional<int64_t> allocated = number(value_of(line, "CPUAlloc"));
  const std::optional<int64_t> memory = number(value_of(line, "RealMemory"));
  const std::string_view state = value_of(line, "State");
  if (node.name.empty() || !total || !effective || !threads || *threads < 1 || !allocated ||
      !memory || state.empty() || line.find(" CfgTRES=") == line.npos) {
    return misread(kNodes, line, "NodeName, CPUAlloc, CPUTot, ThreadsPerCore, RealMemory, State");
  }
  node.threads = threads_given(line, *total, *threads);
  node.numbered = static_cast<int32_t>(*threads);
  node.cores = static_cast<int32_t>(*effective / node.threads);
  node.cpus_allocated = static_cast<int32_t>(*allocated);
  node.mem_mb = *memory;
  node.arch = std::string(value_of(line, "Arch"));
  node.features = words_of(value_of(line, "ActiveFeatures"));
  node.partitions = words_of(value_of(line, "Partitions"));
  if (const std::string_view gres = value_of(line, "Gres"); gres != "(null)") {
    node.devices = parse_slurm_devices(gres);
  }
  node.use = slurm_node_use(state, node.unknown);
  node.up = node.use == SlurmNodeUse::starts;
  node.drained = slurm_is_drained(state);
  if (const size_t at = line.find(" Reason="); at != line.npos) {
    node.reason = std::string(trimmed(line.substr(at + 8)));
  }
  return node;
}

/// Reads "NodeName=p1 CoreIDs=0-1   NodeName=p2 CoreIDs=4", which Slurm prints from 24.11 on for a
/// reservation of parts of its nodes; of others it returns nothing.
std::map<std::string, int32_t> cores_by_node(std::string_view line) {
  std::map<std::string, int32_t> cores;
  for (size_t at = line.find(" NodeName="); at != line.npos; at = line.find(" NodeName=", at + 1)) {
    const std::string_view rest = line.substr(at);
    const auto ids = ids_of(value_of(rest, "CoreIDs"));
    const auto nodes = expand_slurm_nodes(value_of(rest, "NodeName"));
    if (!ids || !nodes) return {};
    for (const std::string& node : *nodes) cores[node] += static_cast<int32_t>(ids->size());
  }
  return cores;
}

Result<SlurmReservation> parse_reservation(std::string_view line) {
  SlurmReservation made;
  made.name = std::string(value_of(line, "ReservationName"));
  const std::optional<int64_t> start = seconds_of(value_of(line, "StartTime"));
  const std::optional<int64_t> cores = number(value_of(line, "CoreCnt"));
  const std::string_view flags = value_of(line, "Flags");
  const std::string_view list = value_of(line, "Nodes");
  if (made.name.empty() || !start || !cores || list.empty() || line.find(" Flags=") == line.npos ||
      line.find(" State=") == line.npos) {
    return misread(kReservations, line, "ReservationName, StartTime, Nodes, CoreCnt, Flags, State");
  }
  if (list != "(null)") {
    Result<std::vector<std::string>> nodes = expand_slurm_nodes(list);
    if (!nodes) return tl::unexpected(nodes.error());
    made.nodes = *std::move(nodes);
  }
  const std::string_view state = value_of(line, "State");
  made.begins_later = state == "INACTIVE";
  if (state != "INACTIVE" && state != "ACTIVE") made.unknown = std::string(state);
  made.start_s = *start;
  made.end_s = seconds_of(value_of(line, "EndTime")).value_or(0);
  made.cores = static_cast<int32_t>(*cores);
  made.cores_on = cores_by_node(line);
  made.whole = ("," + std::string(flags) + ",").find(",IGNORE_JOBS,") != std::string::npos;
  return made;
}

bool is_set(std::string_view value) {
  return !value.empty() && value != "(null)";
}

/// True for "300 sec"; words, as "INFINITE", are no end.
bool has_end(std::string_view time) {
  return !time.empty() && time.front() >= '0' && time.front() <= '9';
}

SlurmPowerSaving power_saving(std::string_view text) {
  SlurmPowerSaving power;
  power.program = is_set(config_value(text, "SuspendProgram"));
  power.timed = has_end(config_value(text, "SuspendTime"));
  power.reboots = is_set(config_value(text, "RebootProgram"));
  power.excepted_partitions = words_of(config_value(text, "SuspendExcParts"));
  const std::string_view nodes = config_value(text, "SuspendExcNodes");
  if (is_set(nodes)) power.excepted_nodes = std::string(nodes);
  return power;
}

std::vector<std::string> host_programs(std::string_view text) {
  std::vector<std::string> programs;
  for (const char* key : {"Prolog", "Epilog", "HealthCheckProgram"}) {
    const std::string_view value = config_value(text, key);
    if (is_set(value)) programs.push_back(std::string(key) + "=" + std::string(value));
  }
  return programs;
}

}  // namespace

Result<SlurmController> parse_slurm_config(std::string_view text) {
  constexpr std::string_view kAsOf = "Configuration data as of ";
  SlurmController controller;
  controller.boot = std::string(config_value(text, "BOOT_TIME"));
  controller.version = std::string(config_value(text, "SLURM_VERSION"));
  controller.user = std::string(config_value(text, "SlurmUser"));
  controller.select = std::string(config_value(text, "SelectType"));
  controller.selects = std::string(config_value(text, "SelectTypeParameters"));
  controller.preempt_mode = std::string(config_value(text, "PreemptMode"));
  controller.task_plugin = std::string(config_value(text, "TaskPlugin"));
  controller.constrain_cores = std::string(config_value(text, "ConstrainCores"));
  controller.memory_per_cpu_mb = number(config_value(text, "MaxMemPerCPU")).value_or(0);
  const std::string_view hidden = config_value(text, "PrivateData");
  const std::optional<int64_t> boot = seconds_of(controller.boot);
  size_t at = 0;
  const std::string_view first = take_line(text, at);
  const std::optional<int64_t> now = first.substr(0, kAsOf.size()) == kAsOf
                                         ? seconds_of(first.substr(kAsOf.size()))
                                         : std::nullopt;
  if (!boot || !now || controller.version.empty() || controller.user.empty()) {
    return misread(kConfig, first,
                   "the time as of which it is, BOOT_TIME, SlurmUser, SLURM_VERSION");
  }
  controller.boot_s = *boot;
  controller.now_s = *now;
  controller.private_data = words_of(hidden);
  controller.power = power_saving(text);
  controller.requeues = config_value(text, "JobRequeue") != "0";
  controller.host_programs = host_programs(text);
  return controller;
}

Result<std::vector<SlurmNode>> parse_slurm_nodes(std::string_view text) {
  if (Status whole = ends_whole(kNodes, text); !whole) return tl::unexpected(whole.error());
  std::vector<SlurmNode> nodes;
  std::set<std::string_view> names;
  for (size_t at = 0; at < text.size();) {
    const std::string_view line = take_line(text, at);
    if (line.empty()) continue;
    Result<SlurmNode> node = parse_node(line);
    if (!node) return tl::unexpected(node.error());
    if (!names.insert(value_of(line, "NodeName")).second) {
      return misread(kNodes, line, "each node once");
    }
    nodes.push_back(*std::move(node));
  }
  if (nodes.empty()) return misread(kNodes, text.substr(0, 80), "at least one node");
  return nodes;
}

Result<std::vector<SlurmReservation>> parse_slurm_reservations(std::string_view text) {
  if (Status whole = ends_whole(kReservations, text); !whole) return tl::unexpected(whole.error());
  std::vector<SlurmReservation> made;
  if (trimmed(text) == "No reservations in the system") return made;
  for (size_t at = 0; at < text.size();) {
    const std::string_view line = take_line(text, at);
    if (line.empty()) continue;
    Result<SlurmReservation> one = parse_reservation(line);
    if (!one) return tl::unexpected(one.error());
    made.push_back(*std::move(one));
  }
  if (made.empty()) return misread(kReservations, text, "reservations, or that there are none");
  return made;
}

/// 26.05 says Exclusive=NODE where older ones say OverSubscribe=EXCLUSIVE.
Result<std::vector<SlurmPartition>> parse_slurm_partitions(std::string_view text) {
  std::vector<SlurmPartition> partitions;
  if (trimmed(text) == "No partitions in the system") return partitions;
  if (Status whole = ends_whole(kPartitions, text); !whole) return tl::unexpected(whole.error());
  for (size_t at = 0; at < text.size();) {
    const std::string_view line = take_line(text, at);
    if (line.empty()) continue;
    const std::string_view name = value_of(line, "PartitionName");
    const std::string_view shares = value_of(line, "OverSubscribe");
    if (name.empty() || shares.empty()) {
      return misread(kPartitions, line, "PartitionName and OverSubscribe");
    }
    const bool whole = shares == "EXCLUSIVE" || value_of(line, "Exclusive") == "NODE";
    const std::string_view per_node = value_of(line, "MaxMemPerNode");
    const bool saves_power =
        has_end(value_of(line, "SuspendTime")) || value_of(line, "PowerDownOnIdle") == "YES";
    partitions.push_back({std::string(name), whole, number(value_of(line, "MaxMemPerCPU")),
                          !per_node.empty() && per_node != "UNLIMITED", saves_power});
  }
  return partitions;
}

std::vector<SlurmShare> parse_slurm_shares(std::string_view text,
                                           const std::vector<std::string>& nodes, int32_t cpus,
                                           int32_t numbered) {
  constexpr std::string_view kNodesKey = " Nodes=";
  constexpr std::string_view kIdsKey = " CPU_IDs=";
  std::vector<SlurmShare> shares;
  int64_t sum = 0;
  for (size_t at = text.find(kNodesKey); at != text.npos; at = text.find(kNodesKey, at + 1)) {
    const size_t list_at = at + kNodesKey.size();
    const size_t list_end = std::min(text.find_first_of(" \n", list_at), text.size());
    if (text.substr(list_end, kIdsKey.size()) != kIdsKey) continue;
    const size_t ids_at = list_end + kIdsKey.size();
    const size_t ids_end = std::min(text.find_first_of(" \n", ids_at), text.size());
    const auto expanded = expand_slurm_nodes(text.substr(list_at, list_end - list_at));
    const auto ids = ids_of(text.substr(ids_at, ids_end - ids_at));
    // A job's name may look like this, so more nodes than the job has are refused.
    if (!expanded || !ids || shares.size() + expanded->size() > nodes.size()) return {};
    for (const std::string& node : *expanded) {
      shares.push_back({node, *ids});
      sum += static_cast<int64_t>(ids->size());
    }
  }
  std::set<std::string> named;
  for (const SlurmShare& share : shares) named.insert(share.node);
  const bool agrees = sum == int64_t{cpus} * numbered && shares.size() == named.size() &&
                      named == std::set<std::string>(nodes.begin(), nodes.end());
  return agrees ? shares : std::vector<SlurmShare>{};
}

SlurmJobLines parse_slurm_job_lines(std::string_view text) {
  constexpr std::string_view kJobKey = "JobId=";
  SlurmJobLines lines;
  for (size_t at = 0; at < text.size();) {
    const std::string_view line = take_line(text, at);
    if (!line.starts_with(kJobKey)) continue;
    const bool tells = line.find(" CPU_IDs=") != line.npos;
    const size_t end = std::min(line.find(' '), line.size());
    const auto [place, first] =
        lines.try_emplace(std::string(line.substr(kJobKey.size(), end - kJobKey.size())),
                          tells ? line : std::string_view());
    if (!first) place->second.clear();
  }
  return lines;
}

bool slurm_is_up(std::string_view ping) {
  for (size_t at = 0; at < ping.size();) {
    const std::string_view line = take_line(ping, at);
    if (line.substr(0, 10) == "Slurmctld(" && line.size() > 6 &&
        line.substr(line.size() - 6) == " is UP") {
      return true;
    }
  }
  return false;
}

}  // namespace leasehold::agent
