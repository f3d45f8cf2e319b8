// Conformance: asks a site's own program (manager = "command") all that an agent would, and finds
// wrong answers before an agent relies on them. It changes nothing unless a host is given: then
// that host's fence is changed and removed again. It does not test the workload manager behind the
// program, and does not prove that two clusters never use one slot: the program's answers are
// believed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "agent/workload/support/call.hpp"
#include "common/time/clock.hpp"
#include "common/tokens.hpp"

namespace leasehold::agent {

struct ConformanceAsked {
  std::vector<std::string> argv;
  std::string host;             // the host whose fence may be changed; "": nothing is changed
  int64_t timeout_ms = 20'000;  // of a call
};

enum class CheckResult : uint8_t { passed, failed, not_run };
constexpr auto tokens_of(CheckResult) {
  using enum CheckResult;
  return tokens<CheckResult>({{passed, "passed"}, {failed, "failed"}, {not_run, "not-run"}});
}

struct Check {
  std::string name;  // the request, and the checked part: "read: is answered"
  CheckResult result = CheckResult::passed;
  std::string expected;  // a sentence
  std::string said;      // failed: what is wrong, with the program's own words; not run: why
};

/// Returns the checks in the order in which they were made. `pause` waits for the workload manager.
std::vector<Check> check_program(const ConformanceAsked& asked, const Caller& caller,
                                 const std::function<void(int64_t ms)>& pause,
                                 const TimeSource& time = machine_time());

bool all_passed(const std::vector<Check>& checks);  // true also if some were not run
std::string conformance_table(const std::vector<Check>& checks);
std::string conformance_json(const ConformanceAsked& asked, const std::vector<Check>& checks);

/// The result of a run with real processes.
struct Conformance {
  std::string text;
  bool passed = false;
};
Conformance conformance_of(const ConformanceAsked& asked, bool as_json);

}  // namespace leasehold::agent
