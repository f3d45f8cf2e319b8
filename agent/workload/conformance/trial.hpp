// Trial: one program under test: its last answer, and the checks so far. It does not know which
// answers are right.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "agent/workload/conformance/conformance.hpp"
#include "agent/workload/workload.hpp"

namespace leasehold::agent {

class Trial {
 public:
  Trial(const ConformanceAsked& asked, const Caller& caller,
        const std::function<void(int64_t ms)>& pause, const TimeSource& time)
      : asked_(asked), caller_(caller), pause_(pause), time_(time) {}

  const std::string& host() const { return asked_.host; }
  Instant now() const { return time_.wall_time(); }
  void pause(int64_t ms) const { pause_(ms); }

  /// Runs the program with any stdin, and returns its answer however it ends.
  Result<CallAnswer> send(const std::string& input);
  /// Returns the text of an answer with exit status 0.
  Result<std::string> ask(const char* request,
                          const nlohmann::ordered_json& more = nlohmann::ordered_json::object());

  /// Adds a check by its outcome; the program's last words are shown beside an error.
  bool judge(const std::string& name, const std::string& expected, const Status& outcome);
  void skip(const std::string& name, const std::string& expected, const std::string& why);

  size_t output_most() const { return output_most_; }
  size_t errors_most() const { return errors_most_; }
  std::vector<Check> checks() && { return std::move(checks_); }

 private:
  std::string last_words() const;

  const ConformanceAsked& asked_;
  const Caller& caller_;
  const std::function<void(int64_t ms)>& pause_;
  const TimeSource& time_;
  std::vector<Check> checks_;
  CallAnswer last_;
  size_t output_most_ = 0;  // bytes of one answer
  size_t errors_most_ = 0;  // on stderr, beside a good answer
};

Status wrong(const std::string& what);

/// The facts that the checks which change nothing learn for those that do.
struct TrialFindings {
  WorkloadTraits traits;
  int64_t level = 1;
  View view;
};

/// Returns nullopt where further checks make no sense.
std::optional<TrialFindings> check_reading(Trial& trial);
void check_refusals(Trial& trial);
void check_changing(Trial& trial, const TrialFindings& findings);

/// Asks `read` with these hosts of others, and reads the answer as an agent does.
Result<View> read_now(Trial& trial, const WorkloadTraits& traits,
                      const std::vector<std::string>& imported);

}  // namespace leasehold::agent
