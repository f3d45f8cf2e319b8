#include "agent/workload/gridengine/printed/text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>

#include "agent/workload/gridengine/printed/xml.hpp"
#include "common/text/lower_case.hpp"

namespace leasehold::agent {

namespace {

// These letters are listed in qstat(1).
constexpr std::string_view kRunningStates = "rtdsSTRh";
constexpr std::string_view kWaitingStates = "qwhRETtd";
constexpr std::string_view kInstanceStates = "auAsSdDCEcoP";

bool known(std::string_view state, std::string_view letters) {
  return state.find_first_not_of(letters) == std::string_view::npos;
}

bool digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string state_of(const pugi::xml_node& job, std::string_view letters, XmlFaults& faults) {
  std::string state = job.child("state").child_value();
  if (state.empty() || !known(state, letters)) {
    faults.unknown(std::string("job ") + job.child("JB_job_number").child_value() +
                   " is in the unknown state '" + state + "'");
  }
  return state;
}

std::string job_number(const pugi::xml_node& job, XmlFaults& faults) {
  std::string id = job.child("JB_job_number").child_value();
  if (!digits(id)) faults.add("a job's number is '" + id + "'");
  return id;
}

std::string_view request(const pugi::xml_node& job, const char* name) {
  return job.find_child_by_attribute("hard_request", "name", name).child_value();
}

/// Reads a boolean resource as Grid Engine does.
bool is_yes(std::string_view value) {
  const std::string lower = lower_case(value);
  return lower == "true" || lower == "t" || lower == "1" || lower == "yes" || lower == "y";
}

std::vector<std::string> flags_of(const pugi::xml_node& job) {
  std::vector<std::string> flags;
  for (const pugi::xml_node& asked : job.children("hard_request")) {
    if (is_yes(asked.child_value())) flags.emplace_back(asked.attribute("name").value());
  }
  return flags;
}

GridEngineJob read_job(const pugi::xml_node& node, XmlFaults& faults) {
  GridEngineJob job;
  job.id = job_number(node, faults);
  const std::string_view task = node.child("tasks").child_value();
  if (!task.empty()) {
    if (!digits(task)) faults.add("job " + job.id + " runs as task '" + std::string(task) + "'");
    job.id += "." + std::string(task);
  }
  job.state = state_of(node, kRunningStates, faults);
  job.slots = static_cast<int32_t>(xml_number(node, "slots", faults));
  job.started = xml_time(node.child("JAT_start_time").child_value(), faults);
  job.limit_s = gridengine_seconds(request(node, "h_rt"));
  job.flags = flags_of(node);
  return job;
}

void read_instance_name(std::string_view text, GridEngineInstance& instance, XmlFaults& faults) {
  const size_t at = text.find('@');
  if (at == std::string_view::npos || at == 0 || at + 1 == text.size()) {
    return faults.add("'" + std::string(text) + "' is no queue@host");
  }
  instance.queue = text.substr(0, at);
  instance.host = text.substr(at + 1);
}

GridEngineInstance read_instance(const pugi::xml_node& node, XmlFaults& faults) {
  GridEngineInstance instance;
  read_instance_name(node.child("name").child_value(), instance, faults);
  instance.used = static_cast<int32_t>(xml_number(node, "slots_used", faults));
  instance.reserved = static_cast<int32_t>(xml_number(node, "slots_resv", faults));
  instance.total = static_cast<int32_t>(xml_number(node, "slots_total", faults));
  const std::string_view state = node.child("state").child_value();
  if (!known(state, kInstanceStates)) {
    faults.unknown(instance.queue + "@" + instance.host + " is in the unknown state '" +
                   std::string(state) + "'");
  }
  instance.up = state.empty();
  const size_t understood = faults.unknown().size();
  for (const pugi::xml_node& job : node.children("job_list")) {
    instance.jobs.push_back(read_job(job, faults));
  }
  instance.up = instance.up && faults.unknown().size() == understood;
  return instance;
}

/// Returns the number of tasks of "1-4:1,7,9-13:2".
int64_t tasks_in(std::string_view text, XmlFaults& faults) {
  const std::string_view whole = text;
  int64_t count = 0;
  while (!text.empty()) {
    const std::string_view range = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), range.size() + 1));
    int64_t first = 0;
    int64_t last = 0;
    int64_t step = 1;
    const char* const end = range.data() + range.size();
    auto at = std::from_chars(range.data(), end, first);
    last = first;
    if (at.ec == std::errc() && at.ptr != end && *at.ptr == '-') {
      at = std::from_chars(at.ptr + 1, end, last);
    }
    if (at.ec == std::errc() && at.ptr != end && *at.ptr == ':') {
      at = std::from_chars(at.ptr + 1, end, step);
    }
    if (at.ec != std::errc() || at.ptr != end || first < 1 || last < first || step < 1) {
      faults.add("'" + std::string(whole) + "' is not a list of tasks");
      return 0;
    }
    count += (last - first) / step + 1;
  }
  return count;
}

