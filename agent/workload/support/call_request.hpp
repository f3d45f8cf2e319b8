// The request to run a program, and its answer: values (call.hpp runs it).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace leasehold::agent {

struct CallAnswer {
  int exit_status = 0;
  std::string output;  // stdout
  std::string errors;  // stderr
};

/// A program that is run once beside those which take long, in their environment, to find out
/// whether the workload manager answers.
struct HealthCheck {
  std::vector<std::string> argv;
  int64_t after_ms = 0;    // since the others were started
  int64_t timeout_ms = 0;  // without an answer by then there is none
  bool (*is_there)(const CallAnswer&) = nullptr;
};

struct CallRequest {
  std::vector<std::string> argv;  // argv[0]: a path, or a name that is looked for in PATH
  std::vector<std::pair<std::string, std::string>> environment;  // added to the agent's own
  std::string input;  // written to its stdin, which then ends
  int64_t timeout_ms = 20'000;
  size_t output_most = size_t{64} << 20;  // bytes of stdout and stderr each
  /// Variables whose names begin so are not passed on: what a user or a site set for itself must
  /// not change what a program prints or does.
  std::vector<std::string> cleared = {};
  /// If the workload manager does not answer, the program is killed at once. For programs that run
  /// in parallel the check of the first one counts for all.
  std::optional<HealthCheck> health_check = std::nullopt;
};

/// Returns the arguments for people, quoted where they need it.
std::string command_text(const CallRequest& request);

}  // namespace leasehold::agent
