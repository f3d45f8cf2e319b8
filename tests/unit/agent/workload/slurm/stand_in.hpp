// A stand-in for Slurm's programs that keeps state: nodes with cores, jobs, reservations, as far as
// fences depend on them. It picks cores as Slurm does: idle ones, those of completing jobs among
// them, and refuses a reservation of cores that are not idle.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/workload/support/call.hpp"

namespace leasehold::agent {

struct StandInJob {
  int id = 0;
  std::string state = "RUNNING";
  std::string node;
  std::set<int> cores;
  std::string reservation = {};
  std::string name = {};
};

struct StandInReservation {
  std::string node;
  std::set<int> cores;
  bool whole = false;
  std::string name;
  std::string state = "ACTIVE";
  std::string cores_by_node = {};  // as Slurm prints them from 24.11 on, with blanks around
};

class SlurmStandIn {
 public:
  explicit SlurmStandIn(std::map<std::string, int> nodes) : nodes_(std::move(nodes)) {}

  Caller caller() {
    return [this](const CallRequest& request) { return answer(request); };
  }

  std::vector<StandInJob> jobs;
  std::vector<StandInReservation> reservations;
  std::vector<std::string> called;             // what changed something
  std::string down;                            // a node
  std::map<std::string, std::string> drained;  // reasons, by node
  std::string asleep;                          // a node that power saving has switched off
  std::string asleep_as = "IDLE+CLOUD+POWERED_DOWN";
  std::string odd;                    // a node in a state that nobody knows
  std::vector<std::string> programs;  // all that was run
  CallRequest last;                   // of these
  /// Is called with each before it is answered.
  std::function<void(const std::string&)> on_call = [](const std::string&) {};
  void add(const std::string& node, int cores) { nodes_[node] = cores; }
  bool up = true;
  int boot = 10;  // second at which the controller started
  int now = 100;
  int fails = 0;  // so many calls that create fail
  std::string forms = "data_parser/v0.0.40\ndata_parser/v0.0.42\ndata_parser/v0.0.41\n";
  std::string plain_form = "data_parser/v0.0.42";
  std::string partitions = "PartitionName=batch OverSubscribe=NO State=UP\n";
  std::string no_answer;  // such a call is carried out, and its answer does not come in time
  std::string user = "root(0)";
  std::string version = "22.05.8";
  std::string account;                       // what the association manager says of our user
  std::string pending;                       // lines of squeue
  std::map<std::string, std::string> wants;  // what follows a job's number, kSlurmWantsFormat
  std::string select = "select/cons_tres";
  std::string settings;            // lines of its configuration besides
  std::set<std::string> excepted;  // from power saving
  bool refuses_exceptions = false;
  std::vector<std::string> asked;  // after `squeue --json`
  size_t json_bytes = 0;           // so long is what that prints, at least
  std::map<int, int> starts;       // seconds, by job; others have none
  int looks = 0;                   // lists of all jobs that were asked for
  int cores_asked = 0;             // questions for the cores of one job, and of all
  int all_cores_asked = 0;
  std::string forged;             // lines that a job's name makes among the answer about all
  std::set<std::string> cleared;  // beginnings of variables that were not passed on
  bool local = true;              // squeue was asked about this cluster alone

  /// Cores on which a job of so many may start now; empty: it waits.
  std::set<int> startable(const std::string& node, int count) const {
    std::set<int> free;
    for (int core = 0; core < nodes_.at(node); ++core) {
      if (!busy(node, core) && !reserved(node, core)) free.insert(core);
    }
    if (static_cast<int>(free.size()) < count || node == down || drained.contains(node)) return {};
    while (static_cast<int>(free.size()) > count) free.erase(std::prev(free.end()));
    return free;
  }
  /// Starts one if Slurm would.
  bool start(const std::string& node, int count) {
    const std::set<int> cores = startable(node, count);
    if (cores.empty()) return false;
    jobs.push_back({next_job_++, "RUNNING", node, cores});
    return true;
  }
  int open(const std::string& node) const {
    int cores = 0;
    for (int core = 0; core < nodes_.at(node); ++core) cores += !reserved(node, core);
    return cores;
  }

