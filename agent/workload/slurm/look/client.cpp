#include "agent/workload/slurm/look/client.hpp"

#include <algorithm>
#include <utility>

#include "agent/workload/slurm/printed/forms.hpp"
#include "agent/workload/slurm/printed/words.hpp"
#include "agent/workload/support/user_name.hpp"
#include "common/text/trimmed.hpp"

namespace leasehold::agent {

namespace {

constexpr std::string_view kPrefix = "leasehold-";
constexpr size_t kJsonMost = size_t{256} << 20;  // some 8,000 bytes a job
constexpr size_t kListMost = size_t{512} << 20;  // some 130 bytes a job, a task of an array too

std::string name_of(const std::string& host, int64_t number) {
  return std::string(kPrefix) + host + "-" + std::to_string(number);
}

bool says(const CallAnswer& answer, const char* text) {
  return answer.errors.find(text) != std::string::npos ||
         answer.output.find(text) != std::string::npos;
}

CallRequest config_question(const SlurmReach& reach) {
  return reach.request({"scontrol", "show", "config"});
}

/// True if the job is gone, ends already or is queued again: then nothing is left to do.
bool is_over(const CallAnswer& answer) {
  return says(answer, "Invalid job id") || says(answer, "Job is pending execution") ||
         says(answer, "already completing or completed") || says(answer, "Job/step already");
}

}  // namespace

SlurmFenceFound read_fence_name(const std::string& name) {
  SlurmFenceFound found;
  found.name = name;
  const size_t dash = name.rfind('-');
  if (name.rfind(kPrefix, 0) != 0 || dash <= kPrefix.size() || name.size() > dash + 18) {
    return found;
  }
  const std::optional<int64_t> number_read = number(std::string_view(name).substr(dash + 1));
  if (!number_read || name.back() > '9') return found;
  found.host = name.substr(kPrefix.size(), dash - kPrefix.size());
  found.number = *number_read;
  return found;
}

Result<SlurmController> SlurmClient::controller() const {
  const auto text = reach_.output(config_question(reach_));
  if (!text) return tl::unexpected(text.error());
  return parse_slurm_config(*text);
}

Result<SlurmInventory> SlurmClient::inventory() const {
  const std::vector<CallRequest> asked{
      reach_.request({"scontrol", "--local", "-a", "-o", "show", "node"}),
      reach_.request({"scontrol", "--local", "-o", "show", "reservation"}),
      reach_.request({"scontrol", "--local", "-a", "-o", "show", "partition"})};
  const auto texts = reach_.outputs(asked);
  if (!texts) return tl::unexpected(texts.error());
  auto nodes = parse_slurm_nodes((*texts)[0]);
  if (!nodes) return tl::unexpected(nodes.error());
  auto reservations = parse_slurm_reservations((*texts)[1]);
  if (!reservations) return tl::unexpected(reservations.error());
  auto partitions = parse_slurm_partitions((*texts)[2]);
  if (!partitions) return tl::unexpected(partitions.error());
  return SlurmInventory{*std::move(nodes), *std::move(reservations), *std::move(partitions)};
}

Result<std::string> SlurmClient::account_of(const std::string& user) const {
  const Result<CallAnswer> answer = reach_.call(
      reach_.request({"scontrol", "-o", "show", "assoc_mgr", "flags=users", "users=" + user}));
  if (!answer) return tl::unexpected(answer.error());
  return answer->exit_status == 0 ? answer->output : std::string();
}

Result<std::string> SlurmClient::own_account() const {
  return account_of(user_name());
}

Result<std::vector<SlurmJob>> SlurmClient::jobs() const {
  CallRequest asked =
      reach_.request({"squeue", "--local", "-h", "-a", "-r", "-t", "all", "-o", kSlurmJobFormat});
  asked.output_most = kListMost;
  const auto text = reach_.output(asked);
  if (!text) return tl::unexpected(text.error());
  return parse_slurm_jobs(*text);
}

Result<std::pair<SlurmController, SlurmWantsByJob>> SlurmClient::controller_and_wants() const {
  std::vector<CallRequest> asked{config_question(reach_),
                                 reach_.request({"squeue", "--local", "-h", "-a", "-r", "-t",
                                                 "pending", "-O", kSlurmWantsFormat})};
  asked[1].output_most = kListMost;
  const auto texts = reach_.outputs(asked);
  if (!texts) return tl::unexpected(texts.error());
  auto controller = parse_slurm_config((*texts)[0]);
  if (!controller) return tl::unexpected(controller.error());
  auto wants = parse_slurm_wants((*texts)[1]);
  if (!wants) return tl::unexpected(wants.error());
  return std::pair(*std::move(controller), *std::move(wants));
}

Result<std::string> SlurmClient::running_facts() const {
  return reach_.output(
      reach_.request({"squeue", "--local", "-h", "-a", "-r", "-t",
                      "running,suspended,configuring,completing", "-O", kSlurmFactsFormat}));
}

Result<JobEnd> SlurmClient::end_of(const std::string& id) const {
  const CallRequest asked = reach_.request(
      {"squeue", "--local", "-h", "-a", "-r", "-t", "all", "-j", id, "-O", kSlurmEndFormat});
  const Result<CallAnswer> answer = reach_.call(asked);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->exit_status == 0) return parse_slurm_end(answer->output, id);
  if (says(*answer, "Invalid job id")) return JobEnd{};
  return tl::unexpected(call_error(asked, *answer));
}

