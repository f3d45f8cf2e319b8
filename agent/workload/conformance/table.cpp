#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "agent/workload/conformance/conformance.hpp"

namespace leasehold::agent {

namespace {

using nlohmann::ordered_json;

int64_t count(const std::vector<Check>& checks, CheckResult result) {
  return std::count_if(checks.begin(), checks.end(),
                       [result](const Check& check) { return check.result == result; });
}

}  // namespace

bool all_passed(const std::vector<Check>& checks) {
  return count(checks, CheckResult::failed) == 0;
}

std::string conformance_table(const std::vector<Check>& checks) {
  size_t width = 0;
  for (const Check& check : checks) width = std::max(width, check.name.size());
  std::string text;
  for (const Check& check : checks) {
    text += check.name + std::string(width - check.name.size() + 2, ' ') +
            std::string(token(check.result)) + "\n";
    if (check.result == CheckResult::passed) continue;
    if (check.result == CheckResult::failed) text += "    right:  " + check.expected + "\n";
    text +=
        (check.result == CheckResult::failed ? "    found:  " : "    why:    ") + check.said + "\n";
  }
  return text + std::to_string(checks.size()) +
         " checks: " + std::to_string(count(checks, CheckResult::passed)) + " passed, " +
         std::to_string(count(checks, CheckResult::failed)) + " failed, " +
         std::to_string(count(checks, CheckResult::not_run)) + " not run";
}

std::string conformance_json(const ConformanceAsked& asked, const std::vector<Check>& checks) {
  ordered_json rows = ordered_json::array();
  for (const Check& check : checks) {
    rows.push_back({{"check", check.name},
                    {"result", token(check.result)},
                    {"expected", check.expected},
                    {"found", check.said.empty() ? ordered_json() : ordered_json(check.said)}});
  }
  const ordered_json answer{
      {"argv", asked.argv},
      {"host", asked.host.empty() ? ordered_json() : ordered_json(asked.host)},
      {"checks", rows},
      {"passed", count(checks, CheckResult::passed)},
      {"failed", count(checks, CheckResult::failed)},
      {"not_run", count(checks, CheckResult::not_run)}};
  return answer.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

Conformance conformance_of(const ConformanceAsked& asked, bool as_json) {
  const auto pause = [](int64_t ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); };
  const std::vector<Check> checks = check_program(asked, call, pause);
  return {as_json ? conformance_json(asked, checks) : conformance_table(checks),
          all_passed(checks)};
}

}  // namespace leasehold::agent
