#include "agent/workload/conformance/trial.hpp"

#include <algorithm>

#include "agent/workload/command/answers.hpp"
#include "common/text/printable.hpp"

namespace leasehold::agent {

namespace {

using nlohmann::ordered_json;

constexpr size_t kWordsMost = 300;  // of a program's own words, in a table

std::string shortened(const std::string& text) {
  const size_t last = text.find_last_not_of(" \n\r\t");
  const std::string whole = last == text.npos ? "" : text.substr(0, last + 1);
  return printable(whole.size() <= kWordsMost ? whole : whole.substr(0, kWordsMost) + " ...");
}

}  // namespace

Status wrong(const std::string& what) {
  return fail(ErrorCode::io, what);
}

Result<CallAnswer> Trial::send(const std::string& input) {
  CallRequest call;
  call.argv = asked_.argv;
  call.input = input;
  call.timeout_ms = asked_.timeout_ms;
  last_ = {};
  Result<CallAnswer> answer = caller_(call);
  if (!answer) return answer;
  last_ = *answer;
  output_most_ = std::max(output_most_, answer->output.size());
  if (answer->exit_status == 0) errors_most_ = std::max(errors_most_, answer->errors.size());
  return answer;
}

Result<std::string> Trial::ask(const char* request, const ordered_json& more) {
  ordered_json whole{{"version", kCommandVersion}, {"request", request}};
  whole.update(more);
  const Result<CallAnswer> answer = send(whole.dump() + "\n");
  if (!answer) return tl::unexpected(answer.error());
  if (answer->exit_status != 0) {
    return fail(ErrorCode::io,
                "the program ended with exit status " + std::to_string(answer->exit_status));
  }
  return answer->output;
}

std::string Trial::last_words() const {
  std::string words;
  if (!last_.errors.empty()) words += "; on stderr: " + shortened(last_.errors);
  if (!last_.output.empty()) words += "; on stdout: " + shortened(last_.output);
  return words;
}

bool Trial::judge(const std::string& name, const std::string& expected, const Status& outcome) {
  Check& check = checks_.emplace_back(Check{name, CheckResult::passed, expected, ""});
  if (outcome) return true;
  check.result = CheckResult::failed;
  check.said = outcome.error().message + last_words();
  return false;
}

void Trial::skip(const std::string& name, const std::string& expected, const std::string& why) {
  checks_.push_back({name, CheckResult::not_run, expected, why});
}

Result<View> read_now(Trial& trial, const WorkloadTraits& traits,
                      const std::vector<std::string>& imported) {
  const Result<std::string> text = trial.ask("read", {{"imported", imported}});
  if (!text) return tl::unexpected(text.error());
  return read_view(*text, imported, traits, CapJournal());
}

std::vector<Check> check_program(const ConformanceAsked& asked, const Caller& caller,
                                 const std::function<void(int64_t ms)>& pause,
                                 const TimeSource& time) {
  Trial trial(asked, caller, pause, time);
  const std::optional<TrialFindings> findings = check_reading(trial);
  check_refusals(trial);
  if (findings && !asked.host.empty()) check_changing(trial, *findings);
  return std::move(trial).checks();
}

}  // namespace leasehold::agent
