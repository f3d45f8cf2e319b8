// LeaderConfig brings configurations in force while a broker leads: of a reload, of SIGHUP, or this
// broker's own at its start. Keys and rights change together with what the core decides by.
#pragma once

#include <memory>
#include <optional>

#include "broker/daemon/engine.hpp"
#include "broker/daemon/equipment.hpp"

namespace leasehold {

class LeaderConfig {
 public:
  LeaderConfig(Equipment& own, Engine& engine) : own_(own), engine_(engine) {}

  /// If several brokers share the database, another site's file that names it by mistake is
  /// refused: it would remove every cluster, and all leases with them.
  Status check_clusters(const BrokerConfig& config) const;
  /// Refuses a reload that contradicts the hosts that are known, or whose file is another site's. A
  /// start is not refused for its hosts: a site whose host shrank must run, so exports are clamped.
  Result<ConfigRead> checked(Result<ConfigRead> config) const;
  /// Logs where the configuration in force contradicts the hosts that are known.
  void log_contradictions() const;
  /// Notes for the history what changes because this broker's own file comes into force.
  void note_changes(ConfigRead& config) const;

  void feed(const Event& event, std::shared_ptr<const Access> access);
  /// Feeds what was read for SIGHUP if it is right; else logs why not.
  void feed_by_signal(Result<ConfigRead> read);
  /// Resolves windows again when those that are known end.
  void renew_windows();
  /// Contract: what was fed is committed.
  void put_in_force();

 private:
  const State& state() const { return engine_.state(); }

  Equipment& own_;
  Engine& engine_;
  std::optional<std::shared_ptr<const Access>> fed_;  // set if the batch has a configuration
};

}  // namespace leasehold
