// PlayedCell: a Grid Engine cell for tests of the adapter: it keeps slots and jobs and answers the
// programs' arguments with text of the form that the real ones print (tests/data/gridengine). It
// starts no jobs. Not a proof of what Grid Engine does: tests/integration/gridengine_test.py.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/workload/support/call.hpp"

namespace leasehold::agent::test {

struct PlayedJob {
  std::string id;
  std::string host;
  int slots = 1;
  std::string state = "r";
  bool rerun = true;
  bool notify = false;
  std::string more = {};  // <hard_request>s
};

struct PlayedReservation {
  std::string id;
  std::string name;
  std::string begins;
  std::string ends;
  std::map<std::string, int> slots;  // by queue instance
};

class PlayedCell {
 public:
  std::map<std::string, int> entries;  // [host=n]
  std::vector<std::string> hosts;
  int usual = 8;
  std::map<std::string, std::string> states;  // of hosts
  std::map<std::string, int> reserved;        // in force
  std::vector<PlayedReservation> reservations;
  std::vector<PlayedJob> jobs;
  std::vector<PlayedJob> requeued;
  std::string pending;   // <job_list>s
  std::string later;     // likewise, of those whose begin has not come
  std::string extended;  // likewise, with projects
  std::string quotas;    // <qquota_rule>s
  std::string resources = "slots s INT <= YES YES 1 1000\n";
  std::string queue_resources = "NONE";                   // its complex_values
  std::map<std::string, std::string> environments_there;  // allocation rules; {}: not known
  std::vector<std::string> asked;                         // which of them
  std::map<std::string, std::string> hosts_with;          // one host, by the list of requests
  std::vector<std::string> reservations_asked;            // "qrstat -ar …"
  std::vector<std::string> facts_asked;                   // "qstat -u * -j …"
  std::vector<std::string> calls;  // "qconf -mattr …", what changes something
  std::vector<std::vector<std::pair<std::string, std::string>>> environments;
  std::function<std::optional<CallAnswer>(const std::string&)> before;  // may answer instead
  bool dead = false;

  int slots_of(const std::string& host) const {
    const auto found = entries.find(host);
    return found == entries.end() ? usual : found->second;
  }

  Caller caller() {
    return [this](const CallRequest& request) { return answer(request); };
  }

 private:
  static std::string join(const std::vector<std::string>& argv) {
    std::string text = argv[0].substr(argv[0].rfind('/') + 1);
    for (size_t i = 1; i < argv.size(); ++i) text += " " + argv[i];
    return text;
  }

  Result<CallAnswer> answer(const CallRequest& request) {
    const std::string command = join(request.argv);
    environments.push_back(request.environment);
    if (dead) return CallAnswer{1, "", "error: commlib error: got select error"};
    if (before) {
      if (const auto other = before(command)) return *other;
    }
    if (command == "qstat -f -r -s a -u * -xml") return CallAnswer{0, qstat(), ""};
    if (command.rfind("qrstat ", 0) == 0) {
      reservations_asked.push_back(command);
      return CallAnswer{0, reservations_text(request.argv[1] == "-ar"), ""};
    }
    if (command == "qstat -s ha -u * -xml") return CallAnswer{0, jobs_alone(later), ""};
    if (command == "qquota -l slots -u * -xml") return CallAnswer{0, quotas_text(), ""};
    if (command == "qstat -ext -s p -u * -xml") return CallAnswer{0, jobs_alone(extended), ""};
    if (command.rfind("qconf -sp ", 0) == 0) {
      asked.push_back(command);
      const auto rule = environments_there.find(command.substr(10));
      if (rule == environments_there.end()) {
        return CallAnswer{1, "", "is not a parallel environment"};
      }
      return CallAnswer{0, "pe_name " + rule->first + "\nallocation_rule " + rule->second + "\n",
                        ""};
    }
    if (command.rfind("qstat -u * -j ", 0) == 0) {
      facts_asked.push_back(command);
      return CallAnswer{0, details(), ""};
    }
    if (command.rfind("qselect -q all.q -l ", 0) == 0) {
      asked.push_back(command);
      const auto found = hosts_with.find(command.substr(20));
      if (found == hosts_with.end()) return CallAnswer{1, "", ""};
      return CallAnswer{0, "all.q@" + found->second + "\n", ""};
    }
    if (command == "qhost -F -xml") return CallAnswer{0, loads(), ""};
    if (command == "qhost -xml") return CallAnswer{0, qhost(), ""};
    if (command == "qconf -sq all.q") return CallAnswer{0, queue(), ""};
    if (command == "qconf -sc") return CallAnswer{0, resources, ""};
    if (command == "qconf -sm") return CallAnswer{0, "nobody_in_particular\n", ""};
    if (command == "qconf -sh") return CallAnswer{0, "master\n", ""};
    if (command == "gethostname -aname") return CallAnswer{0, "agenthost\n", ""};
    calls.push_back(command);
    return change(request.argv);
  }

