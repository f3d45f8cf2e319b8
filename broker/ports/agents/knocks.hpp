// Knocks: which agents came of late to a broker that does not lead, and by what clocks: whether the
// leader alone hears nobody, and whether this broker's clock is wrong, is told by them. Pure: time
// comes in. Only what the configuration names counts as a cluster, by its own key.
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

class Knocks {
 public:
  /// An agent goes on to the next broker of its list once a second, or after three where nobody is.
  static constexpr int64_t kCountMs = 30'000;

  void know(const std::vector<ClusterConfig>& clusters);
  /// `key`: that its connection has proved; "": a plain one. `came_ms`: the wall clock, read after
  /// the message was.
  void came(const wire::Message& message, const std::string& key, int64_t came_ms,
            int64_t boottime_ms);

  /// Of the last kCountMs: how many. Those that did not say whose they are count as one, and as
  /// none beside any that did: each says it with its second word alone.
  int64_t count(int64_t boottime_ms) const;
  std::vector<std::string> clusters(int64_t boottime_ms) const;
  /// The median of their clocks less this machine's; nullopt: none has told.
  std::optional<ClockDifference> clocks(int64_t boottime_ms) const;
  void clear() { knocks_.clear(); }

 private:
  struct Knock {
    int64_t at_ms = 0;
    int64_t clock_at_ms = INT64_MIN / 2;
    ClockMeter clock;
  };
  std::string whose(const wire::Message& message, const std::string& key) const;

  std::map<std::string, std::string> keys_;  // by cluster
  std::map<std::string, Knock> knocks_;      // by cluster; "": who did not say
};

}  // namespace leasehold