/// Only jobs of our own user count: other users could give a job such a name.
Result<std::vector<SlurmFenceFound>> SlurmClient::hold_jobs() const {
  const auto text =
      reach_.output(reach_.request({"squeue", "--local", "-h", "-a", "--me", "-t",
                                    "running,configuring,completing", "-o", "%A|%C|%N|%S|%T|%j"}));
  if (!text) return tl::unexpected(text.error());
  std::vector<SlurmFenceFound> found;
  for (size_t at = 0; at < text->size();) {
    std::string_view line = take_line(*text, at);
    std::string_view fields[5];
    size_t given = 0;
    for (std::string_view& field : fields) {
      const size_t bar = line.find('|');
      if (bar == line.npos) break;
      field = line.substr(0, bar);
      line.remove_prefix(bar + 1);
      ++given;
    }
    SlurmFenceFound one = read_fence_name(std::string(line));
    const std::optional<int64_t> cpus = number(fields[1]);
    if (given != 5 || one.host.empty() || one.host != fields[2] || !cpus) continue;
    one.name = std::string(fields[0]);
    one.cores = static_cast<int32_t>(*cpus);
    one.start_s = seconds_of(fields[3]).value_or(INT64_MAX);  // it may be forgotten, then
    one.ending = fields[4] == "COMPLETING";
    found.push_back(std::move(one));
  }
  return found;
}

Result<std::vector<SlurmShare>> SlurmClient::shares(const SlurmJob& job,
                                                    const std::vector<std::string>& nodes,
                                                    int32_t numbered) const {
  const CallRequest asked =
      reach_.request({"scontrol", "--local", "-d", "-o", "show", "job", job.id});
  const Result<CallAnswer> answer = reach_.call(asked);
  if (!answer) return tl::unexpected(answer.error());
  // The job may have ended since it was listed.
  if (answer->exit_status != 0) return std::vector<SlurmShare>{};
  // The last task of an array and the first component of a job are answered with all of them.
  const std::string own = "JobId=" + job.id + " ";
  const std::string_view all = answer->output;
  for (size_t at = 0; at < all.size();) {
    const std::string_view line = take_line(all, at);
    if (line.starts_with(own)) return parse_slurm_shares(line, nodes, job.cpus, numbered);
  }
  return std::vector<SlurmShare>{};
}

Result<SlurmJobLines> SlurmClient::job_lines() const {
  CallRequest asked = reach_.request({"scontrol", "--local", "-d", "-o", "show", "job"});
  asked.output_most = kListMost;
  const auto text = reach_.output(asked);
  if (!text) return tl::unexpected(text.error());
  return parse_slurm_job_lines(*text);
}

/// A version that does not have this list refuses the question.
Result<std::string> SlurmClient::json_form() const {
  const Result<CallAnswer> listed =
      reach_.call(reach_.request({"squeue", "--local", "--json=list"}));
  if (!listed) return tl::unexpected(listed.error());
  if (listed->exit_status != 0) return std::string();
  return slurm_form_to_ask(listed->output + listed->errors);
}

Result<std::string> SlurmClient::jobs_in_form() const {
  if (!form_) {
    Result<std::string> form = json_form();
    if (!form) return tl::unexpected(form.error());
    form_ = *std::move(form);
  }
  CallRequest asked =
      reach_.request({"squeue", "--local", "-a", form_->empty() ? "--json" : "--json=" + *form_});
  asked.output_most = kJsonMost;
  return reach_.output(asked);
}

Result<std::string> SlurmClient::jobs_as_json() const {
  Result<std::string> text = jobs_in_form();
  if (text || !form_ || form_->empty()) return text;
  const std::string before = *std::exchange(form_, std::nullopt);
  Result<std::string> form = json_form();
  if (!form) return text;
  form_ = *std::move(form);  // another one, if Slurm is of another version since it was asked
  return *form_ == before ? text : jobs_in_form();
}

