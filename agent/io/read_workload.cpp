// The [workload] table, one function a workload manager.
#include "agent/io/read_workload.hpp"

#include <filesystem>
#include <set>

#include "common/kept_file.hpp"

namespace leasehold::agent {

namespace {

constexpr int64_t kSlotsMax = 1'000'000;
constexpr int64_t kMebibytesMax = int64_t{1} << 40;

void read_resources(const ConfigTable& table, wire::HostFacts& host) {
  for (const Placed<std::string>& key : table.free_keys()) {
    if (table.kind(key.value) == ConfigKind::flag) {
      if (table.flag(key.value, false)) host.booleans.push_back(key.value);
    } else {
      host.numbers_milli.emplace_back(key.value, table.milli(key.value, 0));
    }
  }
}

wire::HostFacts read_host(const ConfigTable& table) {
  wire::HostFacts host;
  host.name = table.required_text("name", "the name of a host");
  host.type = table.text("type");
  host.model = table.text("model");
  host.slots = static_cast<int32_t>(table.integer("slots", 0, {0, kSlotsMax}));
  if (!table.has("slots")) table.error("slots", "the host has no slots; right would be slots = 8");
  host.mem_mb = table.integer("mem_mb", 0, {0, kMebibytesMax});
  host.swap_mb = table.integer("swap_mb", 0, {0, kMebibytesMax});
  host.up = table.flag("up", true);
  read_resources(table.table("resources"), host);
  return host;
}

int64_t read_hosts(const ConfigTable& table, std::vector<wire::HostFacts>& hosts) {
  std::set<std::string> names;
  int64_t slots = 0;
  for (const ConfigTable& row : table.tables("hosts")) {
    hosts.push_back(read_host(row));
    slots += hosts.back().slots;
    if (!names.insert(hosts.back().name).second)
      row.error("name", "host '" + hosts.back().name + "' is there twice; names must differ");
  }
  return slots;
}

void read_widths(const ConfigTable& table, GeneratorOptions& options) {
  const std::vector<int64_t> widths = table.integers("widths", {1, kSlotsMax});
  if (widths.empty()) return;
  options.width_min = static_cast<int32_t>(widths.front());
  options.width_max = static_cast<int32_t>(widths.back());
  if (widths.size() > 2 || widths.front() > widths.back())
    table.error("widths", "widths are the least and the most slots of a job, as in [1, 4]");
}

void read_generator(const ConfigTable& table, JobSourceSettings& jobs) {
  GeneratorOptions options;
  options.slots = jobs.slots;
  options.shape = table.choice(
      "generator", Shape::constant,
      {{"constant", Shape::constant}, {"wave", Shape::wave}, {"bursts", Shape::bursts}});
  options.busy_ppm = static_cast<int64_t>(table.decimal("busy", 0.6, 0.001, 1'000) * 1e6 + 0.5);
  options.period_ms = table.duration_ms("period", options.period_ms, {1, INT64_MAX});
  options.phase_ms = table.duration_ms("phase", 0);
  options.run_ms = table.duration_ms("run_time", options.run_ms, {2, INT64_MAX});
  options.seed = static_cast<uint64_t>(table.integer("seed", 1, {0, INT64_MAX}));
  read_widths(table, options);
  if (!table.has("generator")) return;
  if (const Status good = check(options); !good) table.error("generator", good.error().message);
  jobs.generator = options;
}

void read_simulated(const ConfigTable& table, const std::string& file,
                    SimulatedSettings& settings) {
  settings.state =
      read_kept_file(table, file, "the path of the file that keeps the simulated jobs");
  settings.jobs.slots = read_hosts(table, settings.hosts);
  if (settings.hosts.empty())
    table.error("hosts",
                "the cluster has no hosts; right would be "
                "hosts = [{ name = \"big1\", slots = 8 }]");
  settings.jobs.load = table.decimal("load", 1.0, 0.001, 1e6);
  settings.speed_milli =
      static_cast<int64_t>(table.decimal("speed", 1.0, 0.001, 1e6) * 1'000 + 0.5);
  settings.settle_ms = table.duration_ms("settle", 0, {0, 600'000});
  const std::string trace = table.text("trace");
  if (!trace.empty()) settings.jobs.trace = relative_to(file, trace);
  read_generator(table, settings.jobs);
  if (!trace.empty() && table.has("generator"))
    table.error("generator", "jobs come from a trace or from a generator; leave one of them out");
}

void read_slurm(const ConfigTable& table, const std::string& file, SlurmSettings& settings) {
  settings.conf = relative_to(file, table.text("conf", settings.conf));
  settings.bin_dir = table.text("bin_dir");
  settings.fence =
      table.choice("fence", SlurmFence::reservation,
                   {{"reservation", SlurmFence::reservation}, {"hold-job", SlurmFence::hold_job}});
}

void read_gridengine(const ConfigTable& table, GridEngineSettings& settings) {
  settings.root = table.required_text("root", "the folder that SGE_ROOT names");
  settings.cell = table.text("cell", settings.cell);
  settings.bin_dir = table.text("bin_dir");
  settings.queue = table.text("queue", settings.queue);
  settings.qmaster_port = table.integer("qmaster_port", 0, {0, 65'535});
  settings.execd_port = table.integer("execd_port", 0, {0, 65'535});
}

void read_lsf(const ConfigTable& table, LsfSettings& settings) {
  settings.env_dir = table.required_text("env_dir", "the folder of lsf.conf");
  settings.bin_dir = table.text("bin_dir");
  settings.settle_ms = table.duration_ms("settle", settings.settle_ms, {0, 600'000});
}

void read_command(const ConfigTable& table, CommandSettings& settings) {
  settings.argv = table.texts("argv");
  if (settings.argv.empty())
    table.error("argv",
                "no program is named; right would be argv = [\"/opt/site/leasehold-adapter\"]");
}

struct Known {
  const char* name;
  WorkloadKind kind;
};

constexpr Known kKnown[] = {{"simulated", WorkloadKind::simulated},
                            {"slurm", WorkloadKind::slurm},
                            {"gridengine", WorkloadKind::gridengine},
                            {"lsf", WorkloadKind::lsf},
                            {"command", WorkloadKind::command}};

void read_one(const ConfigTable& table, const std::string& file, WorkloadSettings& settings) {
  switch (settings.kind) {
    case WorkloadKind::simulated:
      return read_simulated(table, file, settings.simulated);
    case WorkloadKind::slurm:
      return read_slurm(table, file, settings.slurm);
    case WorkloadKind::gridengine:
      return read_gridengine(table, settings.gridengine);
    case WorkloadKind::lsf:
      return read_lsf(table, settings.lsf);
    case WorkloadKind::command:
      return read_command(table, settings.command);
  }
}

/// As `kill -l` names it, with or without SIG; what ends a process at once warns nobody.
std::string read_signal(const ConfigTable& table) {
  std::string name = table.text("interrupt_signal", "USR1");
  if (name.rfind("SIG", 0) == 0) name.erase(0, 3);
  for (const char* known : {"USR1", "USR2", "TERM", "INT", "HUP", "XCPU", "URG", "WINCH", "CONT"})
    if (name == known) return name;
  table.error("interrupt_signal", "'" + name + "' is no signal that a job could be warned by; " +
                                      "right would be \"USR1\", \"USR2\" or \"TERM\"");
  return "USR1";
}

}  // namespace

std::string read_kept_file(const ConfigTable& table, const std::string& file, const char* wanted) {
  const std::string path = table.required_text("state", wanted);
  if (const std::string fault = kept_name_fault(path); !fault.empty())
    table.error("state", "'state' " + fault);
  return relative_to(file, path);
}

void read_workload(const ConfigTable& table, const std::string& file, WorkloadSettings& settings) {
  const std::string manager = table.required_text(
      "manager", "the workload manager: simulated, slurm, gridengine, lsf or command");
  settings.adapter.interrupt_signal = read_signal(table);
  bool known = false;
  for (const Known& one : kKnown) {
    if (manager != one.name) continue;
    settings.kind = one.kind;
    known = true;
  }
  for (const Known& one : kKnown) {
    if (!table.has(one.name) || manager == one.name || !known) continue;
    table.warn(one.name, std::string("[workload.") + one.name + "] is not read: the manager is \"" +
                             manager + "\"");
  }
  if (known) return read_one(table.table(manager), file, settings);
  if (manager.empty() || table.kind("manager") != ConfigKind::text) return;
  table.error("manager", "'" + manager + "' is not known; right would be \"simulated\", " +
                             "\"slurm\", \"gridengine\", \"lsf\" or \"command\"");
}

}  // namespace leasehold::agent
