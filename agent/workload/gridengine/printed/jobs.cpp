// Reads from `qstat -j` whom jobs are for, and what happens to them when they are ended.
#include <charconv>
#include <cstring>
#include <pugixml.hpp>

#include "agent/workload/gridengine/printed/text.hpp"

namespace leasehold::agent {

namespace {

/// Larger times are in milliseconds, as Univa's versions print them.
constexpr int64_t kSecondsMost = 100'000'000'000;
constexpr int64_t kUsualPriority = 1024;  // the stored value of qsub -p 0
constexpr std::string_view kOurs = "LEASEHOLD_ENDS";

tl::unexpected<Error> refused(const std::string& what) {
  return fail(ErrorCode::io, "what qstat -j printed is not understood: " + what +
                                 "; this agent is tested with Grid Engine 8.1");
}

bool number(const pugi::xml_node& of, const char* name, int64_t& value) {
  const std::string_view text = of.child_value(name);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

/// Returns the context as `qstat -j` prints it for people, "rank=20,note=x", without what the agent
/// wrote there.
std::string context_of(const pugi::xml_node& job) {
  std::string text;
  for (const pugi::xml_node& entry : job.child("JB_context").children()) {
    const std::string_view name = entry.child_value("VA_variable");
    const std::string_view value = entry.child_value("VA_value");
    if (name.substr(0, kOurs.size()) == kOurs) continue;
    text += (text.empty() ? "" : ",") + std::string(name);
    if (!value.empty()) text += "=" + std::string(value);
  }
  return text;
}

Result<GridEngineFacts> facts_of(const pugi::xml_node& job) {
  GridEngineFacts facts;
  int64_t submitted_s = 0;
  int64_t restart = 0;
  const std::string notify = job.child_value("JB_notify");
  facts.number = job.child_value("JB_job_number");
  facts.owner = job.child_value("JB_owner");
  if (facts.number.empty() || facts.owner.empty() ||
      !number(job, "JB_submission_time", submitted_s)) {
    return refused("job '" + facts.number + "' lacks its number, owner or time of submission");
  }
  // Missing or unknown values mean qsub's own priority, no notice, and restartable as the queue
  // says.
  if (!number(job, "JB_priority", facts.priority)) facts.priority = kUsualPriority;
  if (!number(job, "JB_restart", restart) || restart < 0 || restart > 2) restart = 0;
  facts.submitted = {submitted_s > kSecondsMost ? submitted_s : submitted_s * 1000};
  facts.priority -= kUsualPriority;
  facts.notice = notify == "true" || notify == "1";
  if (restart != 0) facts.restartable = restart == 1;
  facts.project = job.child_value("JB_project");
  facts.context = context_of(job);
  return facts;
}

}  // namespace

Result<std::vector<GridEngineFacts>> parse_job_facts(const std::string& text) {
  pugi::xml_document document;
  if (!document.load_buffer(text.data(), text.size())) {
    return refused("the XML is incomplete or invalid");
  }
  std::vector<GridEngineFacts> all;
  const pugi::xml_node root = document.first_child();
  if (std::strcmp(root.name(), "unknown_jobs") == 0) return all;
  const pugi::xml_node jobs = root.child("djob_info");
  if (std::strcmp(root.name(), "detailed_job_info") != 0 || !jobs) {
    return refused(std::string("its root is <") + root.name() + ">");
  }
  for (const pugi::xml_node& job : jobs.children()) {
    Result<GridEngineFacts> facts = facts_of(job);
    if (!facts) return tl::unexpected(facts.error());
    all.push_back(std::move(*facts));
  }
  return all;
}

}  // namespace leasehold::agent
