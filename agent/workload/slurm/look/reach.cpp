#include "agent/workload/slurm/look/reach.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "agent/workload/slurm/printed/text.hpp"

namespace leasehold::agent {

namespace {

constexpr int64_t kPingTimeoutMs = 5'000;
constexpr int64_t kSlowMs = 1'000;  // beside a program that takes longer a ping is sent

}  // namespace

SlurmReach::SlurmReach(const SlurmSettings& settings, int64_t timeout_ms, Caller caller)
    : settings_(settings),
      timeout_ms_(timeout_ms),
      caller_([this, caller = std::move(caller)](std::span<const CallRequest> requests) {
        CallAnswers answers = caller(requests);
        answered_ = std::all_of(answers.begin(), answers.end(), [](const auto& answer) {
          return answer && answer->exit_status == 0;
        });
        return answers;
      }) {}

CallRequest SlurmReach::plain(std::vector<std::string> argv) const {
  if (!settings_.bin_dir.empty()) argv.front() = settings_.bin_dir + "/" + argv.front();
  CallRequest made;
  made.argv = std::move(argv);
  made.environment = {{"SLURM_CONF", settings_.conf}, {"SLURM_TIME_FORMAT", "standard"}};
  // With auth/jwt the token is the agent's identity.
  if (const char* token = std::getenv("SLURM_JWT")) {
    made.environment.emplace_back("SLURM_JWT", token);
  }
  made.cleared = {"SLURM_", "SQUEUE_", "SCANCEL_", "SCONTROL_", "SINFO_", "SALLOC_"};
  made.timeout_ms = timeout_ms_;
  return made;
}

/// A slow controller answers a ping at once: it needs no lock for it.
CallRequest SlurmReach::request(std::vector<std::string> argv) const {
  CallRequest made = plain(std::move(argv));
  const CallRequest asked = ping();
  made.health_check = {asked.argv, kSlowMs, asked.timeout_ms,
                       [](const CallAnswer& answer) { return slurm_is_up(answer.output); }};
  return made;
}

CallRequest SlurmReach::ping() const {
  CallRequest asked = plain({"scontrol", "ping"});
  asked.timeout_ms = std::min(timeout_ms_, kPingTimeoutMs);
  return asked;
}

Status SlurmReach::answers() const {
  if (answered_) return {};
  const CallRequest asked = ping();
  const Result<CallAnswer> answer = caller_(asked);
  if (!answer) return tl::unexpected(answer.error());
  answered_ = slurm_is_up(answer->output);
  if (answered_) return {};
  return tl::unexpected(call_error(asked, *answer));
}

Result<std::vector<std::string>> SlurmReach::outputs(std::span<const CallRequest> requests) const {
  CallAnswers answers = caller_(requests);
  std::vector<std::string> texts;
  for (size_t i = 0; i < requests.size(); ++i) {
    if (!answers[i]) return tl::unexpected(answers[i].error());
    if (answers[i]->exit_status != 0) return tl::unexpected(call_error(requests[i], *answers[i]));
    texts.push_back(std::move(answers[i]->output));
  }
  return texts;
}

}  // namespace leasehold::agent
