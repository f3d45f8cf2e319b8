// Conformance: asks a site's own program (manager = "command") all that an agent would, and finds
// what it answers wrongly, before an agent relies on it. Harmless unless it is given a host: then
// that host's fence is changed and taken away again. Not a test of the workload manager behind it,
// and no proof that two clusters never use one slot: what the program says is believed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "agent/workload/support/call.hpp"
#include "common/clock.hpp"
#include "common/tokens.hpp"

namespace leasehold::agent {

struct ConformanceAsked {
  std::vector<std::string> argv;  // the program
  std::string host;               // whose fence may be changed; "": nothing is
  int64_t timeout_ms = 20'000;    // of a call
};

enum class CheckResult : uint8_t { passed, failed, not_run };
constexpr auto tokens_of(CheckResult) {
  using enum CheckResult;
  return tokens<CheckResult>({{passed, "passed"}, {failed, "failed"}, {not_run, "not-run"}});
}

struct Check {
  std::string name;  // the request, and what of it: "read: is answered"
  CheckResult result = CheckResult::passed;
  std::string expected;  // a sentence
  std::string said;      // failed: what is wrong, with the program's own words; not run: why
};

/// In the order in which they were made. `pause`: until the workload manager has gone on.
std::vector<Check> check_program(const ConformanceAsked& asked, const Caller& caller,
                                 const std::function<void(int64_t ms)>& pause,
                                 const TimeSource& time = machine_time());

bool all_passed(const std::vector<Check>& checks);  // or were not run
std::string conformance_table(const std::vector<Check>& checks);
std::string conformance_json(const ConformanceAsked& asked, const std::vector<Check>& checks);

/// All of it, with real processes.
struct Conformance {
  std::string text;
  bool passed = false;
};
Conformance conformance_of(const ConformanceAsked& asked, bool as_json);

}  // namespace leasehold::agent
