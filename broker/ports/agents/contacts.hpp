// Contacts: which agents came of late to a broker that does not lead, and by what clocks. They tell
// whether the leader alone is out of reach of the agents, and whether this broker's clock is wrong.
// Pure: time comes in. Only what the configuration names counts as a cluster, by its own key.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/model/config.hpp"
#include "broker/ports/agents/clock_meter.hpp"
#include "common/wire/message.hpp"

namespace leasehold {

class Contacts {
 public:
  /// A contact counts for so long. An agent goes on to the next broker of its list once a second,
  /// or after three where nobody is.
  static constexpr int64_t kCountMs = 30'000;

  /// Sets the clusters of the configuration, and drops contacts of all others.
  void know(const std::vector<ClusterConfig>& clusters);
  /// Notes a message. `key` is what its connection has proved to own, "" on a plain one; `came_ms`
  /// is the wall clock, read after the message was.
  void note(const wire::Message& message, const std::string& key, int64_t came_ms,
            int64_t boottime_ms);

  /// Returns the number of clusters that came in the last kCountMs. Agents name their cluster only
  /// in their second message: those that have not count as one, and as none beside any that have.
  int64_t count(int64_t boottime_ms) const;
  std::vector<std::string> clusters(int64_t boottime_ms) const;
  /// Returns the median of the agents' clocks less this machine's; nullopt: no agent has stated its
  /// clock.
  std::optional<ClockDifference> clocks(int64_t boottime_ms) const;
  void clear() { contacts_.clear(); }

 private:
  struct Seen {
    int64_t at_ms = 0;
    int64_t clock_at_ms = INT64_MIN / 2;
    ClockMeter clock;
  };
  std::string cluster_of(const wire::Message& message, const std::string& key) const;

  std::map<std::string, std::string> keys_;  // by cluster
  std::map<std::string, Seen> contacts_;     // by cluster; "": who did not say
};

}  // namespace leasehold