 private:
  bool busy(const std::string& node, int core) const {
    for (const StandInJob& job : jobs) {
      if (job.node == node && (job.state == "RUNNING" || job.state == "SUSPENDED") &&
          job.cores.contains(core)) {
        return true;
      }
    }
    return false;
  }
  bool reserved(const std::string& node, int core) const {
    for (const StandInReservation& one : reservations) {
      if (one.node == node && one.cores.contains(core) && one.state == "ACTIVE") return true;
    }
    return false;
  }

  static CallAnswer said(std::string text) { return {0, std::move(text), ""}; }
  static CallAnswer refused(std::string text) { return {1, "", std::move(text)}; }
  std::string time(int second) const {
    const std::string digits = std::to_string(1000 + second % 60).substr(2);
    return "2026-11-21T10:" + std::to_string(10 + second / 60) + ":" + digits;
  }

  Result<CallAnswer> answer(const CallRequest& request) {
    std::string line;
    for (const std::string& word : request.argv) {
      if (word != "--local") line += (line.empty() ? "" : " ") + word;
    }
    cleared.insert(request.cleared.begin(), request.cleared.end());
    local = local && (request.argv[0] != "squeue" || request.argv[1] == "--local");
    programs.push_back(line);
    last = request;
    on_call(line);
    if (line == "scontrol ping") {
      return up ? said("Slurmctld(primary) at vm is UP\n")
                : CallAnswer{1, "Slurmctld(primary) at vm is DOWN\n", ""};
    }
    if (!up) return refused("Unable to contact slurm controller (connect failure)\n");
    if (line == "scontrol show config") return said(config());
    if (line.find("show node") != line.npos) return said(nodes());
    if (line.find("show reservation") != line.npos) return said(shown());
    if (line.find("show partition") != line.npos) return said(partitions);
    if (line.find("show assoc_mgr") != line.npos) return said(account);
    if (line.rfind("squeue -a --json", 0) == 0) {
      CallAnswer printed = json(line.substr(16));
      if (json_bytes <= request.output_most) return printed;
      return fail(ErrorCode::io, "`" + line + "` prints too much");
    }
    if (line.rfind("squeue --json=list", 0) == 0) return json("=list");
    if (line.rfind("squeue -h -a --me ", 0) == 0) return said(held());
    if (line.rfind("squeue -h -a -r -t all -R ", 0) == 0) return said(users_of(request.argv[8]));
    if (line.rfind("squeue -h -a -r -t pending -O ", 0) == 0) return said(wanted());
    if (line.rfind("squeue -h -a -r -t running,", 0) == 0) return said(facts());
    if (line.find(" -O ") != line.npos) return end_of(request.argv[8]);
    if (line.rfind("squeue", 0) == 0) return ++looks, said(queue());
    if (line.rfind("scontrol -d -o show job ", 0) == 0) {
      return ++cores_asked, said(cores_of(request.argv.back()));
    }
    if (line == "scontrol -d -o show job") return ++all_cores_asked, said(cores_of_all());
    called.push_back(line);
    if (line.rfind("scontrol update SuspendExcNodes", 0) == 0) return except(request.argv.back());
    if (line.find("create reservation") != line.npos) return create(request.argv);
    if (line.rfind("salloc ", 0) == 0) return hold(request.argv);
    if (line.rfind("scontrol delete", 0) == 0) return remove(request.argv.back().substr(16));
    if (line.rfind("scontrol update nodename=", 0) == 0) return update(request.argv);
    CallAnswer done = to_job(line, request.argv);
    if (no_answer.empty() || line.rfind(no_answer, 0) != 0) return done;
    return fail(ErrorCode::io, "`" + line + "` did not end within 20000 ms");
  }

