// Work: what a cluster's jobs do from now on with the slots that a forecast is about: which of them
// end when, and which wait before new work. It is a projection, not a record: each Outlook reads
// the same report in its own way (broker/views/forecast/README.md, "Outlooks"). Pure; it uses
// integers only.
#pragma once

#include <cstdint>
#include <limits>
#include <queue>
#include <vector>

#include "broker/core/model/cluster.hpp"
#include "common/tokens.hpp"

namespace leasehold::forecasting {

/// Unknown times are taken as early, as likely, or as late as the report allows.
enum class Outlook : uint8_t { early = 0, likely = 1, late = 2 };
inline constexpr size_t kOutlooks = 3;

/// Times are milliseconds from now; kNotAtAll: nothing says that it happens.
inline constexpr int64_t kNotAtAll = std::numeric_limits<int64_t>::max() / 4;

class Work {
 public:
  /// `held` are the forecast's slots that the cluster may use; `used` of them run its jobs. Other
  /// running work of the report runs on the cluster's own slots.
  Work(const Cluster& cluster, int64_t held, int64_t used, Outlook outlook);

  int64_t held() const { return held_; }
  int64_t used() const { return used_; }
  int64_t idle() const { return held_ > used_ ? held_ - used_ : 0; }
  /// Returns the slots that waiting work wants.
  int64_t waiting() const;
  /// Return the forecast's slots that running work has left, and that other work has taken, so far.
  int64_t ended() const { return ended_; }
  int64_t taken() const { return taken_; }

  void gain(int64_t slots) { held_ += slots; }
  /// Contract: that many slots are idle.
  void give(int64_t slots) { held_ -= slots; }
  /// New work takes idle slots and keeps them until the end of the projection. Contract: that many
  /// are idle.
  void occupy(int64_t slots) { used_ += slots; }
  /// New work takes every other slot that work has left so far.
  void overtake();
  /// The work on that many slots is ended by order.
  void stop(int64_t slots);
  /// Ends the work whose time has come.
  void advance(int64_t now_ms);
  /// Starts waiting work where it fits, the oldest first: on its cluster's own slots, then on
  /// these.
  void start(int64_t now_ms);
  /// Returns when the next work ends; kNotAtAll: nothing says so.
  int64_t next_end() const { return ends_.empty() ? kNotAtAll : ends_.top().at_ms; }

 private:
  struct End {
    int64_t at_ms = 0;
    int64_t slots = 0;  // of the forecast's slots
    int64_t own = 0;
    bool operator>(const End& other) const { return at_ms > other.at_ms; }
  };
  /// Waiting jobs that look alike.
  struct Waiting {
    int64_t width = 1;
    int64_t jobs = 0;
    int64_t length_ms = 0;
  };

  void add_running(const wire::Ending& ending);
  void add_class(wire::TimeClass left, int64_t slots, int64_t own);
  void add_waiting(const Cluster& cluster);

  const Outlook outlook_;
  int64_t error_milli_ = 0;
  int64_t typical_ms_ = kNotAtAll;  // the assumed length of work without a limit
  int64_t held_ = 0;
  int64_t used_ = 0;
  int64_t own_idle_ = 0;
  int64_t stopped_ = 0;  // slots whose work was to end later
  int64_t ended_ = 0;
  int64_t taken_ = 0;
  int64_t overtaken_ = 0;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::vector<Waiting> waiting_;
};

}  // namespace leasehold::forecasting
