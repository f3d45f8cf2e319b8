// ReportedWants: what each cluster wanted, from what agents reported in a history: its waiting work
// and the slots that it needs, how long its work runs, and hosts of others that it reports down.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "broker/core/model/state.hpp"
#include "broker/lab/what_if/meter.hpp"
#include "broker/lab/what_if/moment.hpp"

namespace leasehold {

/// An agent that reported in one commit.
struct AgentReport {
  std::string cluster;
  bool reported = false;  // it also reported what waits
  int64_t pending = 0;
  bool first = false;  // its first message of a session
  std::optional<std::vector<int32_t>> elsewhere = std::nullopt;
  std::optional<wire::Demand> demand = std::nullopt;
};

class ReportedWants {
 public:
  /// Wants count in [from, to); `state` is that at `from`, of whose slot groups earlier reports are
  /// taken.
  void begin(const State& state, Instant from, Instant to);
  /// Adds what every cluster of `state` wants at `from` to the moment.
  void first(const State& state, Moment& moment, SiteMeter& meter);
  /// Takes the reports of one commit, which left `state`, and adds what their clusters want to the
  /// moment.
  void take(const State& state, std::vector<AgentReport>& reports, Moment& moment,
            SiteMeter& meter);
  /// Returns how much of the waiting work had shapes, until `to`.
  RecordedShapes shapes(const State& state);

 private:
  using HostKey = std::array<uint32_t, 3>;  // cluster, provider, host
  /// The kinds of facts that a cluster reports of its waiting work, from `since` on.
  struct Telling {
    Instant since;
    bool waits = false;
    bool shapes = false;
    bool elsewhere = false;
  };
  /// The slots that a cluster used from then on.
  struct Used {
    int64_t slots = 0;
    Instant since;
    int64_t started = 0;  // slots that came into use
    SlotMs sum = 0;
  };
  struct Waits {
    int64_t pending = 0;
    int64_t idle = 0;
    int64_t needs = 0;
  };
  struct Known {
    int64_t pending = 0;                            // as last reported
    std::optional<std::vector<int32_t>> elsewhere;  // likewise
    Used used;
    Waits waits;
    Telling telling;
  };

  void grow(const State& state);
  void take_one(const State& state, uint32_t cluster, const AgentReport& report, Moment& moment,
                SiteMeter& meter);
  static int64_t needs_of(int64_t pending, int64_t idle, Waits& known);
  static int64_t run_time(Used& known, int64_t used, Instant at);
  Want want_of(const State& state, uint32_t cluster, Instant at);
  void note_telling(const State& state, uint32_t cluster, Instant at);
  void note_hosts(const State& state, Moment& moment, uint32_t cluster);

  Instant from_;
  Instant to_;
  std::vector<Known> known_;  // by cluster
  RecordedShapes shapes_;
  std::set<HostKey> down_;  // hosts that clusters report down
};

}  // namespace leasehold
