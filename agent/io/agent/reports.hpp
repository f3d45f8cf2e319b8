// Reports: when the agent reports, and by which inventory the positions of hosts in its reports go.
// Reporter (agent/core/reporter.hpp) makes deltas of what Agent sees.
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
  /// The next report is full.
  void resync() { reporter_.resync(); }
  /// Number of the last report made; 0: none in this session.
  uint64_t number() const { return reporter_.number(); }
  /// When the next report is due in an open session.
  int64_t due_ms() const { return due_ms_; }

  /// Takes these hosts as the inventory that reports go by from now on. Contract: it is sent.
  const std::vector<wire::HostFacts>& take_inventory(const std::vector<wire::HostFacts>& hosts);
  const std::vector<wire::HostFacts>& inventory() const { return inventory_; }
  /// The use of the cluster's own hosts, by position in the inventory.
  std::vector<wire::HostUse> use_of(const std::vector<HostLoad>& loads) const;

  /// True if a report is to be made now. After a failed look it is not, but that the agent is
  /// degraded is reported once, with what was seen last. The next one is due an interval later.
  bool begin(bool seen, bool degraded, int64_t now_ms);
  /// The report of what changed since the last one; nullopt: nothing. It counts as sent.
  std::optional<wire::Report> make(const Picture& picture) { return reporter_.report(picture); }

 private:
  int64_t interval_ms_;
  Reporter reporter_;
  std::vector<wire::HostFacts> inventory_;
  bool degraded_reported_ = false;
  int64_t due_ms_ = INT64_MIN;
};

}  // namespace leasehold::agent