  std::string reservations_text(bool with_slots) const {
    std::string text = "<?xml version='1.0'?>\n<qrstat xmlns:xsd=\"http://arc.liv.ac.uk/x\">\n";
    for (const PlayedReservation& one : reservations) {
      text += "<ar_summary><id>" + one.id + "</id><name>" + one.name +
              "</name><state>w</state><start_time>" + one.begins + "</start_time><end_time>" +
              one.ends + "</end_time><granted_slots_list>";
      for (const auto& [instance, slots] : one.slots) {
        if (!with_slots) continue;
        text += "<granted_slots queue_instance=\"" + instance + "\" slots=\"" +
                std::to_string(slots) + "\"/>";
      }
      text += "</granted_slots_list></ar_summary>\n";
    }
    return text + "</qrstat>\n";
  }

  CallAnswer change(const std::vector<std::string>& argv) {
    const std::string program = argv[0].substr(argv[0].rfind('/') + 1);
    if (argv[1] == "-mattr") return set_slots(argv[4]);
    if (argv[1] == "-purge") {
      entries.erase(argv[4].substr(argv[4].find('@') + 1));
      return {0, "root@master modified \"all.q\" in cluster queue list\n", ""};
    }
    const std::string id = argv.back();
    for (size_t i = 0; i < jobs.size(); ++i) {
      if (jobs[i].id != id && program != "qalter") continue;
      if (argv[1] == "-sj") jobs[i].state = "s";
      if (argv[1] == "-usj") jobs[i].state = "r";
      if (program == "qdel") jobs[i].state = "dr";
      if (argv[1] == "-rj") {
        if (!jobs[i].rerun) return {0, "The job " + id + " is not restartable\n", ""};
        requeued.push_back(jobs[i]);
        std::erase_if(jobs, [&id](const PlayedJob& job) { return job.id == id; });
        pending += "<job_list state=\"pending\"><JB_job_number>" + id +
                   "</JB_job_number><state>Rq</state><slots>" +
                   std::to_string(requeued.back().slots) + "</slots></job_list>\n";
        return {0, "Pushed rescheduling of job " + id + " on host x\n", ""};
      }
      return {0, "done\n", ""};
    }
    return {1, "invalid queue or job \"" + id + "\"\n", ""};
  }

  /// The real one counts those that overlap.
  int reserved_on(const std::string& host) const {
    const auto found = reserved.find(host);
    int most = found == reserved.end() ? 0 : found->second;
    for (const PlayedReservation& one : reservations) {
      const auto slots = one.slots.find("all.q@" + host);
      if (slots != one.slots.end()) most = std::max(most, slots->second);
    }
    return most;
  }

  CallAnswer set_slots(std::string list) {
    while (!list.empty()) {
      const std::string one = list.substr(1, list.find(']') - 1);
      list.erase(0, list.find(']') + 1);
      if (!list.empty()) list.erase(0, 1);
      const std::string host = one.substr(0, one.find('='));
      const int slots = std::stoi(one.substr(one.find('=') + 1));
      if (const int held = reserved_on(host); slots < held) {
        return {1, "",
                "denied: " + std::to_string(held) + " slots are already reserved in all.q@" + host +
                    " by an advance reservation\n"};
      }
      entries[host] = slots;
    }
    return {0, "root@master modified \"all.q\" in cluster queue list\n", ""};
  }

