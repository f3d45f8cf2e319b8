// SchedulingSettings: how work that must end is chosen, and preemption inside a consumer: what the
// tables [scheduling] and [[session_type]] say (config/agent.toml). Values only; the defaults are
// those of Symphony (agent/core/README.md), and hold where a table is absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/tokens.hpp"
#include "common/wire/message.hpp"

namespace leasehold::agent {

/// R_Proportion, R_MinimumServices, R_PriorityScheduling.
enum class SchedulingPolicy : uint8_t { proportional, minimum_services, priority };
constexpr auto tokens_of(SchedulingPolicy) {
  using enum SchedulingPolicy;
  return tokens<SchedulingPolicy>({{proportional, "proportional"},
                                   {minimum_services, "minimum-services"},
                                   {priority, "priority"}});
}

enum class Criteria : uint8_t { policy_default, most_recent_task };
constexpr auto tokens_of(Criteria) {
  using enum Criteria;
  return tokens<Criteria>(
      {{policy_default, "policy-default"}, {most_recent_task, "most-recent-task"}});
}

enum class PreemptionScope : uint8_t { lower_or_equal, lower };
constexpr auto tokens_of(PreemptionScope) {
  using enum PreemptionScope;
  return tokens<PreemptionScope>({{lower_or_equal, "lower-or-equal"}, {lower, "lower"}});
}

/// standby: "Optimized for standby service"; selective reclaim has no effect then. Standby services
/// themselves are outside (broker/rules/plan/README.md, "Not defined").
enum class ReclaimOptimization : uint8_t { application, standby };
constexpr auto tokens_of(ReclaimOptimization) {
  using enum ReclaimOptimization;
  return tokens<ReclaimOptimization>({{application, "application"}, {standby, "standby"}});
}

/// Limits how far a job's comment, which anybody who submits a job can write, sets the values of
/// its session. lower: only to a rank that is not higher, and to not preemptive.
enum class JobComments : uint8_t { off, lower, any };
constexpr auto tokens_of(JobComments) {
  using enum JobComments;
  return tokens<JobComments>({{off, "off"}, {lower, "lower"}, {any, "any"}});
}

enum class SessionOf : uint8_t { user, account, job };
constexpr auto tokens_of(SessionOf) {
  using enum SessionOf;
  return tokens<SessionOf>({{user, "user"}, {account, "account"}, {job, "job"}});
}

/// All that is given must hold; "": anything.
struct SessionMatch {
  std::string partition = {};
  std::string qos = {};
  std::string account = {};
  std::string comment = {};  // one word of the job's comment
  bool operator==(const SessionMatch&) const = default;
};

struct SessionType {
  SessionMatch match = {};
  SessionOf session = SessionOf::user;
  bool preemptive = false;
  int32_t preemption_rank = 1;  // 1 … 10000; higher is safer
  int32_t priority = 1;         // 1 … 10000; higher is safer with the priority policy
  int32_t min_slots = 0;
  bool exclusive_host = false;  // what it preempts must be whole hosts
  bool operator==(const SessionType&) const = default;
};

inline constexpr int32_t kRankMax = 10'000;
inline constexpr int32_t kSessionPriorityMax = 10'000;

struct SchedulingSettings {
  SchedulingPolicy policy = SchedulingPolicy::proportional;
  Criteria criteria = Criteria::policy_default;
  bool selective_reclaim = false;
  PreemptionScope preemption_scope = PreemptionScope::lower_or_equal;
  ReclaimOptimization reclaim_optimization = ReclaimOptimization::application;
  JobComments job_comments = JobComments::off;
  /// The seed that decides where Symphony says "at random"; absent: agent/core/README.md, "Ties".
  std::optional<uint64_t> random_seed = std::nullopt;
  std::vector<SessionType> session_types = {};  // the first that matches; none: the defaults
  bool operator==(const SchedulingSettings&) const = default;
};

/// "Selective reclaim does not take effect if Reclaim optimization is … standby service."
inline bool selective(const SchedulingSettings& settings) {
  return settings.selective_reclaim &&
         settings.reclaim_optimization == ReclaimOptimization::application;
}

/// Returns the settings in the form in which people see them, through the broker too.
wire::Scheduling scheduling_facts(const SchedulingSettings& settings);

}  // namespace leasehold::agent