Result<bool> SlurmClient::create(const std::string& host, std::vector<std::string> how,
                                 int64_t number) const {
  std::vector<std::string> argv{"scontrol",      "create",
                                "reservation",   "reservationname=" + name_of(host, number),
                                "starttime=now", "duration=infinite",
                                "users=root",    "nodes=" + host};
  argv.insert(argv.end(), how.begin(), how.end());
  const CallRequest asked = reach_.request(std::move(argv));
  const Result<CallAnswer> answer = reach_.call(asked);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->exit_status == 0) return true;
  if (says(*answer, "Requested nodes are busy")) return false;
  return tl::unexpected(call_error(asked, *answer));
}

Result<bool> SlurmClient::fence(const std::string& host, int64_t number, int32_t cores) const {
  return create(host, {"corecnt=" + std::to_string(cores), "flags=overlap"}, number);
}

Status SlurmClient::close(const std::string& host, int64_t number) const {
  const Result<bool> made = create(host, {"flags=ignore_jobs,overlap"}, number);
  if (!made) return tl::unexpected(made.error());
  if (*made) return {};
  return fail(ErrorCode::io, "Slurm refuses a reservation of all of host " + host +
                                 ": it says that the host is busy; the agent tries again");
}

Status SlurmClient::tell(std::vector<std::string> argv) const {
  const CallRequest asked = reach_.request(std::move(argv));
  const Result<CallAnswer> answer = reach_.call(asked);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->exit_status == 0 || is_over(*answer)) return {};
  return tl::unexpected(call_error(asked, *answer));
}

Status SlurmClient::unfence(const std::string& reservation) const {
  const CallRequest asked =
      reach_.request({"scontrol", "delete", "reservationname=" + reservation});
  const Result<CallAnswer> answer = reach_.call(asked);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->exit_status == 0 || says(*answer, "Requested reservation is invalid")) return {};
  return tl::unexpected(call_error(asked, *answer));
}

Result<std::set<std::string>> SlurmClient::jobs_of(const std::string& reservation) const {
  const auto text = reach_.output(reach_.request(
      {"squeue", "--local", "-h", "-a", "-r", "-t", "all", "-R", reservation, "-o", "%A"}));
  if (!text) return tl::unexpected(text.error());
  std::set<std::string> jobs;
  for (size_t at = 0; at < text->size();) jobs.emplace(trimmed(take_line(*text, at)));
  return jobs;
}

Status SlurmClient::drain(const std::string& host) const {
  return tell({"scontrol", "update", "nodename=" + host, "state=drain",
               "reason=" + std::string(kWaitsForFence)});
}

Status SlurmClient::resume(const std::string& host) const {
  return tell({"scontrol", "update", "nodename=" + host, "state=resume"});
}

Status SlurmClient::power_up(const std::string& host) const {
  return tell({"scontrol", "update", "nodename=" + host, "state=power_up"});
}

Status SlurmClient::except_from_power_saving(const std::string& hosts, bool excepted) const {
  return tell(
      {"scontrol", "update", std::string("SuspendExcNodes") + (excepted ? "+=" : "-=") + hosts});
}

Result<bool> SlurmClient::hold(const std::string& host, int64_t number, int32_t cpus) const {
  const CallRequest asked = reach_.request(
      {"salloc", "--no-shell", "--immediate=1", "--nodes=1", "--nodelist=" + host, "--ntasks=1",
       "--cpus-per-task=" + std::to_string(cpus), "--job-name=" + name_of(host, number)});
  const Result<CallAnswer> answer = reach_.call(asked);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->exit_status == 0) return true;
  for (const char* refusal : {"Requested nodes are busy", "Immediate execution impossible",
                              "Unable to allocate resources: Requested node configuration"}) {
    if (says(*answer, refusal)) return false;
  }
  return tl::unexpected(call_error(asked, *answer));
}

Status SlurmClient::signal(const std::string& name, const std::string& signal) const {
  const CallRequest asked = reach_.request({"scancel", "--signal=" + signal, "--batch", name});
  const Result<CallAnswer> answer = reach_.call(asked);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->exit_status == 0 || is_over(*answer)) return {};
  if (says(*answer, "Job script not specified")) {
    return tell({"scancel", "--signal=" + signal, name});
  }
  return tl::unexpected(call_error(asked, *answer));
}

Status SlurmClient::notify_of_end(const WorkUnit& job, int64_t grace_ms) const {
  return tell({"scontrol", "notify", job.id,
               "leasehold: the slots of this job are taken back; it is ended in " +
                   std::to_string(grace_ms / 1'000) + " seconds" +
                   (job.requeueable ? " and queued again" : " for good")});
}

Status SlurmClient::requeue(const std::string& name) const {
  return tell({"scontrol", "requeue", "Incomplete", name});
}

Status SlurmClient::cancel(const std::string& name) const {
  return tell({"scancel", name});
}

}  // namespace leasehold::agent
