#include "agent/workload/lsf/client.hpp"

#include <unistd.h>

#include <sstream>

#include "agent/workload/support/user_name.hpp"
#include "common/text/lower_case.hpp"

namespace leasehold::agent {

namespace {

bool says(const std::string& text, const std::string& words) {
  return lower_case(text).find(words) != std::string::npos;
}

/// True if brequeue or bkill says that a job has ended meanwhile, or has not started (again).
bool is_gone(const CallAnswer& answer) {
  const std::string said = answer.output + answer.errors;
  for (const char* words : {"no matching job found", "is not found", "already finished",
                            "has not started", "not started yet"}) {
    if (says(said, words)) return true;
  }
  return false;
}

}  // namespace

LsfClient::LsfClient(LsfSettings settings, const AdapterSettings& adapter, Caller caller)
    : settings_(std::move(settings)),
      timeout_ms_(adapter.call_timeout_ms),
      caller_(std::move(caller)) {}

CallRequest LsfClient::request(std::vector<std::string> argv) const {
  CallRequest call;
  call.argv = std::move(argv);
  if (!settings_.bin_dir.empty()) call.argv[0] = settings_.bin_dir + "/" + call.argv[0];
  // A user's own environment may set these to change what is printed.
  call.environment = {{"LSF_ENVDIR", settings_.env_dir},
                      {"LSB_BJOBS_FORMAT", ""},
                      {"LSB_BHOSTS_FORMAT", ""},
                      {"LSB_BJOBS_DISPLAY_YEAR", "Y"}};
  call.cleared = {"LSB_", "BSUB_"};
  call.timeout_ms = timeout_ms_;
  return call;
}

Result<std::string> LsfClient::output(std::vector<std::string> argv) const {
  return call_output(caller_, request(std::move(argv)));
}

Result<std::vector<LsfHost>> LsfClient::hosts() const {
  const Result<std::string> text = output({"bhosts", "-w", "-X", "-alloc"});
  if (!text) return tl::unexpected(text.error());
  return parse_bhosts(*text);
}

/// Returns "" where there is no job.
Result<std::string> LsfClient::bjobs(const char* fields) const {
  CallRequest call = request({"bjobs", "-u", "all", "-o", fields, "-json"});
  call.output_most = size_t{512} << 20;  // some 400 bytes a job
  Result<CallAnswer> answer = caller_(call);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->output.empty() && says(answer->errors, "no unfinished job found")) return "";
  if (answer->exit_status != 0) return tl::unexpected(call_error(call, *answer));
  if (answer->output.empty()) return fail(ErrorCode::io, "bjobs: printed nothing");
  return std::move(answer->output);
}

Result<std::vector<WorkUnit>> LsfClient::jobs(Instant now, LsfUnknown* unknown) const {
  const Result<std::string> text = bjobs(kBjobsFields);
  if (!text) return tl::unexpected(text.error());
  if (text->empty()) return std::vector<WorkUnit>{};
  return parse_bjobs(*text, now, unknown);
}

Result<JobEnd> LsfClient::end_of(const std::string& job) const {
  const CallRequest call = request({"bjobs", "-u", "all", "-a", "-o", kEndFields, "-json", job});
  const Result<CallAnswer> answer = caller_(call);
  if (!answer) return tl::unexpected(answer.error());
  if (is_gone(*answer)) return JobEnd{};
  if (answer->exit_status != 0) return tl::unexpected(call_error(call, *answer));
  return parse_end(answer->output);
}

Result<LsfNeedsOfJobs> LsfClient::needs() const {
  const Result<std::string> text = bjobs(kNeedsFields);
  if (!text) return tl::unexpected(text.error());
  if (text->empty()) return LsfNeedsOfJobs{};
  return parse_needs(*text);
}

Result<std::map<std::string, LsfFacts>> LsfClient::facts() const {
  const Result<std::string> text = output({"lshosts", "-w"});
  if (!text) return tl::unexpected(text.error());
  return parse_lshosts(*text);
}

Status LsfClient::set_slots(const std::string& host, int32_t slots) const {
  const CallRequest call = request(
      {"bconf", "update", "host=" + host, "MXJ=" + std::to_string(slots), "-c", "leasehold"});
  const Result<CallAnswer> answer = caller_(call);
  if (!answer) return tl::unexpected(answer.error());
  const std::string said = answer->output + answer->errors;
  if (answer->exit_status == 0 && !says(said, "rejected") && !says(said, "partially")) return {};
  return tl::unexpected(call_error(call, *answer));
}

Status LsfClient::signal(const std::string& job, const std::string& signal) const {
  const CallRequest call = request({"bkill", "-s", signal, job});
  const Result<CallAnswer> answer = caller_(call);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->exit_status == 0 || is_gone(*answer)) return {};
  return tl::unexpected(call_error(call, *answer));
}

Status LsfClient::post(const std::string& job, const std::string& text) const {
  const CallRequest call = request({"bpost", "-d", text, job});
  const Result<CallAnswer> answer = caller_(call);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->exit_status == 0 || is_gone(*answer)) return {};
  return tl::unexpected(call_error(call, *answer));
}

Status LsfClient::requeue(const std::string& job) const {
  CallRequest call = request({"brequeue", "-r", job});
  Result<CallAnswer> answer = caller_(call);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->exit_status == 0 || is_gone(*answer)) return {};
  if (!says(answer->output + answer->errors, "interactive")) {
    return tl::unexpected(call_error(call, *answer));
  }
  call = request({"bkill", job});
  answer = caller_(call);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->exit_status == 0 || is_gone(*answer)) return {};
  return tl::unexpected(call_error(call, *answer));
}

void LsfClient::live_configuration(std::vector<std::string>& lacking) const {
  const Result<std::string> shown = output({"badmin", "showconf", "mbd"});
  if (!shown) {
    lacking.push_back("badmin showconf is not answered: " + shown.error().message);
  } else if (shown->find("LSF_LIVE_CONFDIR") == shown->npos) {
    lacking.push_back(
        "live reconfiguration (bconf) is off: set LSF_LIVE_CONFDIR in lsf.conf, then `badmin "
        "mbdrestart`; the job slots of hosts are fenced by it");
  }
}

/// `lsclusters -w` names only the first administrator.
void LsfClient::administrator(const std::string& cluster, std::vector<std::string>& lacking) const {
  if (::geteuid() == 0) return;
  const Result<std::string> shown = output({"lsclusters", "-w"});
  if (!shown) return lacking.push_back("lsclusters is not answered: " + shown.error().message);
  std::istringstream lines(*shown);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    std::string status;
    std::string master;
    std::string admin;
    words >> name >> status >> master >> admin;
    if (name != cluster || admin == user_name()) continue;
    lacking.push_back("user " + user_name() + " is not the LSF administrator (" + admin +
                      "), and bconf, bkill and brequeue for all are its own: run the agent as "
                      "that user");
  }
}

std::vector<std::string> LsfClient::lacking() const {
  std::vector<std::string> lacking;
  const Result<std::string> shown = output({"lsid"});
  if (!shown) return {"LSF does not answer: " + shown.error().message};
  const std::string words = "My cluster name is ";
  const size_t at = shown->find(words);
  if (at == shown->npos) return {"lsid does not name the cluster: " + *shown};
  const std::string rest = shown->substr(at + words.size());
  live_configuration(lacking);
  administrator(rest.substr(0, rest.find_first_of(" \r\n")), lacking);
  return lacking;
}

}  // namespace leasehold::agent