  std::string qstat() const {
    std::string text =
        "<?xml version='1.0'?>\n<job_info xmlns:xsd=\"http://arc.liv.ac.uk/repos/darcs/sge/"
        "source/dist/util/resources/schemas/qstat/qstat.xsd\">\n<queue_info>\n";
    for (const std::string& host : hosts) {
      std::string rows;
      int used = 0;
      for (const PlayedJob& job : jobs) {
        if (job.host != host) continue;
        used += job.slots;
        const size_t dot = job.id.find('.');
        rows += "<job_list state=\"running\"><JB_job_number>" + job.id.substr(0, dot) +
                "</JB_job_number><state>" + job.state +
                "</state><JAT_start_time>2026-11-21T11:00:00</JAT_start_time><slots>" +
                std::to_string(job.slots) + "</slots>";
        if (dot != std::string::npos) rows += "<tasks>" + job.id.substr(dot + 1) + "</tasks>";
        rows += job.more + "</job_list>\n";
      }
      const auto held = reserved.find(host);
      text += "<Queue-List><name>all.q@" + host + "</name><slots_used>" + std::to_string(used) +
              "</slots_used><slots_resv>" +
              std::to_string(held == reserved.end() ? 0 : held->second) +
              "</slots_resv><slots_total>" + std::to_string(slots_of(host)) + "</slots_total>";
      if (const auto state = states.find(host); state != states.end()) {
        text += "<state>" + state->second + "</state>";
      }
      text += rows + "</Queue-List>\n";
    }
    return text + "</queue_info>\n<job_info>" + pending + "</job_info>\n</job_info>\n";
  }

  static std::string jobs_alone(const std::string& jobs) {
    return "<job_info "
           "xmlns:xsd=\"http://arc.liv.ac.uk/repos/darcs/sge/x\"><queue_info/><job_info>" +
           jobs + "</job_info></job_info>";
  }

  std::string quotas_text() const {
    return "<qquota_result xmlns=\"http://arc.liv.ac.uk/repos/darcs/sge/x\">" + quotas +
           "</qquota_result>";
  }

  std::string details() const {
    std::string text =
        "<detailed_job_info xmlns:xsd=\"http://arc.liv.ac.uk/repos/darcs/sge/x\"><djob_info>";
    std::vector<PlayedJob> all = jobs;
    all.insert(all.end(), requeued.begin(), requeued.end());
    for (const PlayedJob& job : all) {
      text += "<element><JB_job_number>" + job.id.substr(0, job.id.find('.')) +
              "</JB_job_number><JB_owner>ann</JB_owner><JB_project>prj</"
              "JB_project><JB_submission_time>1795258491"
              "</JB_submission_time><JB_priority>1024</JB_priority><JB_notify>" +
              (job.notify ? "true" : "false") + "</JB_notify><JB_restart>" +
              (job.rerun ? "1" : "2") + "</JB_restart></element>";
    }
    return text + "</djob_info></detailed_job_info>";
  }

  std::string qhost() const {
    std::string text = "<qhost xmlns:xsd=\"http://arc.liv.ac.uk/repos/darcs/sge/x\">";
    for (const std::string& host : hosts) {
      text += "<host name='" + host +
              "'><hostvalue name='arch_string'>lx-amd64</hostvalue><hostvalue name='mem_total'>"
              "4.0G</hostvalue><hostvalue name='swap_total'>512.0M</hostvalue></host>";
    }
    return text + "</qhost>";
  }

  static std::string loads() {
    const auto value = [](const std::string& name, const std::string& dominance) {
      return "<resourcevalue name='" + name + "' dominance='" + dominance + "'>1G</resourcevalue>";
    };
    return "<qhost xmlns:xsd=\"http://arc.liv.ac.uk/repos/darcs/sge/x\"><host name='big1'>" +
           value("mem_free", "hl") + value("mem_total", "hl") + value("gpu", "hc") +
           "</host></qhost>";
  }

  std::string queue() const {
    std::string slots = std::to_string(usual);
    for (const auto& [host, number] : entries) {
      slots += ",[" + host + "=" + std::to_string(number) + "]";
    }
    std::string names;
    for (const auto& [name, rule] : environments_there) names += " " + name;
    if (!names.empty()) names = "pe_list              " + names + "\n";
    return "qname                 all.q\nrerun                 TRUE\nslots                 " +
           slots + "\nnotify                00:00:10\ncomplex_values        " + queue_resources +
           "\n" + names;
  }
};

}  // namespace leasehold::agent::test
