// call: runs programs of the workload manager, one or several in parallel, and takes what they
// print. There is no shell, only an argument vector; the C locale and UTC, so that what a program
// prints does not depend on the machine; none of the workload manager's variables that the agent
// was started with; and a time limit, after which the program and all that it started are killed.
// It is not for programs that outlive the call. Adapters take a Caller, so that tests can answer
// with what real programs have printed.
#pragma once

#include <concepts>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "agent/workload/support/call_request.hpp"
#include "common/result.hpp"

namespace leasehold::agent {

/// Fails if the program cannot be started, is ended by a signal, prints too much or does not end in
/// time. An exit status other than 0 is an answer.
Result<CallAnswer> call(const CallRequest& request);

using CallAnswers = std::vector<Result<CallAnswer>>;

/// Runs the programs in parallel, by one thread, until each has ended or failed. The answers are in
/// the order of the requests.
CallAnswers call_all(std::span<const CallRequest> requests);

class Caller;

template <class F>
concept RunsOneProgram =
    !std::same_as<F, Caller> && std::is_invocable_r_v<Result<CallAnswer>, F&, const CallRequest&>;
template <class F>
concept RunsPrograms = !std::same_as<F, Caller> &&
                       std::is_invocable_r_v<CallAnswers, F&, std::span<const CallRequest>>;

/// Runs programs for an adapter. A Caller made from a function for a single program runs several
/// one after the other, in their order.
class Caller {
 public:
  template <RunsPrograms All>
  Caller(All all) : all_(std::move(all)) {}  // NOLINT: it stands for the function
  template <RunsOneProgram One>
  Caller(One one)  // NOLINT: it stands for the function
      : all_([one = std::move(one)](std::span<const CallRequest> requests) mutable {
          CallAnswers answers;
          for (const CallRequest& request : requests) answers.push_back(one(request));
          return answers;
        }) {}

  Result<CallAnswer> operator()(const CallRequest& request) const {
    return std::move(all_({&request, 1}).front());
  }
  CallAnswers operator()(std::span<const CallRequest> requests) const { return all_(requests); }

 private:
  std::function<CallAnswers(std::span<const CallRequest>)> all_;
};

/// Returns what went wrong, with the command and what it said (shortened, control characters
/// replaced).
Error call_error(const CallRequest& request, const CallAnswer& answer);

/// Returns stdout of a call with exit status 0; any other status is an error.
Result<std::string> call_output(const Caller& caller, const CallRequest& request);

/// Logs a job that did not get the message about its end, which is no failure.
void log_if_not_notified(const std::string& job, const Status& notified);

}  // namespace leasehold::agent
