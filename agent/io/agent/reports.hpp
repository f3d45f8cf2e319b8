// Reports: when the agent reports, and the inventory that gives the positions of hosts in its
// reports. Reporter (agent/core/reporter.hpp) makes the differences.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "agent/core/reporter.hpp"
#include "agent/workload/workload.hpp"
#include "common/wire/message.hpp"

namespace leasehold::agent {

class Reports {
 public:
  explicit Reports(int64_t interval_ms) : interval_ms_(interval_ms) {}

  void begin_session(uint64_t session) { reporter_.begin(session); }
  /// Makes the next report full.
  void resync() { reporter_.resync(); }
  /// Returns the number of the last report made; 0: none in this session.
  uint64_t number() const { return reporter_.number(); }
  /// Returns when the next report is made in an open session.
  int64_t next_ms() const { return next_ms_; }

  /// Takes these hosts as the inventory for reports from now on. Contract: the caller sends it.
  const std::vector<wire::HostFacts>& take_inventory(const std::vector<wire::HostFacts>& hosts);
  const std::vector<wire::HostFacts>& inventory() const { return inventory_; }
  /// Returns the use of the cluster's own hosts, by position in the inventory.
  std::vector<wire::HostUse> use_of(const std::vector<HostLoad>& loads) const;

  /// Returns true if a report is to be made now. None is made after a failed look, except one that
  /// says that the agent is degraded, with what was seen last. The next one is made an interval
  /// later.
  bool begin(bool seen, bool degraded, int64_t now_ms);
  /// Returns the report of what changed since the last one; nullopt: nothing has. It counts as
  /// sent.
  std::optional<wire::Report> make(const Picture& picture) { return reporter_.report(picture); }

 private:
  int64_t interval_ms_;
  Reporter reporter_;
  std::vector<wire::HostFacts> inventory_;
  bool degraded_reported_ = false;
  int64_t next_ms_ = INT64_MIN;
};

}  // namespace leasehold::agent
