// Resource quotas of slots that are in use, as qquota tells them, and how many jobs they let start.
// Not quotas of other resources, and not those that nothing counts in yet: qquota shows none. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/workload/gridengine/text.hpp"

namespace leasehold::agent {

/// Whose slots one rule counts together, and how many more it allows. An empty list: anybody.
struct GridEngineQuota {
  std::vector<std::string> users;
  std::vector<std::string> projects;
  std::vector<std::string> environments;
  std::vector<std::string> queues;
  int64_t room = 0;
  bool operator==(const GridEngineQuota&) const = default;
};

/// `qquota -l slots -u * -xml`. Rules about single hosts are left out: other hosts may do. So are
/// those with something that is not known, as a list of users by its name: in doubt a job may
/// start.
Result<std::vector<GridEngineQuota>> parse_qquota(const std::string& text);

/// How much the quotas leave, taken job by job in the order in which they would start.
class QuotaRooms {
 public:
  QuotaRooms(std::vector<GridEngineQuota> quotas, std::string queue)
      : quotas_(std::move(quotas)), queue_(std::move(queue)) {}
  /// Tasks of the job that could start; what they need is taken.
  int64_t take(const GridEnginePending& job, const std::string& project);

 private:
  bool counts(const GridEngineQuota& quota, const GridEnginePending& job,
              const std::string& project) const;

  std::vector<GridEngineQuota> quotas_;
  std::string queue_;
};

}  // namespace leasehold::agent
