// call: runs a program of the workload manager and takes what it prints. No shell: an argument
// vector; the C locale and UTC, so that what it prints does not depend on the machine; without the
// variables of the workload manager that the agent was started with; a time limit, after which it
// and all that it started are killed. Not for programs that outlive the call. Adapters take a
// Caller, so that tests can answer with what real programs have printed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "common/result.hpp"

namespace leasehold::agent {

struct CallRequest {
  std::vector<std::string> argv;  // argv[0]: a path, or a name that is looked for in PATH
  std::vector<std::pair<std::string, std::string>> environment;  // besides what the agent has
  std::string input;                                             // on its stdin, which then ends
  int64_t timeout_ms = 20'000;
  size_t output_most = size_t{64} << 20;  // bytes of stdout and stderr each
  /// Beginnings of names that are not passed on: what a user or a site set for itself must not
  /// change what a program prints or does.
  std::vector<std::string> cleared = {};
};

struct CallAnswer {
  int exit_status = 0;
  std::string output;  // stdout
  std::string errors;  // stderr
};

using Caller = std::function<Result<CallAnswer>(const CallRequest&)>;

/// Fails when it cannot be started, is ended by a signal, prints too much or does not end in time.
/// An exit status that is not 0 is an answer.
Result<CallAnswer> call(const CallRequest& request);

/// For people: the arguments, quoted where they need it.
std::string command_text(const CallRequest& request);

/// What went wrong, with the command and what it said (shortened, control characters replaced).
Error call_error(const CallRequest& request, const CallAnswer& answer);

/// stdout of a call whose exit status is 0; any other is an error.
Result<std::string> call_output(const Caller& caller, const CallRequest& request);

}  // namespace leasehold::agent