  std::string config() const {
    return "Configuration data as of " + time(now) + "\nBOOT_TIME = " + time(boot) +
           "\nPrivateData = none\nSelectType = " + select +
           "\nSelectTypeParameters = CR_CPU\n"
           "SlurmUser = " +
           user + "\nSLURM_VERSION = " + version + "\nSuspendExcNodes = " + excepted_text() + "\n" +
           settings;
  }
  std::string excepted_text() const {
    std::string text;
    for (const std::string& node : excepted) text += (text.empty() ? "" : ",") + node;
    return text.empty() ? "(null)" : text;
  }
  /// "SuspendExcNodes+=p1,p2"
  CallAnswer except(const std::string& word) {
    if (refuses_exceptions) return {1, "", "Access/permission denied\n"};
    std::istringstream names(word.substr(word.find('=') + 1));
    for (std::string name; std::getline(names, name, ',');) {
      if (word.find("+=") != word.npos) {
        excepted.insert(name);
      } else {
        excepted.erase(name);
      }
    }
    return said("");
  }
  std::string cores_of(const std::string& id) const {
    for (const StandInJob& job : jobs) {
      if (std::to_string(job.id) != id) continue;
      std::string ids;
      for (const int core : job.cores) ids += (ids.empty() ? "" : ",") + std::to_string(core);
      return "JobId=" + id + "   Nodes=" + job.node + " CPU_IDs=" + ids + " Mem=0 GRES=\n";
    }
    return "";
  }
  std::string cores_of_all() const {
    std::string text = forged;
    for (const StandInJob& job : jobs) text += cores_of(std::to_string(job.id));
    return text;
  }
  std::string nodes() const {
    std::string text;
    for (const auto& [name, cores] : nodes_) {
      int allocated = 0;
      for (int core = 0; core < cores; ++core) allocated += busy(name, core);
      text += "NodeName=" + name + " CPUAlloc=" + std::to_string(allocated) +
              " CPUTot=" + std::to_string(cores) + " RealMemory=16000 State=" + state_of(name) +
              " ThreadsPerCore=1 Partitions=batch CfgTRES=x" + reason_of(name) + "\n";
    }
    return text;
  }
  std::string reason_of(const std::string& node) const {
    const auto found = drained.find(node);
    return found == drained.end() ? " "
                                  : " Reason=" + found->second + " [root@2026-11-21T10:00:00]";
  }
  std::string state_of(const std::string& node) const {
    if (node == odd) return "IDLE+ENCHANTED";
    if (node == asleep) return asleep_as;
    return node == down ? "DOWN" : drained.contains(node) ? "IDLE+DRAIN" : "IDLE";
  }
  std::string shown() const {
    if (reservations.empty()) return "No reservations in the system\n";
    std::string text;
    for (const StandInReservation& one : reservations) {
      text += "ReservationName=" + one.name + " StartTime=" + time(20) + " EndTime=" + time(500) +
              " Nodes=" + one.node + " CoreCnt=" + std::to_string(one.cores.size()) +
              " Flags=OVERLAP" + (one.whole ? ",IGNORE_JOBS" : "") + one.cores_by_node +
              " State=" + one.state + "\n";
    }
    return text;
  }
  /// Answers as versions since 23.02 do; older ones take no argument.
  CallAnswer json(const std::string& form) {
    asked.push_back(form);
    if (form == "=list" && !forms.empty()) return said(forms);
    if (form == "=list") return refused("squeue: option '--json' doesn't allow an argument\n");
    if (!form.empty() && forms.find(form.substr(1)) == forms.npos) {
      return refused("squeue: error: unable to find plugin: data_parser/" + form.substr(1) + "\n");
    }
    const std::string name = form.empty() ? plain_form : "data_parser/" + form.substr(1);
    return said("{\"meta\": {\"plugin\": {\"data_parser\": \"" + name +
                "\"}}, \"errors\": [], \"jobs\": []}\n");
  }
  /// `squeue -h -a -r -t all -j ID -O …`
  CallAnswer end_of(const std::string& id) const {
    for (const StandInJob& job : jobs) {
      if (std::to_string(job.id) == id) return said(id + "|" + job.state + "|256|\n");
    }
    return refused("slurm_load_jobs error: Invalid job id specified\n");
  }
  std::string queue() const {
    std::string text = pending;
    for (const StandInJob& job : jobs) {
      text += std::to_string(job.id) + "|" + job.state + "|" + std::to_string(job.cores.size()) +
              "|batch|N/A|" + job.node + "||OK|1|UNLIMITED|N/A|" + began(job.id) + "|1||None\n";
    }
    return text;
  }

  /// Lists the jobs that wait: each wants nothing besides its cores, unless `wants` says otherwise.
  std::string wanted() const {
    std::string text;
    std::istringstream lines(queue());
    for (std::string line; std::getline(lines, line);) {
      if (line.find("|PENDING|") == line.npos) continue;
      const std::string id = line.substr(0, line.find('|'));
      const auto found = wants.find(id);
      const std::string nothing = "|0|cpu=1,node=1,billing=1|N/A|N/A|N/A|N/A|(null)|(null)|";
      text += id + (found == wants.end() ? nothing : found->second);
      text += "\n";
    }
    return text;
  }

