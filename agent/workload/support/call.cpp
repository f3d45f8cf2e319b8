#include "agent/workload/support/call.hpp"

#include <poll.h>

#include <algorithm>

#include "agent/workload/support/running_program.hpp"
#include "common/log.hpp"
#include "common/time/clock.hpp"

namespace leasehold::agent {

namespace {

constexpr size_t kSaidMost = 400;

std::string shortened(const std::string& text) {
  std::string said = text.substr(0, kSaidMost);
  while (!said.empty() && (said.back() == '\n' || said.back() == ' ')) said.pop_back();
  for (char& c : said) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  if (text.size() > kSaidMost) said += " ...";
  return said;
}

tl::unexpected<Error> failed(const CallRequest& request, const std::string& what) {
  return fail(ErrorCode::io, "`" + command_text(request) + "` " + what);
}

/// Checks whether the workload manager answers while programs take long.
class ManagerCheck {
 public:
  explicit ManagerCheck(std::span<const CallRequest> requests) {
    if (requests.empty() || !requests.front().health_check) return;
    asked_ = requests.front();
    check_ = *std::exchange(asked_.health_check, std::nullopt);
    asked_.argv = check_.argv;
    asked_.timeout_ms = check_.timeout_ms;
    asked_.input.clear();
    next_ms_ = boottime_ms() + check_.after_ms;
  }
  RunningProgram& run() { return run_; }
  int64_t next_ms() const { return next_ms_; }

  void begin_on_time() {
    if (boottime_ms() < next_ms_) return;
    next_ms_ = INT64_MAX;
    run_.start(asked_);
    begun_ = run_.talks();  // a check that cannot be started proves nothing
  }
  /// Returns why the other programs are not waited for, once that is known.
  std::optional<std::string> nobody_there() {
    if (!begun_ || run_.talks()) return std::nullopt;
    begun_ = false;
    const Result<CallAnswer> answer = run_.outcome();
    if (answer && check_.is_there(*answer)) return std::nullopt;
    const Error why = answer ? call_error(asked_, *answer) : answer.error();
    return "was killed, because the workload manager does not answer: " + why.message;
  }

 private:
  HealthCheck check_;
  CallRequest asked_;
  int64_t next_ms_ = INT64_MAX;
  bool begun_ = false;
  RunningProgram run_;
};

/// Waits until one of the programs prints something, or a deadline is reached.
void talk(std::vector<RunningProgram>& runs, ManagerCheck& check) {
  std::vector<pollfd> files;
  int64_t deadline_ms = check.next_ms();
  const auto add = [&](const RunningProgram& run) {
    run.add_to(files);
    if (run.talks()) deadline_ms = std::min(deadline_ms, run.until_ms());
  };
  for (const RunningProgram& run : runs) add(run);
  add(check.run());
  const int64_t wait_ms = std::clamp<int64_t>(deadline_ms - boottime_ms(), 0, 1'000);
  if (::poll(files.data(), files.size(), static_cast<int>(wait_ms)) < 0) {
    for (pollfd& file : files) file.revents = 0;
  }
  const pollfd* own = files.data();
  for (RunningProgram& run : runs) run.take(std::exchange(own, own + RunningProgram::kFiles));
  check.run().take(own);
}

}  // namespace

Error call_error(const CallRequest& request, const CallAnswer& answer) {
  const std::string& said = answer.errors.empty() ? answer.output : answer.errors;
  return failed(request, "ended with exit status " + std::to_string(answer.exit_status) +
                             (said.empty() ? ", saying nothing" : ": " + shortened(said)))
      .value();
}

Result<CallAnswer> call(const CallRequest& request) {
  return std::move(call_all({&request, 1}).front());
}

CallAnswers call_all(std::span<const CallRequest> requests) {
  std::vector<RunningProgram> runs(requests.size());
  for (size_t i = 0; i < requests.size(); ++i) runs[i].start(requests[i]);
  ManagerCheck check(requests);
  while (std::any_of(runs.begin(), runs.end(),
                     [](const RunningProgram& run) { return run.talks(); })) {
    check.begin_on_time();
    talk(runs, check);
    const std::optional<std::string> why = check.nobody_there();
    for (RunningProgram& run : runs) {
      if (why && run.talks()) run.end(*why);
    }
  }
  CallAnswers answers;
  for (RunningProgram& run : runs) answers.push_back(run.outcome());
  return answers;
}

Result<std::string> call_output(const Caller& caller, const CallRequest& request) {
  Result<CallAnswer> answer = caller(request);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->exit_status != 0) return tl::unexpected(call_error(request, *answer));
  return std::move(answer->output);
}

void log_if_not_notified(const std::string& job, const Status& notified) {
  if (notified) return;
  log_info("notify-failed", {{"job", job},
                             {"why", describe(notified.error())},
                             {"then", "the job's grace runs all the same"}});
}

}  // namespace leasehold::agent
