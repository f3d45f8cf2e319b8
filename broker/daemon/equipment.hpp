// Equipment is what a broker has whether it leads or not: its ports, its place among several, the
// readings of its file, and what it publishes of itself. Leader and Broker use it; it decides
// nothing.
#pragma once

#include <memory>

#include "broker/daemon/aside/readings.hpp"
#include "broker/daemon/leadership/other_brokers.hpp"
#include "broker/daemon/leadership/standby.hpp"
#include "broker/daemon/leadership/troubles.hpp"
#include "broker/daemon/parts.hpp"
#include "broker/ports/agents/port.hpp"
#include "broker/ports/operators/port.hpp"

namespace leasehold {

/// A broker's lead as it is published; by default it has none.
struct LeadNow {
  Leads leads = {};
  int64_t last_event = 0;
  int64_t until_ms = INT64_MAX;  // no other broker leads until then, by CLOCK_BOOTTIME
  int64_t dates_ahead_ms = 0;    // LeaderView::dates_ahead_ms
};

struct Equipment {
  Equipment(BrokerParts given, AgentPort agents_port, OperatorPort operators_port);
  Equipment(const Equipment&) = delete;  // its members refer to each other
  Equipment& operator=(const Equipment&) = delete;

  int64_t boottime_ms() const { return parts.time->boottime_ms(); }
  /// Publishes whether it leads: at once, and before the commit by which it ceases to.
  void publish_role(const LeadNow& lead);
  /// Puts the keys, rights and limits that were read with a configuration in force.
  void put_in_force(const BrokerConfig& config, const std::shared_ptr<const Access>& access);
  /// Hands this broker's own file to the threads that follow the log, which has the configuration
  /// to compare it with.
  void compare_file(Result<ConfigRead> read);
  /// Publishes the end of a turn for HTTP; `event` is the last durable one.
  void publish_turn(int64_t event, const Bulletin::Troubles& open = {});
  void wake_log_followers();

  BrokerParts parts;
  AgentPort agents;
  OperatorPort operators;
  Standby standby;
  Readings readings;
  Troubles troubles;
  OtherBrokers others;
  LoopFigures figures;
  Instant now;  // of the turn
  Frame frame;  // reused for operators' requests
};

}  // namespace leasehold