  std::string began(int job) const {
    const auto found = starts.find(job);
    return found == starts.end() ? "N/A" : time(found->second);
  }
  std::string facts() const {
    std::string text;
    for (const StandInJob& job : jobs) {
      const std::string id = std::to_string(job.id);
      text += id + "|" + id + "|N/A|4294901759|" + (no_requeue.contains(job.id) ? "0" : "1") +
              "|1|OK|root|batch|(null)|N/A|" + began(job.id) + "|\n";
    }
    return text;
  }
  /// Jobs of the agent's own user, as it lists them: a test's own have no name.
  std::string held() const {
    std::string text;
    for (const StandInJob& job : jobs) {
      if (!job.name.empty() && (job.state == "RUNNING" || job.state == "COMPLETING")) {
        text += std::to_string(job.id) + "|" + std::to_string(job.cores.size()) + "|" + job.node +
                "|" + time(starts.at(job.id)) + "|" + job.state + "|" + job.name + "\n";
      }
    }
    return text;
  }
  CallAnswer hold(const std::vector<std::string>& argv) {
    if (!start(value(argv, "--nodelist"), std::stoi(value(argv, "--cpus-per-task")))) {
      return refused("salloc: error: Job submit/allocate failed: Requested nodes are busy\n");
    }
    jobs.back().name = value(argv, "--job-name");
    starts[jobs.back().id] = now;
    return said("");
  }
  std::string users_of(const std::string& reservation) const {
    std::string text;
    for (const StandInJob& job : jobs) {
      if (job.reservation == reservation) text += std::to_string(job.id) + "\n";
    }
    return text;
  }
  CallAnswer update(const std::vector<std::string>& argv) {
    const std::string node = value(argv, "nodename");
    if (value(argv, "state") == "drain") {
      drained[node] = value(argv, "reason");
    } else {
      drained.erase(node);
    }
    return said("");
  }

  static std::string value(const std::vector<std::string>& argv, const std::string& key) {
    for (const std::string& word : argv) {
      if (word.rfind(key + "=", 0) == 0) return word.substr(key.size() + 1);
    }
    return {};
  }
  CallAnswer create(const std::vector<std::string>& argv) {
    if (fails > 0) return --fails, refused("Slurm temporarily unable to accept requests\n");
    StandInReservation made{value(argv, "nodes"), {}, false, value(argv, "reservationname")};
    for (const StandInReservation& one : reservations) {
      if (one.name == made.name) return refused("Duplicate reservation name\n");
    }
    const std::string count = value(argv, "corecnt");
    made.whole = count.empty();
    for (int core = 0; core < nodes_.at(made.node); ++core) {
      if (made.whole ||
          (!busy(made.node, core) && static_cast<int>(made.cores.size()) < std::stoi(count))) {
        made.cores.insert(core);
      }
    }
    const bool good = made.whole || (made.node != down &&
                                     static_cast<int>(made.cores.size()) == std::stoi(count));
    if (!good) return refused("Error creating the reservation: Requested nodes are busy\n");
    reservations.push_back(made);
    return said("Reservation created: " + made.name + "\n");
  }
  CallAnswer remove(const std::string& name) {
    const size_t had = reservations.size();
    std::erase_if(reservations, [&](const StandInReservation& one) { return one.name == name; });
    return had == reservations.size() ? refused("Requested reservation is invalid\n") : said("");
  }
  CallAnswer to_job(const std::string& line, const std::vector<std::string>& argv) {
    const int id = std::stoi(argv[1] == "notify" ? argv[2] : argv.back());
    for (StandInJob& job : jobs) {
      if (job.id == id && job.state == "PENDING" && line.rfind("scontrol requeue", 0) == 0) {
        return refused("Job is pending execution for job " + std::to_string(id) + "\n");
      }
      if (job.id != id || job.state != "RUNNING") continue;
      if (line.rfind("scontrol requeue", 0) == 0 && no_requeue.contains(id)) {
        return refused("Requested operation is presently disabled for job\n");
      }
      if (line.find("--signal") == line.npos && line.find("notify") == line.npos) {
        job.state = "COMPLETING";
      }
      return said("");
    }
    return refused("Invalid job id specified\n");
  }

 public:
  std::set<int> no_requeue;

 private:
  std::map<std::string, int> nodes_;
  int next_job_ = 1;
};

}  // namespace leasehold::agent
