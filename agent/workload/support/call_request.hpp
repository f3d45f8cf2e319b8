// What a program is called with and what it answers: values (call.hpp runs it).
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

/// A program that is run once beside those which take long, in their environment: it says whether
/// anybody is there to answer them.
struct CallDoubt {
  std::vector<std::string> argv;
  int64_t after_ms = 0;    // since the others were started
  int64_t timeout_ms = 0;  // without an answer by then nobody is there
  bool (*is_there)(const CallAnswer&) = nullptr;
};

struct CallRequest {
  std::vector<std::string> argv;  // argv[0]: a path, or a name that is looked for in PATH
  std::vector<std::pair<std::string, std::string>> environment;  // besides what the agent has
  std::string input;                                             // on its stdin, which then ends
  int64_t timeout_ms = 20'000;
  size_t output_most = size_t{64} << 20;  // bytes of stdout and stderr each
  /// Beginnings of names that are not passed on: what a user or a site set for itself must not
  /// change what a program prints or does.
  std::vector<std::string> cleared = {};
  /// Where nobody is there, the program is killed at once. Of programs that are run side by side
  /// the doubt of the first one counts for all.
  std::optional<CallDoubt> doubt = std::nullopt;
};

/// For people: the arguments, quoted where they need it.
std::string command_text(const CallRequest& request);

}  // namespace leasehold::agent