/// Returns the requests, without those that are read separately, and those that cannot be in a list
/// of requests.
std::vector<std::pair<std::string, std::string>> requests_of(const pugi::xml_node& job) {
  std::vector<std::pair<std::string, std::string>> requests;
  for (const pugi::xml_node& asked : job.children("hard_request")) {
    const std::string name = asked.attribute("name").value();
    const std::string value = asked.child_value();
    const bool read = name == "hostname" || name == "arch" || name == "h_rt" || name == "s_rt";
    const bool plain = !name.empty() && !value.empty() &&
                       (name + value).find_first_of(", \t\n=") == std::string::npos;
    if (!read && plain) requests.emplace_back(name, value);
  }
  std::sort(requests.begin(), requests.end());
  return requests;
}

GridEnginePending read_pending(const pugi::xml_node& node, XmlFaults& faults) {
  GridEnginePending job;
  job.id = job_number(node, faults);
  const std::string state = state_of(node, kWaitingStates, faults);
  job.startable = !state.empty() && known(state, kWaitingStates) &&
                  state.find_first_of("hEd") == std::string::npos;
  const pugi::xml_node tasks = node.child("tasks");
  job.tasks = tasks ? std::max<int64_t>(1, tasks_in(tasks.child_value(), faults)) : 1;
  job.slots = xml_number(node, "slots", faults) * job.tasks;
  for (const pugi::xml_node& queue : node.children("hard_req_queue")) {
    add_names(queue.child_value(), job.queues);
  }
  add_names(request(node, "hostname"), job.hosts);
  add_names(request(node, "arch"), job.archs);
  job.limit_s = gridengine_seconds(request(node, "h_rt"));
  job.flags = flags_of(node);
  job.requests = requests_of(node);
  job.environment = node.child("requested_pe").attribute("name").value();
  const pugi::xml_node submitted = node.child("JB_submission_time");
  if (submitted) job.submitted = xml_time(submitted.child_value(), faults);
  job.owner = node.child_value("JB_owner");
  job.project = node.child_value("JB_project");
  return job;
}

}  // namespace

int32_t GridEngineInstance::held() const {
  int32_t by_jobs = 0;
  for (const GridEngineJob& job : jobs) by_jobs += job.slots;
  const int32_t busy = std::max(used, by_jobs);
  return std::max(busy, std::min(total, busy + reserved));
}

Result<GridEngineLook> parse_qstat(const std::string& text) {
  XmlDocument document;
  if (const Status good = open_xml(text, "qstat", "job_info", document); !good) {
    return tl::unexpected(good.error());
  }
  GridEngineLook look;
  XmlFaults faults;
  const pugi::xml_node queues = document.root.child("queue_info");
  const pugi::xml_node waiting = document.root.child("job_info");
  if (!queues || !waiting) faults.add("<job_info> lacks <queue_info> or <job_info>");
  for (const pugi::xml_node& node : queues.children()) {
    if (std::strcmp(node.name(), "Queue-List") == 0) {
      look.instances.push_back(read_instance(node, faults));
    } else if (std::strcmp(node.name(), "job_list") == 0) {
      faults.add("<job_list> is where a queue should be");
    } else {
      faults.unknown(std::string("<") + node.name() + "> is where a queue should be");
    }
  }
  for (const pugi::xml_node& node : waiting.children()) {
    if (std::strcmp(node.name(), "job_list") == 0) {
      look.pending.push_back(read_pending(node, faults));
    } else {
      faults.unknown(std::string("<") + node.name() + "> is where a job should be");
    }
  }
  if (faults.any()) return xml_refused("what qstat printed is not understood: " + faults.first());
  look.unknown = faults.unknown();
  return look;
}

bool matches(std::string_view pattern, std::string_view name) {
  const auto fits = [](char wanted, char is) {
    const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
    return wanted == '?' || lower(wanted) == lower(is);
  };
  size_t at = 0;
  size_t in = 0;
  size_t star = pattern.npos;  // the last one passed: only it may stand for more, or users could
  size_t resumed = 0;          // keep the agent busy with a name of many stars
  while (in < name.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      resumed = in;
    } else if (at < pattern.size() && fits(pattern[at], name[in])) {
      ++at;
      ++in;
    } else if (star != pattern.npos) {
      at = star + 1;
      in = ++resumed;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == pattern.npos;
}

}  // namespace leasehold::agent
