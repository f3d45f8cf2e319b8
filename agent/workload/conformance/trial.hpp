// Trial: one program under test: what it is asked, what it said last, and the checks so far. Knows
// nothing of what is right to answer.
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

  /// Whatever is on its stdin, and however it ends.
  Result<CallAnswer> send(const std::string& input);
  /// The text of an answer whose exit status is 0.
  Result<std::string> ask(const char* request,
                          const nlohmann::ordered_json& more = nlohmann::ordered_json::object());

  /// A check by its outcome; what the program said last stands beside the error.
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

/// An outcome with these words.
Status wrong(const std::string& what);

/// What the checks that change nothing learnt, for those that do.
struct TrialScene {
  WorkloadTraits traits;
  int64_t level = 1;
  View view;
};

/// nullopt: there is no going on.
std::optional<TrialScene> check_reading(Trial& trial);
/// What nobody may ask is refused.
void check_refusals(Trial& trial);
void check_changing(Trial& trial, const TrialScene& scene);

/// `read` with these hosts of others, taken as an agent takes it.
Result<View> read_now(Trial& trial, const WorkloadTraits& traits,
                      const std::vector<std::string>& imported);

}  // namespace leasehold::agent
