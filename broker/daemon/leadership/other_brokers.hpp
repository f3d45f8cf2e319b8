// OtherBrokers is how brokers of one database exchange rows about themselves and act by them: a
// leader that no agent reaches gives its lead to a broker that agents come to, and a broker whose
// clock is far ahead does not lead. The rules: broker/store/postgres/README.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/daemon/leadership/cut_off.hpp"
#include "broker/daemon/leadership/standby.hpp"
#include "broker/daemon/leadership/troubles.hpp"
#include "broker/daemon/parts.hpp"
#include "broker/ports/agents/port.hpp"

namespace leasehold {

class OtherBrokers {
 public:
  /// Clusters whose agents are connected to a leader; nullopt: this broker does not lead.
  using ConnectedClusters = std::optional<std::vector<std::string>>;

  OtherBrokers(const BrokerParts& parts, AgentPort& agents, const Standby& standby,
               Troubles& troubles)
      : parts_(parts), agents_(agents), standby_(standby), troubles_(troubles) {}

  /// Refuses to lead by a clock that is far ahead: a take-over dates events by the wall clock.
  Status check_clock() const;
  /// Returns when rows are to be exchanged again, by CLOCK_BOOTTIME; INT64_MAX: never.
  int64_t next_exchange_ms() const { return parts_.roll ? next_exchange_ms_ : INT64_MAX; }
  bool must_exchange() const { return next_exchange_ms() <= parts_.time->boottime_ms(); }
  /// Exchanges rows, and fills in the others' for answers to questions. Contract: must_exchange().
  void exchange(const ConnectedClusters& connected_clusters);

  /// This broker leads from now on.
  void leads() { cut_off_.leads(parts_.time->boottime_ms()); }
  /// Returns the broker for which this one, a leader, is to step down; "": none.
  std::string gives_to(bool hears, int64_t agent_timeout_ms);
  /// Fills in how far this broker's clock is from others'; the dates of its events are so far ahead
  /// of it.
  void add_clock(LeaderView& leader_view, int64_t dates_ahead_ms) const;

 private:
  RollRow own_row(const ConnectedClusters& connected_clusters) const;
  std::vector<RollRow> rows() const;
  std::shared_ptr<const RollSeen> seen() const {
    return parts_.roll ? parts_.roll->seen() : nullptr;
  }

  const BrokerParts& parts_;
  AgentPort& agents_;
  const Standby& standby_;
  Troubles& troubles_;
  int64_t next_exchange_ms_ = 0;
  CutOff cut_off_;
};

}  // namespace leasehold
