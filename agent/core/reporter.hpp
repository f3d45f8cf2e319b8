// Reporter numbers an agent's reports and makes each the difference from the one before it. Where
// nothing has changed there is no report, unless it is to be a full one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "common/wire/message.hpp"

namespace leasehold::agent {

/// Everything that there is to report, as a whole.
struct Picture {
  uint64_t configuration = 0;
  int64_t pending = 0;
  int64_t running = 0;
  bool degraded = false;
  int64_t lease_ms = 0;
  /// nullopt: the adapter does not report it; likewise `ending`.
  std::optional<wire::Demand> demand = std::nullopt;
  std::optional<wire::Ending> ending = std::nullopt;
  wire::StateBlock state;
  std::vector<wire::HostUse> hosts;  // by position in the inventory
};

class Reporter {
 public:
  /// Begins a new session: numbers begin again, and the next report is full.
  void begin(uint64_t session);
  /// Makes the next report full: the broker asked for that, or positions have a new meaning.
  void resync() { full_ = true; }
  /// Returns what has changed since the last report, or nullopt if nothing has. A returned report
  /// counts as sent.
  std::optional<wire::Report> report(const Picture& now);
  /// Returns the number of the last report made; 0: none in this session.
  uint64_t number() const { return number_; }

 private:
  bool facts_changed(const Picture& now) const;
  bool take_changed_shapes(const Picture& now, wire::Report& out) const;
  void take_changed_groups(const Picture& now, wire::StateBlock& out) const;

  uint64_t session_ = 0;
  uint64_t number_ = 0;
  bool full_ = true;
  Picture last_;
};

}  // namespace leasehold::agent
