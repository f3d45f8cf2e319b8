// Resource quotas of slots that are in use, as qquota prints them, and how many jobs they let
// start. Quotas of other resources are ignored, and qquota does not show those that nothing counts
// in yet. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/workload/gridengine/printed/text.hpp"

namespace leasehold::agent {

/// The users, projects, environments and queues whose slots one rule counts together, and how many
/// more it allows. An empty list means any.
struct GridEngineQuota {
  std::vector<std::string> users;
  std::vector<std::string> projects;
  std::vector<std::string> environments;
  std::vector<std::string> queues;
  int64_t room = 0;
  bool operator==(const GridEngineQuota&) const = default;
};

/// Reads `qquota -l slots -u * -xml`. Rules about single hosts are left out, because other hosts
/// may do. So are rules with unknown parts, such as a list of users by its name: in doubt a job may
/// start.
Result<std::vector<GridEngineQuota>> parse_qquota(const std::string& text);

/// The slots that the quotas leave, taken job by job in the order in which jobs would start.
class QuotaRooms {
 public:
  QuotaRooms(std::vector<GridEngineQuota> quotas, std::string queue)
      : quotas_(std::move(quotas)), queue_(std::move(queue)) {}
  /// Returns how many tasks of the job could start, and takes their slots.
  int64_t take(const GridEnginePending& job, const std::string& project);

 private:
  bool counts(const GridEngineQuota& quota, const GridEnginePending& job,
              const std::string& project) const;

  std::vector<GridEngineQuota> quotas_;
  std::string queue_;
};

}  // namespace leasehold::agent
